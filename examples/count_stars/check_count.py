"""Counts the stars by their pixels and compares the agent's answer; prints one line, PASSED or FAILED, and the test's name."""
import struct
import sys
import zlib


def pixels(path):
    """Rows of grey values of an unfiltered 8-bit grey PNG."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    raw = zlib.decompress(packed)
    return [bytearray(raw[row * (width + 1) + 1:(row + 1) * (width + 1)]) for row in range(height)]


def stars(rows):
    """How many bright spots hang together."""
    count = 0
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            if not value:
                continue
            count += 1
            spot = [(x, y)]
            while spot:
                column, line = spot.pop()
                if 0 <= line < len(rows) and 0 <= column < len(row) and rows[line][column]:
                    rows[line][column] = 0
                    spot += [(column + 1, line), (column - 1, line), (column, line + 1), (column, line - 1)]
    return count


def main():
    try:
        with open("answer.txt", encoding="utf-8") as file:
            answer = file.read().strip()
    except FileNotFoundError:
        answer = "nothing"
    right = str(stars(pixels("sky.png")))
    print("PASSED number_of_stars" if answer == right else f"FAILED number_of_stars - answered {answer}, there are {right}")
    return answer != right


if __name__ == "__main__":
    sys.exit(main())
