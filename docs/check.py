#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/check.py BUILD: holds the documents against the programs in BUILD/examples and against the
tree. `docs/check.py BUILD --write` puts the pictures and the vectors into the documents anew."""

import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PICTURES = {
    "docs/bloom.md": ["bloom-16", "bloom-18", "blocked", "counting", "scalable"],
    "docs/cuckoo.md": ["cuckoo-add", "cuckoo-places", "cuckoo-load"],
    "docs/ribbon.md": ["ribbon-buckets", "ribbon-zones"],
}
VECTORS = re.compile(r"(?<=<!-- vectors -->\n).*?(?=<!-- end -->)", re.S)

sys.path.insert(0, os.path.join(TOP, "tests", "format"))
import reader  # noqa: E402
import xxh  # noqa: E402

problems = []


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(os.path.join(TOP, path), "w", encoding="utf-8") as file:
        file.write(text)


def run(build, *command, folder=None):
    program = os.path.join(os.path.abspath(build), *command[0].split("/"))
    done = subprocess.run([program, *command[1:]], cwd=folder, capture_output=True, text=True,
                          encoding="utf-8")
    if done.returncode or done.stderr:
        problems.append(f"{' '.join(command)}: exit {done.returncode}, {done.stderr.strip()!r}")
    return done.stdout


def expect(what, ok):
    if not ok:
        problems.append(what)


def check_embed(build):
    """The program in README.md is examples/embed.c, and does what stands below it."""
    expect("README.md does not show examples/embed.c as it is",
           "```c file=embed.c\n" + read("examples/embed.c") + "```\n" in read("README.md"))
    expect("docs/cpp.md does not show examples/embed.cpp as it is",
           "```cpp file=embed.cpp\n" + read("examples/embed.cpp") + "```\n" in read("docs/cpp.md"))
    with tempfile.TemporaryDirectory() as folder:
        out = run(build, "examples/embed", "robin", "ostrich", folder=folder)
        expect(f"embed says {out!r}", out == "robin: maybe\nostrich: certainly not\n")
        expect("README.md does not show what embed says", out in read("README.md"))
        expect("embed left no birds.ninho", os.path.exists(os.path.join(folder, "birds.ninho")))


def check_forget(build):
    """The program in docs/cuckoo.md is examples/forget.c, and does what stands below it."""
    page = read("docs/cuckoo.md")
    expect("docs/cuckoo.md does not show examples/forget.c as it is",
           "```c file=forget.c\n" + read("examples/forget.c") + "```\n" in page)
    out = run(build, "examples/forget")
    expect("docs/cuckoo.md does not show what forget says", out and out in page)


def check_vectors(build):
    """The vectors in docs/format.md are the library's, and those of a second implementation."""
    said = "\n" + run(build, "examples/vectors") + "\n"
    text = read("docs/format.md")
    if "--write" in sys.argv:
        text = VECTORS.sub(lambda _: said, text)
        write("docs/format.md", text)
    shown = VECTORS.search(text)
    expect("docs/format.md does not show the vectors as examples/vectors prints them",
           shown and shown[0] == said)
    rows = re.findall(r"^\| (\d+) bytes \| `(\w+)` \| `(\w+)` \| `(\w+)` \|", said, re.M)
    expect("no vectors", len(rows) > 5)
    for n, xxh3, xxh3_1, xxh64 in rows:
        data = bytes(i % 256 for i in range(int(n)))
        for hashed, hexed in [(xxh.xxh3_64(data, 0), xxh3), (xxh.xxh3_64(data, 1), xxh3_1),
                              (xxh.xxh64(data, 0), xxh64)]:
            expect(f"{n} bytes hash to {hashed:016x}, not {hexed}", f"{hashed:016x}" == hexed)


def check_pictures(build):
    """The pictures are what the library did."""
    for page, name in [(page, name) for page, names in PICTURES.items() for name in names]:
        drawn = run(build, "examples/draw", name)
        path = f"docs/img/{name}.svg"
        if "--write" in sys.argv:
            write(path, drawn)
        expect(f"{path} is not what examples/draw {name} draws", drawn and read(path) == drawn)
        expect(f"{page} does not show {path}", f"(img/{name}.svg)" in read(page))


def check_hyphenate(build):
    """The program in docs/hyphenation.md is examples/hyphenate.c, and hyphenates."""
    expect("docs/hyphenation.md does not show examples/hyphenate.c as it is",
           "```c file=hyphenate.c\n" + read("examples/hyphenate.c") + "```\n"
           in read("docs/hyphenation.md"))
    patterns = os.path.join(TOP, ".cache/data/librust-hyphenation-dev/usr/share/cargo/registry",
                            "hyphenation-0.7.1/patterns")
    out = run(build, "examples/hyphenate", patterns, "pt", "hifenização", "Ninho")
    expect(f"hyphenate says {out!r}", out == "hi-fe-ni-za-ção\nNi-nho\n")


def check_reconcile(build):
    """The program in docs/between-hosts.md is examples/reconcile.c, and does what stands below it."""
    page = read("docs/between-hosts.md")
    expect("docs/between-hosts.md does not show examples/reconcile.c as it is",
           "```c file=reconcile.c\n" + read("examples/reconcile.c") + "```\n" in page)
    out = run(build, "examples/reconcile", "lark", "robin", "wren", "--", "wren", "cuckoo", "lark")
    expect(f"reconcile says {out!r}", out == "< robin\n> cuckoo\n")
    expect("docs/between-hosts.md does not show what reconcile says", out in page)
    for here, there in [([], []), (["a"], []), ([], ["a"]), (["a", "a"], ["a"])]:
        out = run(build, "examples/reconcile", *here, "--", *there)
        said = [f"< {item}" for item in here if item not in there]
        said += [f"> {item}" for item in there if item not in here]
        expect(f"reconcile of {here} and {there} says {out!r}", out.splitlines() == said)


def kmer_key(text, is_canonical):
    """The key of a k-mer, as docs/kmers.md defines it."""
    def of(bases):
        digits = ["ACGT".index(base) for base in bases]
        key = 0
        for digit in digits:
            key = key * 4 + digit if len(bases) <= 32 else \
                (key * 0x13C6EF372FE94F82 + digit + 1) % (2 ** 61 - 1)
        return key
    other = text[::-1].translate(str.maketrans("ACGT", "TGCA"))
    return min(of(text), of(other)) if is_canonical else of(text)


def check_kmers(build):
    """The keys and hashes in docs/kmers.md are right, and those of the tool's indexes."""
    rows = re.findall(r"^\| `([ACGT]+)` \| (\w+) \| `(\w+)` \| `(\w+)` \|$",
                      read("docs/kmers.md"), re.M)
    expect("docs/kmers.md shows no keys", len(rows) > 5)
    for text, strand, key, hashed in rows:
        said = kmer_key(text, strand == "canonical")
        expect(f"{text}: the {strand} key is {said:016x}, not {key}", f"{said:016x}" == key)
        said = xxh.xxh3_64(said.to_bytes(8, "little"), 0)
        expect(f"{text}: the {strand} hash is {said:016x}, not {hashed}", f"{said:016x}" == hashed)
    bases = "".join("ACGT"[xxh.xxh64(bytes([i % 256, i // 256]), 0) % 4] for i in range(600))
    for k, strand in [(5, "forward"), (31, "canonical"), (32, "canonical"), (33, "canonical"),
                      (33, "forward"), (200, "canonical")]:
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "g.fa"), "w", encoding="ascii") as file:
                file.write(f">g\n{bases}\n")
            options = ["--forward"] if strand == "forward" else []
            run(build, "bin/ninho", "kmer", "build", "g.ninho", "-k", str(k), "--kind", "blocked",
                "--fpr", "0.001", *options, "g.fa", folder=folder)
            with open(os.path.join(folder, "g.ninho"), "rb") as file:
                index = reader.Filter(file.read())
        expect(f"the index says {index.meta}",
               index.meta == {b"kmer.k": str(k).encode(), b"kmer.strand": strand.encode()})
        for at in range(len(bases) - k + 1):
            key = kmer_key(bases[at:at + k], strand == "canonical")
            expect(f"the index of {strand} {k}-mers does not hold the one at {at}",
                   index.has(key.to_bytes(8, "little")))


def check_screen(build):
    """The program in docs/kmers.md is examples/screen.c, and screens."""
    expect("docs/kmers.md does not show examples/screen.c as it is",
           "```c file=screen.c\n" + read("examples/screen.c") + "```\n" in read("docs/kmers.md"))
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "g.fa"), "w", encoding="ascii") as file:
            file.write(">g\nGATTACAGATTACACATTAGCCGG\n")
        run(build, "bin/ninho", "kmer", "build", "g.ninho", "-k", "11", "g.fa", folder=folder)
        out = run(build, "examples/screen", "g.ninho", "g.fa", folder=folder)
    expect(f"screen says {out!r}", out == "g: 14 of 14 k-mers\n")


def anchors(text):
    """The names that headings can be linked under."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    for heading in re.findall(r"^#+ (.+)$", text, re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def check_links():
    """Links inside the tree lead somewhere."""
    pages = ["README.md", "CHANGELOG.md"]
    pages += ["docs/" + name for name in sorted(os.listdir(os.path.join(TOP, "docs")))
              if name.endswith(".md")]
    for page in pages:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", read(page), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            expect(f"{page}: {target} leads nowhere", os.path.exists(os.path.join(TOP, path)))
            if anchor and path.endswith(".md") and os.path.exists(os.path.join(TOP, path)):
                expect(f"{page}: {target}: no such heading", anchor in anchors(read(path)))


def main():
    build = sys.argv[1]
    check_vectors(build)
    check_pictures(build)
    check_embed(build)
    check_forget(build)
    check_hyphenate(build)
    check_kmers(build)
    check_screen(build)
    check_reconcile(build)
    check_links()
    for problem in problems:
        print(f"docs: {problem}", file=sys.stderr)
    return 1 if problems else 0


sys.exit(main())
