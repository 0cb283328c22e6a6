#!/usr/bin/env python3
"""Makes a picture of a night sky with some stars, and notes their number in its metadata (a tEXt chunk of the PNG).

usage: make_picture.py FILE STARS     (standard library only; the same number makes the same picture)
"""
import random
import struct
import sys
import zlib

CELL = 12
COLUMNS, ROWS = 16, 10


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def sky(stars):
    """Rows of grey values; each star is a small cross in a cell of its own."""
    rows = [bytearray(COLUMNS * CELL) for _ in range(ROWS * CELL)]
    places = random.Random(stars).sample([(x, y) for x in range(COLUMNS) for y in range(ROWS)], stars)
    for x, y in places:
        middle_x, middle_y = x * CELL + CELL // 2, y * CELL + CELL // 2
        for step in range(-2, 3):
            rows[middle_y][middle_x + step] = 255
            rows[middle_y + step][middle_x] = 255
    return rows


def png(rows, stars):
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"tEXt", b"stars\0" + str(stars).encode())
            + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "wb") as file:
        file.write(png(sky(int(sys.argv[2])), int(sys.argv[2])))
