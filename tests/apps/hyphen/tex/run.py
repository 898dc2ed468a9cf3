#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""TeX itself as the oracle of `ninho hyphenate`.

    run.py NINHO

Hyphenates whole word lists with real TeX and with NINHO, from the same patterns, exceptions and
minima, and compares every line:

    en-us   with tex: the lines in ASCII of wamerican-insane, and forms of them as running text has
            them (capitals, quotes, digits, hyphens inside); with TeX's 14 exceptions, with those
            and ushyphex, with none, and with whatever NINHO does when no option is given
    pt      with luatex: wportuguese

Needs tex and luatex (texlive-binaries); tools/fetch-data brings the rest. Prints a line for each
comparison and the first lines that differ, if any do. Exits with 1 then.
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.normpath(os.path.join(HERE, "..", "..", "..", ".."))

# The \hyphenation{} of TeX's hyph-en-us.tex.
TEX_EXCEPTIONS = """\
as-so-ciate as-so-ciates dec-li-na-tion oblig-a-tory phil-an-thropic present presents project
projects reci-procity re-cog-ni-zance ref-or-ma-tion ret-ri-bu-tion ta-ble
"""


def fetch(name):
    run = subprocess.run([os.path.join(TOP, "tools", "fetch-data"), name], check=True,
                         stdout=subprocess.PIPE)
    return run.stdout.decode().strip()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def forms(words):
    """Words as they stand in running text."""
    result = []
    for i, word in enumerate(words):
        other = words[(7 * i + 3) % len(words)]
        result.append([word.upper(), word.title(), "(" + word + ")", '"' + word + '",',
                       word + "-" + other, "-" + word, word + "-", word + "/" + other,
                       word + "'" + other, "'" + word + "'", word + "." + other, word + "1",
                       "1" + word, word + "42" + other, word + other, word + "_" + other,
                       word + "@" + other + ".org", word + ":", word + "--"][i % 19])
    return result


def environment(base):
    """Where tex and luatex find what they need, without an installed TeX Live."""
    return dict(os.environ, TEXMFCNF=os.path.join(base, "web2c"), TEXMFDIST=base,
                TFMFONTS=os.path.join(base, "fonts", "tfm") + "//", max_print_line="10000",
                openout_any="p")


def run_tex(program, source, folder, base):
    run = subprocess.run([program, "-ini", "-interaction=batchmode", source], cwd=folder,
                         env=environment(base), stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if run.returncode == 0:  # underfull boxes are no errors
        return
    with open(os.path.join(folder, source[:-len(".tex")] + ".log"), encoding="utf-8",
              errors="replace") as log:
        errors = re.findall(r"^!.*(?:\n.*){0,6}", log.read(), re.MULTILINE)
    sys.exit("%s failed:\n%s" % (program, errors[0] if errors else "it does not say why"))


def classic(folder, base):
    write(os.path.join(folder, "classic.tex"), read(os.path.join(HERE, "classic.tex")))
    run_tex("tex", "classic.tex", folder, base)
    with open(os.path.join(folder, "classic.log"), encoding="ascii") as log:
        return re.findall(r"^ \\f (.*)$", log.read(), re.MULTILINE)


def luatex(folder, base):
    for name in ("luatex.tex", "oracle.lua"):
        write(os.path.join(folder, name), read(os.path.join(HERE, name)))
    run_tex("luatex", "luatex.tex", folder, base)
    return read(os.path.join(folder, "hyphenated.txt")).split("\n")[:-1]


def ours(ninho, language, folder, exceptions):
    if exceptions is None:
        with open(os.path.join(folder, "words.txt"), "rb") as words:
            run = subprocess.run([ninho, "hyphenate", "--words"], stdin=words,
                                 stdout=subprocess.PIPE, check=True)
        return run.stdout.decode("utf-8").split("\n")[:-1]
    own = os.path.join(folder, "exceptions.txt")
    write(own, exceptions)
    run = subprocess.run([ninho, "hyphenate", "--words", "--lang", language,
                          "--exceptions", "none"] +
                         (["--exceptions", own] if exceptions.strip() else []) +
                         [os.path.join(folder, "words.txt")],
                         stdout=subprocess.PIPE, check=True)
    return run.stdout.decode("utf-8").split("\n")[:-1]


def compare(title, oracle, ninho, language, words, exceptions, minima, base, defaults=False):
    with tempfile.TemporaryDirectory(prefix="ninho-tex-") as folder:
        patterns = os.path.join(fetch("patterns"), "hyph-%s.pat.txt" % language)
        write(os.path.join(folder, "patterns.tex"), read(patterns))
        # One to a line: an empty line, or an empty file, would be a \par.
        write(os.path.join(folder, "exceptions.tex"),
              "".join(word + "\n" for word in exceptions.split()) or "%\n")
        write(os.path.join(folder, "words.txt"), "".join(word + "\n" for word in words))
        write(os.path.join(folder, "minima.lua"), "return {left = %d, right = %d}\n" % minima)
        expected = oracle(folder, base)
        got = ours(ninho, language, folder, None if defaults else exceptions)
    if len(expected) != len(words) or len(got) != len(words):
        print("%s: %d lines, but %d from TeX and %d from ninho"
              % (title, len(words), len(expected), len(got)))
        return False
    if [text.replace("-", "") for text in expected] != [w.replace("-", "") for w in words]:
        print("%s: TeX answered other words than it was given" % title)
        return False
    n_breaks = sum(len(e) - len(w) for e, w in zip(expected, words))
    differ = [(e, g) for e, g in zip(expected, got) if e != g]
    print("%s: %d lines, %d breaks, %d differences"
          % (title, len(words), n_breaks, len(differ)), flush=True)
    for e, g in differ[:10]:
        print("    TeX: %s   ninho: %s" % (e, g))
    # An oracle that finds next to nothing is none.
    return not differ and n_breaks > len(words) // 2


def hyphenations(path):
    """What is inside \\hyphenation{...}, without comments."""
    text = re.sub(r"%.*", "", read(path))
    return " ".join(re.findall(r"\\hyphenation\s*\{([^}]*)\}", text))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ninho = os.path.abspath(sys.argv[1])
    ushyphex = fetch("ushyphex")
    base = ushyphex[:ushyphex.index("/tex/generic/")]
    words = [w for w in read(fetch("words")).split("\n")[:-1] if w.isascii()]
    portuguese = read(fetch("words-pt")).split("\n")[:-1]
    both = TEX_EXCEPTIONS + hyphenations(ushyphex)
    results = [
        compare("en-us, TeX's 14 exceptions", classic, ninho, "en-us", words, TEX_EXCEPTIONS,
                (2, 3), base),
        compare("en-us, no option", classic, ninho, "en-us", words, TEX_EXCEPTIONS, (2, 3), base,
                defaults=True),
        compare("en-us, with ushyphex", classic, ninho, "en-us", words, both, (2, 3), base),
        compare("en-us, no exceptions", classic, ninho, "en-us", words, "", (2, 3), base),
        compare("en-us, as in running text", classic, ninho, "en-us", forms(words[::7]), both,
                (2, 3), base),
        compare("pt, luatex", luatex, ninho, "pt", portuguese,
                read(os.path.join(fetch("patterns"), "hyph-pt.hyp.txt")), (2, 3), base),
    ]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
