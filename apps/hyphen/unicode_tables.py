#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes unicode_tables.h: python3 apps/hyphen/unicode_tables.py >apps/hyphen/unicode_tables.h

Ranges of letters and marks, the simple lower-case mapping, and the upper halves of the 8-bit
charsets that .dic files use, all from Python's own tables."""
import sys
import unicodedata

SURROGATES = range(0xD800, 0xE000)
CHARSETS = [
    ("ISO8859-1", "latin-1"), ("ISO8859-2", "iso8859-2"), ("ISO8859-7", "iso8859-7"),
    ("ISO8859-9", "iso8859-9"), ("ISO8859-13", "iso8859-13"), ("ISO8859-15", "iso8859-15"),
    ("KOI8-R", "koi8-r"), ("KOI8-U", "koi8-u"), ("microsoft-cp1251", "cp1251"),
]


def points():
    return (c for c in range(0x110000) if c not in SURROGATES)


def ranges(claim):
    """Maximal runs [first, last] of code points for which claim(c) holds."""
    result = []
    for c in points():
        if claim(c):
            if result and result[-1][1] == c - 1:
                result[-1][1] = c
            else:
                result.append([c, c])
    return result


def lower(c):
    """The simple mapping: one code point to one. Only U+0130 has a longer one."""
    text = chr(c).lower()
    return ord(text) if len(text) == 1 else ord(text[0])


def lower_runs():
    """[first, last, step, difference]: every step-th from first to last has that difference."""
    runs = []
    for c in points():
        difference = lower(c) - c
        if difference == 0:
            continue
        if runs and runs[-1][3] == difference:
            first, last, step, _ = runs[-1]
            gap = c - last
            if gap in (1, 2) and (first == last or gap == step):
                runs[-1][1], runs[-1][2] = c, gap
                continue
        runs.append([c, c, 1, difference])
    return runs


def write_rows(rows, text):
    line = "   "
    for row in rows:
        item = " " + text(row) + ","
        if len(line) + len(item) > 90:
            print(line)
            line = "   "
        line += item
    print(line)


def main():
    category = unicodedata.category
    print("/* SPDX-License-Identifier: MIT */")
    print("/* Made by unicode_tables.py from Unicode " + unicodedata.unidata_version
          + ": do not edit. */")
    print("/* clang-format off */")
    for name, wanted in (("letter_ranges", "LM"), ("mark_ranges", "M")):
        print(f"static const uint32_t {name}[][2] = {{")
        write_rows(ranges(lambda c: category(chr(c))[0] in wanted),
                   lambda r: f"{{0x{r[0]:X}, 0x{r[1]:X}}}")
        print("};")
    print("/* Every step-th code point from first to last, plus the difference. */")
    print("static const struct lower_run {")
    print("    uint32_t first, last;")
    print("    int32_t step, difference;")
    print("} lower_runs[] = {")
    write_rows(lower_runs(), lambda r: f"{{0x{r[0]:X}, 0x{r[1]:X}, {r[2]}, {r[3]}}}")
    print("};")
    print("/* Code points of the bytes 0x80 to 0xFF; 0 where there is none. */")
    print("static const struct charset {")
    print("    const char *name;")
    print("    uint16_t upper[128];")
    print("} charsets[] = {")
    for name, codec in CHARSETS:
        print(f'    {{"{name}", {{')
        upper = [bytes([b]).decode(codec, "replace") for b in range(0x80, 0x100)]
        write_rows([0 if u == "\ufffd" else ord(u) for u in upper], lambda c: f"0x{c:X}")
        print("    }},")
    print("};")
    print("/* clang-format on */")


if __name__ == "__main__":
    sys.exit(main())
