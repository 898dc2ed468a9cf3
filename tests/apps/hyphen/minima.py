#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of languages against the files it comes from.

    minima.py [--all] [--ninho NINHO]

Reads the table of apps/hyphen/languages.c and, from the packages that it names, the headers of
TeX's hyph-*.tex: the minima and the language's name must be what they say, and each file must be
in the package that the row says. Without --all only packages of less than 40 MB are fetched: 69 of
the 77 languages. Also compares TeX's exceptions for en-us, where its file was fetched. With --ninho,
that tool must read every hyph-*.tex of these packages, but for two that \\input another.
"""

import argparse
import glob
import os
import re
import subprocess
import sys

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
TABLE = os.path.join(TOP, "apps", "hyphen", "languages.c")
LARGE = {"texlive-lang-chinese", "texlive-lang-english", "texlive-lang-french",
         "texlive-lang-greek"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_table():
    text = read(TABLE)
    packages = dict(re.findall(r'#define (\w+) +"(texlive-[\w-]+)"', text))
    rows = re.findall(r'\{"([\w-]+)",\s*"([^"]+)",\s*\{(\d+), (\d+)\},\s*(\w+),\s*\w+\},'
                      r'(\s*/\* generation \*/)?', text)
    return {name: (title, (int(left), int(right)), packages[package], bool(generation))
            for name, title, left, right, package, generation in rows}


def header(path):
    """The header of hyph-*.tex is nested by indentation: {"hyphenmins/typesetting/left": "2"}."""
    values, open_keys = {}, []
    for line in read(path).split("\n"):
        match = re.match(r"%( *)([a-z_]+):\s*(.*)$", line)
        if not match:
            if not line.startswith("%"):
                break
            continue
        indent = len(match.group(1))
        while open_keys and open_keys[-1][0] >= indent:
            open_keys.pop()
        open_keys.append((indent, match.group(2)))
        value = re.sub(r"\s*#.*", "", match.group(3)).strip()  # "2 # But 1 is also possible"
        values.setdefault("/".join(key for _, key in open_keys), value)
    return values


def minima_of(values):
    """(minima, whether only those for generation are there)"""
    for use in ("typesetting", "generation"):
        key = "hyphenmins/" + use
        if key + "/left" in values:
            return (int(values[key + "/left"]), int(values[key + "/right"])), use == "generation"
    return None, False


def complaints_of(name, row, path):
    title, minima, _, generation = row
    values = header(path)
    result = []
    if minima_of(values) != (minima, generation):
        result.append("the table has %s%s, the header %s%s"
                      % (minima, " (generation)" * generation, minima_of(values)[0],
                         " (generation)" * minima_of(values)[1]))
    if title not in [part.strip() for part in values["language/name"].split(",")] and \
            title != values["language/name"]:
        result.append("the table calls it '%s', the header '%s'"
                      % (title, values["language/name"]))
    if name == "en-us":
        ours = re.search(r"tex_en_us\[\] =([^;]*);", read(TABLE)).group(1)
        ours = "".join(re.findall(r'"([^"]*)"', ours)).split()
        text = re.sub(r"%.*", "", read(path))
        if ours != re.search(r"\\hyphenation\{([^}]*)\}", text).group(1).split():
            result.append("TeX has other exceptions")
    return result


def count_unread(ninho, folders):
    """How many of the files cannot be read, and neither \\input nor a want of patterns explains it."""
    n_read = n_unread = 0
    for path in sorted(path for folder in folders for path in glob.glob(folder + "/hyph-*.tex")):
        run = subprocess.run([ninho, "hyphenate", "--words", "--patterns", path],
                             input=b"ninho\n", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             check=False)
        if run.returncode == 0:
            n_read += 1
        elif (b"\\input is not followed" not in run.stderr
              and b"no pattern in it" not in run.stderr):
            print(run.stderr.decode().strip())
            n_unread += 1
    print("%d files of TeX read, %d not" % (n_read, n_unread))
    return n_unread if n_read else 1


def main():
    parser = argparse.ArgumentParser(description="The table of languages against TeX's files.")
    parser.add_argument("--all", action="store_true", help="the four large packages too")
    parser.add_argument("--ninho", help="a tool that must read the files")
    options = parser.parse_args()
    want_all = options.all
    table = read_table()
    run = subprocess.run([os.path.join(TOP, "tools", "fetch-data"),
                          "hyph-tex-all" if want_all else "hyph-tex"],
                         check=True, stdout=subprocess.PIPE)
    folders = run.stdout.decode().split()
    n_compared = n_wrong = 0
    for name, row in table.items():
        if row[2] in LARGE and not want_all:
            continue
        folder = [folder for folder in folders if "/%s/" % row[2] in folder]
        path = os.path.join(folder[0], "hyph-%s.tex" % name) if folder else ""
        found = complaints_of(name, row, path) if os.path.exists(path) else \
            ["%s holds no hyph-%s.tex" % (row[2], name)]
        for complaint in found:
            print("%s: %s" % (name, complaint))
        n_compared += 1
        n_wrong += bool(found)
    expected = 77 if want_all else 69
    print("%d languages compared with TeX's headers, %d differ" % (n_compared, n_wrong))
    n_unread = count_unread(options.ninho, folders) if options.ninho else 0
    sys.exit(0 if n_wrong == 0 and n_unread == 0 and n_compared == expected else 1)


if __name__ == "__main__":
    main()
