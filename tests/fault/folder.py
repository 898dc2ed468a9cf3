# SPDX-License-Identifier: MIT
"""What the tests of this folder share: commands that write, and a folder for them to write in."""

import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ.get("NINHO_BINARY_DIR", "build/dev")).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
TOOL = BUILD / "bin" / "ninho"
CALLS_TOOL = BUILD / "tests" / "ninho_calls"
INJECT = BUILD / "tests" / "ninho_inject.so"

KEYS = b"".join(b"key %d\n" % i for i in range(300))
MORE = b"".join(b"more %d\n" % i for i in range(200))
GENOME = b">genome\n" + b"".join(
    b"".join(b"%c" % b"ACGT"[(i * i * 7 + i // 3 + i * j) % 4] for i in range(60)) + b"\n"
    for j in range(20))
READS = b"".join(b"@read%d\n%b\n+\n%b\n" % (i, GENOME[8 + 61 * i:68 + 61 * i], b"I" * 60)
                 for i in range(20))
PATTERNS = b"1na n2at 1tio 2io o2n 1bl 1le hen5at hy3ph\n"
WORDS = b"hyphenation\ntable\nnation\npresent\n"
LISTED = b"hyphe-nation\nta-ble\npre-sent\n"
HYPHENATE = "hyphenate --words --patterns small.pat.txt"

# name: (arguments, the file it writes or None, standard input)
COMMANDS = {
    "create": ("create new.ninho --capacity 1000", "new.ninho", b""),
    "create, replacing": ("create bloom.ninho --capacity 1000", "bloom.ninho", b""),
    "build": ("build new.ninho keys", "new.ninho", b""),
    "build, replacing": ("build bloom.ninho --kind blocked keys more", "bloom.ninho", b""),
    "build, streaming": ("build new.ninho --capacity 500 --stats", "new.ninho", KEYS),
    "build, one thread": ("build new.ninho --threads 1 --kind counting keys", "new.ninho", b""),
    "build, growing": ("build new.ninho --kind scalable --capacity 9 keys", "new.ninho", b""),
    "build, keyed": ("build new.ninho --hash siphash --key-file secret keys", "new.ninho", b""),
    "build, metadata": ("build new.ninho --meta a=b --meta c=d keys", "new.ninho", b""),
    "add": ("add bloom.ninho more", "bloom.ninho", b""),
    "add, growing": ("add scalable.ninho more --json", "scalable.ninho", b""),
    "add, keyed": ("add keyed.ninho --key-file secret", "keyed.ninho", MORE),
    "remove": ("remove counting.ninho keys", "counting.ninho", b""),
    "check": ("check bloom.ninho keys more", None, b""),
    "check, one thread": ("check bloom.ninho -v --threads 1", None, MORE),
    "check, mapped": ("check scalable.ninho --mmap -c keys", None, b""),
    "check, keyed": ("check keyed.ninho --key-file secret -c keys", None, b""),
    "info": ("info counting.ninho", None, b""),
    "info, JSON": ("info scalable.ninho --json", None, b""),
    "verify": ("verify bloom.ninho counting.ninho scalable.ninho keyed.ninho", None, b""),
    "union": ("union new.ninho bloom.ninho other.ninho", "new.ninho", b""),
    "union, in place": ("union bloom.ninho bloom.ninho other.ninho", "bloom.ninho", b""),
    "plan": ("plan --capacity 1000 --fpr 0.01", None, b""),
    "kmer build": ("kmer build new.ninho -k 11 genome.fa", "new.ninho", b""),
    "kmer build, exact": ("kmer build new.ninho -k 40 --kind probe --stats", "new.ninho", GENOME),
    "kmer check": ("kmer check kmers.ninho reads.fq --include new.fq", "new.fq", b""),
    "kmer check, pairs": ("kmer check kmers.ninho --paired reads.fq mates.fq --threads 1 "
                          "--output new.tsv", "new.tsv", b""),
    "kmer stats": ("kmer stats -k 40 reads.fq", None, b""),
    "kmer compare": ("kmer compare -k 11 genome.fa reads.fq --exact", None, b""),
    "diff": ("diff keys more", None, b""),
    "diff, sketch": ("diff - keys --method sketch -1", None, KEYS[:1000] + MORE),
    "diff, bloom": ("diff keys more --method bloom --exact --both", None, b""),
    "common": ("common keys -", None, KEYS[:1000] + MORE),
    "parquet": ("parquet made.parquet", None, b""),
    "parquet, values": ("parquet made.parquet name ninho nest --json", None, b""),
    "parquet, export": ("parquet --export xxh64.ninho -o new.bloom", "new.bloom", b""),
    "cassandra": ("cassandra nb-1-big-Filter.db --keys keys", None, b""),
    "create, checked": ("create new.ninho --kind counting --checked --capacity 1000", "new.ninho", b""),
    "build, checked": ("build bloom.ninho --kind cuckoo --checked keys", "bloom.ninho", b""),
    "build, exact": ("build new.ninho --kind cuckoo-table keys", "new.ninho", b""),
    "add, checked": ("add checked.ninho more", "checked.ninho", b""),
    "add, exact": ("add dict.ninho more", "dict.ninho", b""),
    "remove, checked": ("remove checked.ninho keys", "checked.ninho", b""),
    "remove, exact": ("remove dict.ninho keys", "dict.ninho", b""),
    "union, checked": ("union checked.ninho checked.ninho also.ninho", "checked.ninho", b""),
    "verify, exact": ("verify dict.ninho checked.ninho", None, b""),
    "hyphenate": (HYPHENATE, None, WORDS),
    "hyphenate compile": ("hyphenate compile new.nhy --patterns small.pat.txt --exceptions listed",
                          "new.nhy", b""),
    "route": ("route tree --nodes 20 --fan-out 3 --svg new.svg", "new.svg", b""),
    "cassandra, writing": ("cassandra --write nb-1-big-Filter.db --keys more", "nb-1-big-Filter.db", b""),
}

# Single calls of the library (calls/calls.c), which give back all memory and descriptors besides.
CALLS = {
    "filter_save": "new.ninho", "filter_replace": "bloom.ninho", "filter_open": None,
    "filter_map": None, "dict_save": "new.ninho", "dict_open": None,
    "checked_save": "checked.ninho", "checked_open": None, "probe_file": None,
    "file_commit": "more", "file_drop": None,
}
COMMANDS_AND_CALLS = {**COMMANDS, **{f"call of {name}": (f"call {name}", target, b"")
                                     for name, target in CALLS.items()}}

# Several files: each of them is the old one or the new one.
SEVERAL = ("kmer check kmers.ninho reads.fq foreign.fq --include new.fq --exclude rest.fq --output new.tsv",
           ("new.fq", "rest.fq", "new.tsv"), b"")

# The persistent exceptions of hyphenate. They are replaced once for each word, so a fault may leave
# the first few of them: whole() says so.
STORE = {
    "store, new": (f"{HYPHENATE} --exceptions listed --store-file new.store", "new.store", WORDS),
    "store, adding": (f"{HYPHENATE} --exceptions listed --store-file old.store", "old.store", WORDS),
    "store, forgetting": (f"{HYPHENATE} --forget nation --store-file old.store", "old.store", WORDS),
}


def run(arguments, folder, stdin=b"", preexec=None, **environment):
    program, *arguments = [TOOL, *shlex.split(arguments)]
    if arguments[0] == "call":
        program = CALLS_TOOL
        del arguments[0]
    return subprocess.run([program, *arguments], cwd=folder, input=stdin,
                          capture_output=True, check=False, preexec_fn=preexec,
                          env={**os.environ, "LC_ALL": "C", **environment})


class Folder(unittest.TestCase):
    """A folder with some keys and a filter of each kind."""

    def setUp(self):
        self.holder = tempfile.TemporaryDirectory(prefix="ninho-fault-")
        self.addCleanup(self.holder.cleanup)
        self.folder = pathlib.Path(self.holder.name, "work")
        self.folder.mkdir()
        (self.folder / "keys").write_bytes(KEYS)
        (self.folder / "more").write_bytes(MORE)
        (self.folder / "genome.fa").write_bytes(GENOME)
        (self.folder / "reads.fq").write_bytes(READS)
        (self.folder / "mates.fq").write_bytes(READS)
        (self.folder / "foreign.fq").write_bytes(b"@foreign\n%b\n+\n%b\n" % (b"AC" * 30, b"I" * 60))
        shutil.copy(SOURCE / "fuzz" / "corpus" / "foreign_parquet" / "made", self.folder / "made.parquet")
        (self.folder / "small.pat.txt").write_bytes(PATTERNS)
        (self.folder / "listed").write_bytes(LISTED)
        (self.folder / "secret").write_bytes(b"00112233445566778899aabbccddeeff\n")
        for command in ("build bloom.ninho --capacity 500 keys",
                        "build other.ninho --capacity 500 more",
                        "build counting.ninho --kind counting keys",
                        "build scalable.ninho --kind scalable --capacity 50 keys",
                        "build keyed.ninho --hash siphash --key-file secret keys",
                        "build xxh64.ninho --kind blocked --hash xxh64 keys",
                        "cassandra --write nb-1-big-Filter.db --keys keys",
                        "build checked.ninho --kind quotient --capacity 800 --checked keys",
                        "build also.ninho --kind quotient --capacity 800 --checked more",
                        "build dict.ninho --kind probe keys",
                        "kmer build kmers.ninho -k 11 genome.fa"):
            self.assertEqual(run(command, self.folder).returncode, 0, command)
        self.before = self.content()

    def content(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def restore(self):
        for path in self.folder.iterdir():
            if path.name not in self.before:
                path.unlink()
        for name, data in self.before.items():
            path = self.folder / name
            if not path.exists() or path.read_bytes() != data:
                path.write_bytes(data)

    def check_error(self, result):
        """One line on standard error that begins with our name, or is an object, and exit status 2."""
        self.assertEqual(result.returncode, 2, result)
        begin = b'{"type": "error"' if "--json" in result.args else b"ninho: "
        self.assertTrue(result.stderr.startswith(begin), result)
        self.assertEqual(result.stderr.count(b"\n"), 1, result)
        self.assertTrue(result.stderr.endswith(b"\n"), result)

    def check_folder(self, target, good, leftovers=0):
        """Only the target may have changed, and only to what a good run makes of it."""
        now = self.content()
        extra = [name for name in now if name not in self.before and name != target]
        self.assertLessEqual(len(extra), leftovers, extra)
        for name in extra:
            self.assertTrue(name.startswith(f"{target}."), extra)
        for name, data in self.before.items():
            if name != target:
                self.assertEqual(now.get(name), data, name)
        if target:
            self.assertIn(now.get(target), (self.before.get(target), good), "neither old nor new")

    def has_unnamed_files(self):
        try:
            os.close(os.open(self.folder, os.O_TMPFILE | os.O_WRONLY, 0o600))
            return True
        except OSError:
            return False

    def make_store(self):
        """A store with a word of its own. Skips the test where LMDB keeps it: what LMDB does with its
        file is not ours to try."""
        (self.folder / "own").write_bytes(b"na-ti-on\n")
        made = run(f"{HYPHENATE} --exceptions own --store-file old.store", self.folder, WORDS)
        if (self.folder / "old.store-lock").exists():
            self.skipTest("LMDB keeps the exceptions")
        self.assertEqual(made.returncode, 0, made)
        self.before = self.content()

    def ask_store(self, name):
        """What the words become with what the file holds."""
        asked = run(f"{HYPHENATE} --exceptions none --store-file {name}", self.folder, WORDS)
        self.assertEqual((asked.returncode, asked.stderr), (0, b""), asked)
        return asked.stdout.splitlines()

    def check_store(self, name, old, new):
        """Whole, and of each word what the old one says or the new one."""
        now = self.ask_store(name)
        self.assertEqual(len(now), len(new))
        for i, line in enumerate(now):
            self.assertIn(line, (old[i], new[i]))
