"""Evaluates arithmetic such as "2 + 3 * (4 - 1)". The tokenizer works; the parser is yours to write.

    expression = term { ("+" | "-") term }
    term       = factor { ("*" | "/") factor }
    factor     = number | "-" factor | "(" expression ")"
"""
import re
import sys


def tokenize(text):
    """A list of numbers (float) and signs (str)."""
    tokens = []
    for number, sign, other in re.findall(r"(\d+\.?\d*)|([-+*/()])|(\S)", text):
        if other:
            raise ValueError(f"unexpected {other!r}")
        tokens.append(float(number) if number else sign)
    return tokens


class Parser:
    def __init__(self, tokens):
        self.tokens = tokens
        self.position = 0

    def peek(self):
        """The next token, or None at the end."""
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def take(self):
        """The next token, which is then behind us."""
        token = self.peek()
        self.position += 1
        return token

    def expression(self):
        raise NotImplementedError

    def term(self):
        raise NotImplementedError

    def factor(self):
        raise NotImplementedError


def evaluate(text):
    parser = Parser(tokenize(text))
    value = parser.expression()
    if parser.peek() is not None:
        raise ValueError(f"unexpected {parser.peek()!r}")
    return value


if __name__ == "__main__":
    print(evaluate(" ".join(sys.argv[1:])))
