# SPDX-License-Identifier: MIT
"""Faults: every command of the tool while memory, disk, descriptors or patience run out.

Each command, and each call of the library that has to do with files, is run again and again with its
n-th call of some kind failing (preload/shim.h). Whatever happens: it succeeds as usual, or it says why
in one line and exits with 2; the file it writes is the old one or the new one, whole; and nothing
else is left in the folder. From NINHO_TEST_SCALE=1000 on every n is tried, as `make soak` does; below,
the first and the last ones and some between them."""

import os
import pathlib
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
import unittest

from folder import (COMMANDS, COMMANDS_AND_CALLS, INJECT, KEYS, MORE, SEVERAL, STORE, TOOL, Folder,
                    run)

TRIES_EVERYTHING = int(os.environ.get("NINHO_TEST_SCALE") or 100) >= 1000
MOST_TRIES = 4  # of one call failing in one way in one command

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
    "stat": ["EIO"],
    "mode": ["EPERM", "EIO", "kill"],
    "owner": ["EPERM", "EIO"],
    "lock": ["ENOLCK", "EINTR", "kill"],
    "list": ["EIO", "ENOSPC", "kill"],
    "seek": ["EIO"],
    "entropy": ["EIO"],
}


@unittest.skipUnless(INJECT.exists(), "the library that injects faults is not in this build")
class Injected(Folder):
    """Each command under each fault. Where `is_named`, no file is without a name while it is written, as
    on file systems that cannot do otherwise."""

    is_named = False
    n_reached = 0  # in all tests
    known = {}  # what is usual, of each command: the same in every test

    @classmethod
    def tearDownClass(cls):
        print(f"{cls.n_reached} faults", file=sys.stderr)

    def shim(self, **wishes):
        names = {"NINHO_INJECT_NAMED": "1"} if self.is_named else {}
        return {"LD_PRELOAD": str(INJECT), **names, **wishes}

    def run_command(self, command, **wishes):
        """One of COMMANDS. Where a pair of programs talks, the faults are the second one's."""
        arguments, _, stdin = command
        if "{shim}" not in arguments:
            return run(arguments, self.folder, stdin, **self.shim(**wishes))
        shim = " ".join(f"{name}={value}" for name, value in self.shim(**wishes).items())
        return run(arguments.replace("{shim}", shim), self.folder, stdin)

    def usual(self, command):
        """How a command ends without a fault, what it has written, and how often it makes each call."""
        key = (command[0], self.is_named)
        if key not in self.known:
            counts = pathlib.Path(self.holder.name, "counts")
            self.restore()
            result = self.run_command(command, NINHO_INJECT_COUNTS=str(counts))
            self.assertIn(result.returncode, (0, 1), result)
            self.known[key] = (result, self.content().get(command[1]), {
                call: int(n) for call, n in map(str.split, counts.read_text().splitlines())})
        return self.known[key]

    def numbers(self, n_calls):
        """Which of so many calls are to fail: all, or the first and last and some between."""
        if TRIES_EVERYTHING or n_calls <= MOST_TRIES:
            return range(1, n_calls + 1)
        return [1 + i * (n_calls - 1) // (MOST_TRIES - 1) for i in range(MOST_TRIES)]

    def leftovers(self, arguments, call, how):
        """How many files a signal may leave. One without a name vanishes with its process; from link to
        rename it has one, and only SIGKILL comes between. One that has a name from the beginning is
        taken away by the tool's own handler; the library does not listen."""
        if how == "kill":
            return int(self.is_named or call in ("close", "rename") or not self.has_unnamed_files())
        return int(how == "term" and self.is_named and arguments.startswith("call "))

    def check_end(self, result, usual, how, is_pair):
        """Answers whether it ended as it usually does."""
        if result.returncode == usual.returncode and how != "kill":
            self.assertEqual(result.stdout, usual.stdout)
            return True
        if is_pair:  # one line for each of the two
            self.assertEqual(result.returncode, 2, result)
            self.assertIn(result.stderr.count(b"\n"), (1, 2), result)
        elif how == "kill":
            self.assertEqual(result.returncode, -signal.SIGKILL, result)
        elif how == "term":
            self.assertIn(result.returncode, (-signal.SIGTERM, 128 + signal.SIGTERM), result)
        else:
            self.check_error(result)
        return False

    def one_fault(self, command, call, how, n_calls, usual, check):
        log = pathlib.Path(self.holder.name, "log")
        n_reached = 0
        for n in self.numbers(n_calls):
            self.restore()
            log.unlink(missing_ok=True)
            fault = f"{call}:{n}:{how}"
            with self.subTest(command=command[0], fault=fault):
                result = self.run_command(command, NINHO_INJECT=fault, NINHO_INJECT_LOG=str(log))
                # With threads a call may come in one run and not in another.
                is_reached = log.exists()
                n_reached += is_reached
                is_usual = self.check_end(result, usual, how if is_reached else None,
                                          "{shim}" in command[0])
                check(is_usual, self.leftovers(command[0], call, how))
                if not is_reached or how in ("short", "EINTR"):
                    self.assertTrue(is_usual, result)
        return n_reached

    def all_faults(self, commands, calls, check=None):
        reached = 0
        for command in commands:
            usual, good, counts = self.usual(command)

            def whole(is_usual, leftovers, target=command[1], good=good):
                self.check_folder(target, good, leftovers)
                if is_usual:
                    self.assertEqual(self.content().get(target), good)
            for call in calls:
                for how in FAULTS[call]:
                    reached += self.one_fault(command, call, how, counts[call], usual,
                                              check or whole)
        self.restore()
        Injected.n_reached += reached
        return reached

    def test_every_fault_is_understood(self):
        broken = run("plan --capacity 1 --fpr 0.5", self.folder, LD_PRELOAD=str(INJECT),
                     NINHO_INJECT="nonsense:1:EIO")
        self.assertEqual(broken.returncode, -signal.SIGABRT)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_owner(self):
        arguments, target, stdin = COMMANDS["add"]
        for owner in ((1000, 0), (0, 1001)):
            os.chown(self.folder / target, *owner)
            command = (f"{arguments} --threads 1", target, stdin)
            self.known.pop((command[0], False), None)
            self.assertGreater(self.all_faults([command], ["owner"]), 0)
            self.restore()

    def test_the_other_side_of_an_exchange(self):
        command = (f"diff --both keys 'exec:env {{shim}} {shlex.quote(str(TOOL))} serve-set more "
                   "--output new.answer'", "new.answer", b"")
        calls = [call for call in FAULTS if call not in ("owner", "lock")]
        self.assertGreater(self.all_faults([command], calls), 100 if TRIES_EVERYTHING else 50)

    def test_several_files(self):
        arguments, targets, stdin = SEVERAL
        run(arguments, self.folder, stdin)
        good = self.content()
        self.assertTrue(all(good[target] for target in targets))

        def whole(is_usual, leftovers):
            now = self.content()
            self.assertLessEqual(len(set(now) - set(good)), leftovers)
            for name, data in now.items():
                self.assertEqual(data, good.get(name, data))
            self.assertTrue(now == good or not is_usual)
        calls = [call for call in FAULTS if call not in ("owner", "lock", "mode", "list")]
        self.assertGreater(self.all_faults([SEVERAL], calls, whole), 50)

    def test_the_persistent_exceptions(self):
        self.make_store()
        for command in STORE.values():
            target = command[1]
            self.restore()
            old = self.ask_store(target)
            self.restore()
            self.run_command(command)
            new = self.ask_store(target)

            def whole(is_usual, leftovers, target=target, old=old, new=new):
                now = self.content()
                self.assertLessEqual(len(set(now) - set(self.before) - {target}), leftovers)
                self.check_store(target, new if is_usual else old, new)
            self.assertGreater(self.all_faults([command], FAULTS, whole), 50)

    def test_no_file_is_without_a_name(self):
        self.is_named = True
        calls = ["write", "fsync", "rename", "close", "open", "mode"]
        commands = [command for command in COMMANDS_AND_CALLS.values() if command[1]]
        self.assertGreater(self.all_faults(commands, calls), 500)


def _test_of(call):
    return lambda self: self.assertGreater(
        self.all_faults(COMMANDS_AND_CALLS.values(), [call]), 0, "no command ever made that call")


for _call in FAULTS:
    if _call != "owner":
        setattr(Injected, f"test_{_call}", _test_of(_call))


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
