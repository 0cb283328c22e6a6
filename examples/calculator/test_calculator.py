"""Tests of calculator.py; run as a program, it prints one line for each: PASSED or FAILED, and its name."""
import sys

import calculator


def test_number():
    assert calculator.evaluate("42") == 42


def test_addition():
    assert calculator.evaluate("1 + 2 + 3") == 6


def test_subtraction_goes_from_left_to_right():
    assert calculator.evaluate("10 - 4 - 3") == 3


def test_multiplication_binds_stronger():
    assert calculator.evaluate("2 + 3 * 4") == 14


def test_division_goes_from_left_to_right():
    assert calculator.evaluate("16 / 4 / 2") == 2


def test_parentheses():
    assert calculator.evaluate("2 * (3 + 4)") == 14


def test_negative_number():
    assert calculator.evaluate("-3 + 5") == 2


def test_unbalanced_parenthesis_is_an_error():
    try:
        calculator.evaluate("(1 + 2")
    except ValueError:
        return
    raise AssertionError("no ValueError")


def main():
    failed = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            print(f"PASSED {name}")
        except Exception as error:
            failed += 1
            print(f"FAILED {name} - {type(error).__name__}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
