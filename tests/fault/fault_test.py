# SPDX-License-Identifier: MIT
"""Faults: every command of the tool while memory, disk, descriptors or patience run out.

Each command is run again and again with its n-th call of some kind failing (preload/inject.c), for
every n until the fault is no longer reached. Whatever happens: it succeeds as usual, or it says why
in one line and exits with 2; the file it writes is the old one or the new one, whole; and nothing
else is left in the folder."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

BUILD = pathlib.Path(os.environ.get("NINHO_BINARY_DIR", "build/dev")).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
TOOL = BUILD / "bin" / "ninho"
INJECT = BUILD / "tests" / "ninho_inject.so"

KEYS = b"".join(b"key %d\n" % i for i in range(300))
MORE = b"".join(b"more %d\n" % i for i in range(200))
GENOME = b">genome\n" + b"".join(
    b"".join(b"%c" % b"ACGT"[(i * i * 7 + i // 3 + i * j) % 4] for i in range(60)) + b"\n"
    for j in range(20))
READS = b"".join(b"@read%d\n%b\n+\n%b\n" % (i, GENOME[8 + 61 * i:68 + 61 * i], b"I" * 60)
                 for i in range(20))

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
    "cassandra, writing": ("cassandra --write nb-1-big-Filter.db --keys more", "nb-1-big-Filter.db", b""),
}

# call: how it can fail
FAULTS = {
    "memory": ["ENOMEM"],
    "write": ["ENOSPC", "EIO", "EDQUOT", "EINTR", "short", "kill", "term"],
    "fsync": ["EIO", "ENOSPC", "kill", "term"],
    "rename": ["EIO", "EDQUOT", "kill", "term"],
    "close": ["EIO", "EDQUOT", "kill"],
    "link": ["ENOSPC", "EDQUOT", "kill", "term"],
    "open": ["EMFILE", "EIO"],
    "read": ["EIO", "EINTR", "short", "term"],
    "map": ["ENOMEM"],
    "thread": ["EAGAIN"],
}


def run(arguments, folder, stdin=b"", preexec=None, **environment):
    return subprocess.run([TOOL, *arguments.split()], cwd=folder, input=stdin,
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
        shutil.copy(SOURCE / "fuzz" / "corpus" / "foreign_parquet" / "made", self.folder / "made.parquet")
        (self.folder / "secret").write_bytes(b"00112233445566778899aabbccddeeff\n")
        for command in ("build bloom.ninho --capacity 500 keys",
                        "build other.ninho --capacity 500 more",
                        "build counting.ninho --kind counting keys",
                        "build scalable.ninho --kind scalable --capacity 50 keys",
                        "build keyed.ninho --hash siphash --key-file secret keys",
                        "build xxh64.ninho --kind blocked --hash xxh64 keys",
                        "cassandra --write nb-1-big-Filter.db --keys keys",
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
        """One line on standard error that begins with our name, and exit status 2."""
        self.assertEqual(result.returncode, 2, result)
        self.assertTrue(result.stderr.startswith(b"ninho: "), result)
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


@unittest.skipUnless(INJECT.exists(), "the library that injects faults is not in this build")
class Injected(Folder):
    def inject(self, arguments, fault, stdin):
        log = pathlib.Path(self.holder.name, "log")
        log.unlink(missing_ok=True)
        result = run(arguments, self.folder, stdin, LD_PRELOAD=str(INJECT), NINHO_INJECT=fault,
                     NINHO_INJECT_LOG=str(log))
        return result, log.exists()

    def one_fault(self, name, call, how):
        arguments, target, stdin = COMMANDS[name]
        usual = run(arguments, self.folder, stdin)
        good = self.content().get(target)
        self.assertIn(usual.returncode, (0, 1), usual)
        # A file without a name vanishes with its process; from link to rename it has one.
        leftovers = 1 if how == "kill" and (call in ("close", "rename") or
                                            not self.has_unnamed_files()) else 0
        n = 0
        while True:
            n += 1
            self.restore()
            fault = f"{call}:{n}:{how}"
            with self.subTest(command=name, fault=fault):
                result, is_reached = self.inject(arguments, fault, stdin)
                if not is_reached:
                    self.assertEqual(result.returncode, usual.returncode, result)
                    return n - 1
                self.check_folder(target, good, leftovers)
                if how == "kill":
                    self.assertEqual(result.returncode, -signal.SIGKILL, result)
                elif how == "term":
                    self.assertIn(result.returncode, (-signal.SIGTERM, 128 + signal.SIGTERM))
                elif result.returncode == usual.returncode:
                    self.assertEqual(result.stdout, usual.stdout)
                    self.assertEqual(self.content().get(target), good)
                else:
                    self.check_error(result)
                if how in ("short", "EINTR") and call in ("read", "write"):
                    self.assertEqual(result.returncode, usual.returncode, result)
            self.assertLess(n, 100_000)

    def all_commands(self, call):
        reached = 0
        for how in FAULTS[call]:
            for name in COMMANDS:
                reached += self.one_fault(name, call, how)
                self.restore()
        self.assertGreater(reached, 0, "no command ever made that call")

    def test_every_fault_is_understood(self):
        broken = run("plan --capacity 1 --fpr 0.5", self.folder, LD_PRELOAD=str(INJECT),
                     NINHO_INJECT="nonsense:1:EIO")
        self.assertEqual(broken.returncode, -signal.SIGABRT)


for _call in FAULTS:
    setattr(Injected, f"test_{_call}", lambda self, call=_call: self.all_commands(call))


class Limits(Folder):
    def limited(self, arguments, which, soft, stdin=b"", **environment):
        hard = resource.getrlimit(which)[1]
        return run(arguments, self.folder, stdin, lambda: resource.setrlimit(which, (soft, hard)),
                   **environment)

    def test_file_size_limit_is_an_error_not_a_death(self):
        for name in ("build", "add", "union", "create, replacing"):
            arguments, target, stdin = COMMANDS[name]
            for limit in (0, 1, 100, 200, 300):
                with self.subTest(command=name, limit=limit):
                    result = self.limited(arguments, resource.RLIMIT_FSIZE, limit, stdin)
                    self.check_error(result)
                    self.check_folder(target, None)

    def test_few_descriptors_are_an_error_or_enough(self):
        for name, (arguments, target, stdin) in COMMANDS.items():
            usual = run(arguments, self.folder, stdin)
            good = self.content().get(target)
            for limit in range(3, 12):
                self.restore()
                with self.subTest(command=name, limit=limit):
                    result = self.limited(arguments, resource.RLIMIT_NOFILE, limit, stdin)
                    if result.returncode == 127:  # the loader itself needs one
                        continue
                    self.check_folder(target, good)
                    if result.returncode != usual.returncode:
                        self.check_error(result)
            self.restore()

    @unittest.skipUnless(INJECT.exists(), "sanitizers need more stack and address space")
    def test_a_small_stack_is_enough(self):
        for name, (arguments, target, stdin) in COMMANDS.items():
            with self.subTest(command=name):
                usual = run(arguments, self.folder, stdin)
                good = self.content().get(target)
                self.restore()
                # A small main thread's stack, and small ones for the threads, which follow it.
                result = self.limited(arguments, resource.RLIMIT_STACK, 64 << 10, stdin)
                self.assertEqual(result.returncode, usual.returncode, result)
                self.assertEqual(result.stdout, usual.stdout)
                self.assertEqual(self.content().get(target), good)
                self.restore()

    @unittest.skipUnless(INJECT.exists(), "sanitizers need more stack and address space")
    def test_little_memory_is_an_error_before_anything_is_written(self):
        for arguments in ("create new.ninho --capacity 1e9 --fpr 0.001",
                          "build new.ninho --capacity 1e9 --fpr 0.001 keys",
                          "create bloom.ninho --kind counting --capacity 1e9"):
            with self.subTest(arguments):
                result = self.limited(arguments, resource.RLIMIT_AS, 256 << 20)
                self.check_error(result)
                self.assertRegex(result.stderr, rb"memory")
                self.check_folder(None, None)
        for limit in range(8 << 20, 200 << 20, 8 << 20):  # from too little to enough
            with self.subTest(limit=limit):
                result = self.limited("check bloom.ninho -c keys", resource.RLIMIT_AS, limit)
                if result.returncode not in (0, 127):
                    self.check_error(result)
        self.assertEqual(result.returncode, 0)


class Signals(Folder):
    def test_a_build_that_is_interrupted_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for arguments in ("build new.ninho --capacity 1000", "build bloom.ninho",
                              "add bloom.ninho", "remove counting.ninho"):
                with self.subTest(signal=number, command=arguments):
                    child = subprocess.Popen([TOOL, *arguments.split()], cwd=self.folder,
                                             stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.PIPE)
                    child.stdin.write(KEYS)
                    child.stdin.flush()  # and the pipe stays open: it waits for more
                    child.send_signal(number)
                    child.wait()
                    child.stdin.close()
                    self.assertIn(child.returncode, (-number, 128 + number))
                    self.assertLessEqual(child.stderr.read().count(b"\n"), 1)
                    child.stderr.close()
                    self.assertEqual(self.content(), self.before)


class Together(Folder):
    def start(self, arguments, stdin):
        child = subprocess.Popen([TOOL, *arguments.split()], cwd=self.folder,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        child.stdin.write(stdin)
        child.stdin.close()
        child.stdin = None
        return child

    def test_adds_at_the_same_time_lose_nothing(self):
        self.assertEqual(run("create shared.ninho --capacity 20000", self.folder).returncode, 0)
        everything = []
        for batch in range(15):
            children = []
            for writer in range(3):
                keys = b"".join(b"%d %d %d\n" % (batch, writer, i) for i in range(100))
                everything.append(keys)
                children.append(self.start("add shared.ninho", keys))
            for child in children:
                _, errors = child.communicate()
                self.assertEqual((child.returncode, errors), (0, b""))
        found = run("check shared.ninho -c", self.folder, b"".join(everything))
        self.assertEqual(found.stdout, b"%d\n" % (15 * 3 * 100))
        self.check_folder("shared.ninho", (self.folder / "shared.ninho").read_bytes())

    def test_readers_see_the_old_file_or_the_new_one(self):
        old, new = (self.folder / "bloom.ninho").read_bytes(), None
        run("add bloom.ninho more", self.folder)
        new = (self.folder / "bloom.ninho").read_bytes()
        self.assertNotEqual(old, new)
        for _ in range(15):
            shutil.copyfile(self.folder / "bloom.ninho", self.folder / "spare")
            writer = self.start("union bloom.ninho bloom.ninho other.ninho", b"")
            readers = [self.start(f"check bloom.ninho -c {how}", KEYS)
                       for how in ("", "--mmap", "--threads 1")]
            for child in readers:
                output, errors = child.communicate()
                self.assertEqual((child.returncode, output, errors), (0, b"300\n", b""))
            self.assertEqual(writer.communicate(), (b"", b""))
            self.assertEqual(writer.returncode, 0)
            (self.folder / "spare").unlink()

    def test_an_add_does_not_undo_a_build(self):
        """What was built while the add waited for its keys must not be lost in silence."""
        child = subprocess.Popen([TOOL, "add", "bloom.ninho"], cwd=self.folder,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        time.sleep(.5)  # by now it has read the file, and waits for keys
        self.assertEqual(run("build bloom.ninho more", self.folder).returncode, 0)
        built = (self.folder / "bloom.ninho").read_bytes()
        _, errors = child.communicate(b"late\n")
        if child.returncode == 2:
            self.assertRegex(errors, rb"^ninho: bloom.ninho: .*nothing was written\n$")
            self.assertEqual((self.folder / "bloom.ninho").read_bytes(), built)
        else:  # on a slow machine it may have read what was built
            self.assertEqual((child.returncode, errors), (0, b""))
            found = run("check bloom.ninho -c", self.folder, MORE + b"late\n")
            self.assertEqual(found.stdout, b"201\n")


# Every output of the tool.
OUTPUTS = {name: command for name, command in COMMANDS.items() if command[1]}
OUTPUTS["route"] = ("route tree --nodes 20 --fan-out 3 --svg new.svg", "new.svg", b"")


class Rights(Folder):
    """Who may read a file stays so when it is replaced."""

    def rights(self, name):
        status = (self.folder / name).stat()
        return status.st_uid, status.st_gid, status.st_mode & 0o7777

    def prepare(self, target, mode, owner=None):
        if target not in self.before:
            (self.folder / target).write_bytes(b"")
        os.chmod(self.folder / target, mode)
        if owner:
            os.chown(self.folder / target, *owner)
            os.chmod(self.folder / target, mode)
        return self.rights(target)

    def test_modes_survive(self):
        for name, (arguments, target, stdin) in OUTPUTS.items():
            with self.subTest(command=name):
                for mode in (0o600, 0o640):
                    before = self.prepare(target, mode)
                    result = run(arguments, self.folder, stdin)
                    self.assertIn(result.returncode, (0, 1), result)
                    self.assertEqual(self.rights(target), before)
                    self.assertNotEqual((self.folder / target).stat().st_size, 0)
                    self.restore()

    def test_links_that_lead_nowhere_are_refused(self):
        for name, (arguments, target, stdin) in OUTPUTS.items():
            if name.startswith(("add", "remove", "union, in place")):
                continue
            with self.subTest(command=name):
                (self.folder / target).unlink(missing_ok=True)
                (self.folder / target).symlink_to("nowhere")
                self.check_error(run(arguments, self.folder, stdin))
                self.assertTrue((self.folder / target).is_symlink())
                self.assertFalse((self.folder / "nowhere").exists())
                (self.folder / target).unlink()
                self.restore()

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_root_leaves_files_their_owners(self):
        for name, (arguments, target, stdin) in OUTPUTS.items():
            with self.subTest(command=name):
                before = self.prepare(target, 0o600, (1000, 1001))
                result = run(arguments, self.folder, stdin)
                self.assertIn(result.returncode, (0, 1), result)
                self.assertEqual(self.rights(target), before)
                self.restore()

    @unittest.skipUnless(os.geteuid() == 0, "only root can be somebody else")
    def test_a_member_of_the_group_does_not_take_the_file(self):
        def somebody():
            os.setgroups([])
            os.setgid(1001)
            os.setuid(1002)
        os.chmod(self.holder.name, 0o755)
        os.chmod(self.folder, 0o777)
        before = self.prepare("bloom.ninho", 0o660, (1000, 1001))
        try:
            self.assertEqual(run("info bloom.ninho", self.folder, b"", somebody).returncode, 0)
        except PermissionError:
            self.skipTest("the build folder is closed to others")
        result = run("add bloom.ninho more", self.folder, b"", somebody)
        self.check_error(result)
        self.assertRegex(result.stderr, rb"owner")
        self.assertEqual(self.rights("bloom.ninho"), before)
        self.assertEqual(self.content(), self.before)


if __name__ == "__main__":
    unittest.main()
