#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ninho diff` and `ninho common` between two processes: the answers beside comm's, the bytes as
a relay on the wire counts them, and peers that break, lie or fall silent.

NINHO_BINARY_DIR is the build. Files have NINHO_SETS_LINES lines, 200,000 if that is not set (the
promises are for a million: make test-extra), or as many percent of that as NINHO_TEST_SCALE says."""

import base64
import concurrent.futures
import json
import os
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
NINHO = pathlib.Path(os.environ.get("NINHO_BINARY_DIR", "build/dev")).resolve() / "bin" / "ninho"
SCALE = int(os.environ.get("NINHO_TEST_SCALE") or 100)
N_LINES = max(10_000, int(os.environ.get("NINHO_SETS_LINES") or 200_000) * min(SCALE, 100) // 100)
PYTHON = shlex.quote(sys.executable) + " -IS"  # isolated: it starts in two thirds of the time
RELAY = f"{PYTHON} {shlex.quote(str(HERE / 'relay.py'))}"
HOSTILE = f"{PYTHON} {shlex.quote(str(HERE / 'hostile.py'))}"
IS_SANITIZED = b"__asan_init" in NINHO.read_bytes()


def random_lines(n, seed):
    """n lines of 16 random characters."""
    text = base64.b64encode(random.Random(seed).randbytes(12 * n))
    return [text[i:i + 16] for i in range(0, 16 * n, 16)]


def at_once(what, *arguments):
    """Runs what(argument) for each, at the same time: for what waits more than it works."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(what, *arguments))


def write_lines(path, lines):
    path.write_bytes(b"".join(line + b"\n" for line in lines))


class Folder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="ninho-sets-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.here, self.there = self.folder / "here", self.folder / "there"

    def run_ninho(self, verb, *options, peer=None, timeout=120, **how):
        """Runs it; `peer` is a command."""
        target = f"exec:{peer}" if peer else "there"
        return subprocess.run([str(NINHO), verb, *options, "here", target], cwd=self.folder,
                              capture_output=True, timeout=timeout, check=False, **how)

    def serve(self, *options):
        return " ".join([shlex.quote(str(NINHO)), "serve-set", "there", *options])

    def relayed(self, *options, serve=()):
        return f"{RELAY} --log log {' '.join(options)} {self.serve(*serve)}"

    def log(self):
        return json.loads((self.folder / "log").read_text())

    def comm(self, columns):
        """What comm prints of the two files, sorted without copies."""
        script = f"comm {columns} <(sort -u here) <(sort -u there)"
        return subprocess.run(["bash", "-c", script], cwd=self.folder, check=True,
                              env=dict(os.environ, LC_ALL="C"), stdout=subprocess.PIPE).stdout

    def refused(self, result, said, lines=1):
        """Exit status 2, no output, one line that says why. (A peer that is a ninho may have said
        something before: then there are up to two.)"""
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, b"", result)
        errors = result.stderr.decode().splitlines()
        self.assertIn(len(errors), range(1, lines + 1), errors)
        self.assertTrue(all(line.startswith("ninho: ") for line in errors), errors)
        self.assertRegex(errors[-1], said)


class Difference(Folder):
    """The promises in bytes and round trips, and answers that are comm's."""

    @classmethod
    def setUpClass(cls):
        cls.lines = random_lines(N_LINES + 220_000 * N_LINES // 1_000_000 + 20, 7)

    def differ(self, n_here, n_there, *options):
        """Files of N_LINES lines of which so many are only on one side. Returns the numbers of
        the wire and those of the tool."""
        common = self.lines[:N_LINES - n_here]
        rest = self.lines[N_LINES - n_here:]
        write_lines(self.here, common + rest[:n_here])
        write_lines(self.there, (common + rest[n_here:n_here + n_there])[::-1])
        result = self.run_ninho("diff", "--json", *options, peer=self.relayed())
        self.assertEqual(result.stderr, b"")
        self.assertEqual(result.returncode, 1 if n_here + n_there else 0, result)
        log, told = self.log(), json.loads(result.stdout)
        self.assertEqual(list(told), ["rounds", "bytes_sent", "bytes_received", "only_here",
                                      "only_there", "method", "exact"])
        self.assertEqual((told["bytes_sent"], told["bytes_received"]), (log["up"], log["down"]))
        self.assertEqual((told["only_here"], told["only_there"]), (n_here, n_there))
        self.assertIs(told["exact"], True)
        self.assertEqual(told["rounds"], log["turns"] - 1)
        return log, told

    def same_as_comm(self, *options):
        result = self.run_ninho("diff", *options, peer=self.serve())
        self.assertEqual(result.stderr, b"")
        self.assertEqual(result.stdout, self.comm("-3"))

    def test_a_thousand_lines_take_40_bytes_each_in_three_rounds(self):
        log, _ = self.differ(500, 500)
        self.assertLessEqual(log["up"] + log["down"], 40 * 1000, log)
        self.assertLessEqual(log["turns"] - 1, 3, log)
        self.same_as_comm()

    def test_ten_lines_take_less_than_2_KB(self):
        for n_here, n_there in (10, 0), (0, 10), (5, 5):
            log, _ = self.differ(n_here, n_there)
            self.assertLess(log["up"] + log["down"], 2000, log)
        self.same_as_comm()

    def test_one_line_in_ten_takes_38_bytes_each(self):
        n = N_LINES // 20
        log, _ = self.differ(n, n)
        self.assertLessEqual(log["up"] + log["down"], 38 * 2 * n, log)
        self.same_as_comm()

    def test_equal_sets_take_less_than_1_KB(self):
        log, told = self.differ(0, 0)
        self.assertLess(log["up"] + log["down"], 1000, log)
        self.assertEqual(told["rounds"], 0)


class Common(Folder):
    def compare(self, n_small, n_large, n_common):
        """Returns the numbers of the wire and the bytes of the smaller file."""
        text = random_lines(7 * (n_small + n_large), 11)
        lines = [b"".join(text[i:i + 7])[:100] for i in range(0, len(text), 7)]
        write_lines(self.here, lines[:n_small])
        write_lines(self.there, lines[n_small - n_common:n_small - n_common + n_large])
        result = self.run_ninho("common", peer=self.relayed())
        self.assertEqual((result.returncode, result.stderr), (0 if n_common else 1, b""))
        self.assertEqual(result.stdout, self.comm("-12"))
        self.assertEqual(result.stdout.count(b"\n"), n_common)
        return self.log(), self.here.stat().st_size

    def test_few_common_lines_take_a_twentieth_of_the_smaller_file(self):
        n = N_LINES // 100
        log, size = self.compare(n, 20 * n, n // 50)
        self.assertLessEqual(20 * (log["up"] + log["down"]), size, log)

    def test_half_in_common(self):
        n = N_LINES // 100
        log, size = self.compare(n, 20 * n, n // 2)
        self.assertLess(5 * (log["up"] + log["down"]), size, log)

    def test_the_larger_set_may_be_here(self):
        n = N_LINES // 100
        text = random_lines(5 * n, 13)
        write_lines(self.here, text[:4 * n])
        write_lines(self.there, text[3 * n:])
        for peer in (None, self.serve()):
            result = self.run_ninho("common", peer=peer)
            self.assertEqual(result.stdout, self.comm("-12"))
            self.assertEqual(result.stderr, b"")


class Answers(Folder):
    """Sets of all sorts, through a pipe and within the process, by each method."""

    def check(self, here, there, *options):
        self.here.write_bytes(here)
        self.there.write_bytes(there)
        difference, common = self.comm("-3"), self.comm("-12")
        for peer in (None, self.serve()):
            for method in ("auto", "sketch", "list"):
                result = self.run_ninho("diff", "--method", method, *options, peer=peer)
                self.assertEqual(result.stderr, b"")
                self.assertEqual(result.stdout, difference)
                self.assertEqual(result.returncode, 1 if difference else 0)
            result = self.run_ninho("diff", "--method=bloom", "--exact", *options, peer=peer)
            self.assertEqual((result.stderr, result.stdout), (b"", difference))
            result = self.run_ninho("common", *options, peer=peer)
            self.assertEqual((result.stderr, result.stdout), (b"", common))
            self.assertEqual(result.returncode, 0 if common else 1)

    def test_empty_sets(self):
        self.check(b"", b"")
        self.check(b"a\nb\n", b"")
        self.check(b"", b"a\nb\n")

    def test_empty_lines_and_missing_newlines(self):
        self.check(b"\n", b"")
        self.check(b"\n\na", b"a\n")
        self.check(b"a", b"\n")

    def test_copies_count_once(self):
        self.check(b"a\na\nb\n" * 1000, b"b\nc\nc\n")

    def test_any_bytes(self):
        self.check(b"\x00\n\xff\xfe\n\xc3\x28\n \n\ttab\n\r\n", b"\x00\x00\n\xff\xfe\n\ttab\r\n")

    def test_nothing_in_common(self):
        self.check(b"".join(b"a%d\n" % i for i in range(3000)),
                   b"".join(b"b%d\n" % i for i in range(2000)))

    def test_long_lines(self):
        self.check(b"x" * 2**20 + b"\ny\n", b"x" * (2**20 - 1) + b"\ny\n" + b"z" * 100_000)

    def test_random_pairs(self):
        r = random.Random(17)
        for _ in range(4):
            pool = [b"%x\n" % r.getrandbits(r.choice((8, 16, 64))) for _ in range(5000)]
            a, b = r.randrange(5000), r.randrange(5000)
            self.check(b"".join(pool[:a]), b"".join(r.sample(pool, b)))

    def test_nul_ends_lines(self):
        self.here.write_bytes(b"a\nb\0c\0")
        self.there.write_bytes(b"c\0d\0")
        for peer in (None, self.serve("-0")):
            result = self.run_ninho("diff", "-0", peer=peer)
            self.assertEqual(result.stdout, b"a\nb\0\td\0")

    def test_both_learn_it(self):
        lines = random_lines(2000, 3)
        write_lines(self.here, lines[:1500])
        write_lines(self.there, lines[400:])
        for method in ("auto", "sketch", "list"):
            result = self.run_ninho("diff", "--both", "--method", method,
                                    peer=self.serve("--output", "answer"))
            self.assertEqual((result.returncode, result.stderr), (1, b""))
            self.assertEqual(result.stdout, self.comm("-3"))
            answer = (self.folder / "answer").read_bytes().splitlines()
            mirrored = {line[1:] if line[:1] == b"\t" else b"\t" + line
                        for line in result.stdout.splitlines()}
            self.assertEqual(set(answer), mirrored)
            self.assertEqual(len(answer), len(mirrored))

    def test_the_server_is_not_told_unasked(self):
        write_lines(self.here, [b"a", b"b"])
        write_lines(self.there, [b"b", b"c"])
        result = self.run_ninho("diff", peer=self.serve("--output", "answer"))
        self.refused(result, "ended with exit status 2 after the exchange", lines=2)
        self.assertFalse((self.folder / "answer").exists())

    def test_bloom_says_what_it_may_miss(self):
        lines = random_lines(40_000, 5)
        write_lines(self.here, lines[:20_000])
        write_lines(self.there, lines[10_000:])
        whole = set(self.comm("-3").splitlines())
        result = self.run_ninho("diff", "--method", "bloom", "--fpr", "0.1", peer=self.serve())
        found = set(result.stdout.splitlines())
        self.assertLess(found, whole)
        # 30,000 lines, a tenth missed: 3,000, give or take 10 deviations.
        self.assertLess(abs(len(whole) - len(found) - 3000), 600)
        self.assertRegex(result.stderr.decode(), r"ninho: exec:.*: the difference is not complete: "
                                                 r"filters miss about 0\.1 of it")
        self.assertEqual(result.returncode, 1)
        told = json.loads(self.run_ninho("diff", "--method", "bloom", "--json").stdout)
        self.assertEqual((told["method"], told["exact"]), ("bloom", False))


class Faults(Folder):
    """Peers that are not what they should be."""

    def setUp(self):
        super().setUp()
        self.lines = random_lines(6000, 23)
        write_lines(self.here, self.lines[:5000])
        write_lines(self.there, self.lines[1000:])

    def limited(self, kib=400_000):
        """Little memory for the process, where the build allows that to be asked."""
        if IS_SANITIZED:
            return {}
        import resource
        return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                         (kib * 1024, kib * 1024))}

    def hostile(self, manner, said, verb="diff", seconds=20, **how):
        result = self.run_ninho(verb, "--timeout", str(seconds), peer=f"exec {HOSTILE} {manner}",
                                **how)
        self.refused(result, said)

    def test_another_version(self):
        self.hostile("version", "version 2")

    def test_no_ninho(self):
        for manner in ("text", "garbage", "zeros"):
            self.hostile(manner, "does not speak the protocol of ninho")

    def test_a_frame_of_4_GiB(self):
        for verb in ("diff", "common"):
            self.hostile("length", "announces 256 MiB or more", verb=verb, **self.limited())
            self.hostile("lengths", "announces 256 MiB or more", verb=verb)

    def test_endless_output(self):
        self.hostile("endless", "first frame is no greeting", **self.limited())
        self.hostile("zeros", "does not speak the protocol", **self.limited())

    def test_silence(self):
        at_once(lambda manner: self.hostile(manner, "--timeout", seconds=1), ["silent", "deaf"])

    def test_a_slow_drip(self):
        start = time.monotonic()
        self.hostile("drip", "--timeout", seconds=2)
        self.assertLess(time.monotonic() - start, 30)  # it goes on for a minute

    def test_death(self):
        self.hostile("dies", "ended in the middle of a frame")
        self.hostile("killed", "signal 9")

    def test_another_key(self):
        (self.folder / "key").write_text("00112233445566778899aabbccddeeff\n")
        (self.folder / "other").write_text("00112233445566778899aabbccddeefe\n")
        for mine, theirs in (["key", "other"], ["key", None], [None, "key"]):
            result = self.run_ninho("diff", *(["--key-file", mine] if mine else []),
                                    peer=self.serve(*(["--key-file", theirs] if theirs else [])))
            self.refused(result, "key|secret", lines=2)
        result = self.run_ninho("diff", "--key-file", "key", peer=self.serve("--key-file", "key"))
        self.assertEqual((result.returncode, result.stdout), (1, self.comm("-3")))

    def test_replayed_answers(self):
        for key in ([], ["--key-file", "key"]):
            (self.folder / "key").write_text("00112233445566778899aabbccddeeff\n")
            result = self.run_ninho("diff", *key, peer=self.relayed("--record said", serve=key))
            self.assertEqual(result.returncode, 1, result)
            replayed = self.run_ninho("diff", *key, "--timeout", "20",
                                      peer=f"{HOSTILE} replay said")
            self.refused(replayed, "from another talk")

    def harm(self, manner, direction, said):
        """A relay that does harm at one byte or another: no answer, or, where the exchange was
        shorter than that this time, the right one. (Every byte of an exchange has its turn in
        tests/apps/sets/faults_test.c: here it is about processes.)"""
        self.run_ninho("diff", peer=self.relayed())
        n = self.log()[direction]
        n_refused = 0
        for at in (0, 7, 9, 30, n // 3, n // 2, n - 1):
            peer = self.relayed(f"--{manner}-{direction} {at}") + " 2>/dev/null"
            # A length that was flipped may leave both waiting.
            seconds = "1" if manner == "flip" else "20"
            result = self.run_ninho("diff", "--timeout", seconds, peer=peer)
            if result.returncode == 1 and self.log()[direction] <= at:
                self.assertEqual(result.stdout, self.comm("-3"))
                continue
            self.refused(result, said)
            n_refused += 1
        self.assertGreater(n_refused, 4)

    def test_cut_on_the_way_down(self):
        self.harm("cut", "down", "before the exchange was over|stream ended")

    def test_cut_on_the_way_up(self):
        self.harm("cut", "up", "the exchange|stream ended|gave up")

    def test_a_bit_flipped_on_the_way_down(self):
        self.harm("flip", "down", "peer|timeout")

    def test_a_bit_flipped_on_the_way_up(self):
        # What the peer complains of may come when all seems over here: then it is more than the exchange.
        self.harm("flip", "up", "peer|timeout|exit status 2|more than the exchange")

    def test_chunks_do_not_matter(self):
        for chunk in (1, 7, 4096):
            for verb, columns in ("diff", "-3"), ("common", "-12"):
                result = self.run_ninho(verb, peer=self.relayed(f"--chunk {chunk}"))
                self.assertEqual((result.stderr, result.stdout), (b"", self.comm(columns)))

    def test_more_than_the_exchange(self):
        result = self.run_ninho("diff", peer=self.relayed("--extra x"))
        self.refused(result, "more")

    def test_a_peer_that_needs_more_memory_than_it_may(self):
        result = self.run_ninho("diff", "--method", "list", "--max-memory", "10k",
                                peer=self.serve())
        self.refused(result, "take more than 10000 bytes, the limit", lines=2)


INJECT = NINHO.parent.parent / "tests" / "ninho_inject.so"


@unittest.skipUnless(INJECT.exists(), "the library that injects faults is not in this build")
class Injected(Folder):
    """One side whose n-th call of some kind fails, for every n (tests/fault/preload/inject.c)."""

    def setUp(self):
        super().setUp()
        lines = random_lines(300, 37)
        write_lines(self.here, lines[:250])
        write_lines(self.there, lines[50:])
        (self.folder / "ninho").symlink_to(NINHO)

    def inject(self, fault, side):
        """Runs diff with the fault in one side. Returns whether it was reached, and the result."""
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        setting = f"env LD_PRELOAD={INJECT} NINHO_INJECT={fault} NINHO_INJECT_LOG=log"
        there = "./ninho serve-set there 2>/dev/null"
        if side == "there":
            command = ["./ninho", "diff", "--timeout", "5", "here", f"exec:{setting} {there}"]
        else:
            there = "env -u LD_PRELOAD -u NINHO_INJECT " + there
            command = [*setting.split(), "./ninho", "diff", "--timeout", "5", "here",
                       f"exec:{there}"]
        result = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=60,
                                check=False)
        return log.exists(), result

    def every(self, call, manners, sides=("here", "there")):
        answer = self.comm("-3")
        for side in sides:
            for how in manners:
                n, reached = 1, True
                while reached:
                    with self.subTest(side=side, fault=f"{call}:{n}:{how}"):
                        reached, result = self.inject(f"{call}:{n}:{how}", side)
                        # A shell between the two may have failed too, and said so.
                        if result.returncode == 1:
                            self.assertEqual(result.stdout, answer)
                        else:
                            self.assertEqual((result.returncode, result.stdout), (2, b""), result)
                            self.assertIn(b"ninho: ", result.stderr)
                    n += 1
                self.assertGreater(n, 2, "that call was never made")

    def test_memory(self):
        self.every("memory", ["ENOMEM"])

    def test_read(self):
        self.every("read", ["EIO", "EINTR", "short"])

    def test_write(self):
        self.every("write", ["EIO", "EINTR", "short"], sides=["here"])


class Commands(Folder):
    """The command of exec: how it ends, and that it does."""

    def setUp(self):
        super().setUp()
        write_lines(self.here, [b"a", b"b"])
        write_lines(self.there, [b"b", b"c"])

    def test_its_end_is_told(self):
        for command, said in (("exit 7", "exit status 7 before"), ("true", "ended before its greeting"),
                              ("kill -9 $$", "signal 9 .* before"),
                              (self.serve() + "; exit 3", "exit status 3 after"),
                              (self.serve() + "; echo x", "more than the exchange"),
                              (self.serve() + "; sleep 0.2; echo x", "more than the exchange")):
            self.refused(self.run_ninho("diff", peer=command), said)
        result = self.run_ninho("diff", peer="no-such-command-anywhere")
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertIn(b"ended with exit status 127 before", result.stderr)

    def test_what_it_leaves_behind_is_not_waited_for(self):
        start = time.monotonic()
        result = self.run_ninho("diff", peer="sleep 20 2>/dev/null & " + self.serve())
        self.assertEqual((result.returncode, result.stdout, result.stderr), (1, b"a\n\tc\n", b""))
        self.assertLess(time.monotonic() - start, 15)

    def test_it_is_not_started_in_vain(self):
        self.here.unlink()
        result = self.run_ninho("diff", peer="touch started")
        self.refused(result, "here: cannot open")
        self.assertFalse((self.folder / "started").exists())

    def ended(self, mark):
        """No process is left that has the mark in its arguments."""
        for _ in range(50):
            found = []
            for entry in pathlib.Path("/proc").iterdir():
                try:
                    if entry.name.isdigit() and mark in (entry / "cmdline").read_bytes():
                        found.append(entry.name)
                except OSError:
                    pass
            if not found:
                return True
            time.sleep(0.05)
        return False

    def test_it_is_ended_with_the_timeout(self):
        def check(number, rest):
            result = self.run_ninho("diff", "--timeout", "1", peer=f"sleep {number}{rest}")
            self.refused(result, "--timeout")
            self.assertTrue(self.ended(number.encode()))

        at_once(check, ["71001", "71002", "71003"], ["", "; true", " | cat"])

    def test_it_is_ended_by_interrupts(self):
        for i, number in enumerate((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)):
            mark = str(72001 + i)
            process = subprocess.Popen(
                [str(NINHO), "diff", "here", f"exec:touch started{i}; sleep {mark}; true"],
                cwd=self.folder, start_new_session=True)
            while not (self.folder / f"started{i}").exists():
                time.sleep(0.02)
            process.send_signal(number)
            self.assertEqual(process.wait(20), -number)
            self.assertTrue(self.ended(mark.encode()))

    def test_one_that_will_not_end_is_ended(self):
        peer = "trap '' TERM; " + self.serve() + "; exec >&-; sleep 73001 & wait; sleep 73001"
        self.refused(self.run_ninho("diff", "--timeout", "1", peer=peer), "does not end")
        self.assertTrue(self.ended(b"73001"))

    def test_callers_that_are_none(self):
        """What hostile.py says, to a server."""
        for manner, said in (("text", "does not speak"), ("garbage", "does not speak"),
                             ("zeros", "does not speak"), ("lengths", "announces 256 MiB or more"),
                             ("version", "version 2"), ("endless", "first frame is no greeting"),
                             ("dies", "ended in the middle of a frame")):
            script = (f"ulimit -v 400000; {HOSTILE} {manner} < /dev/null 2>/dev/null | "
                      f"{self.serve()} > /dev/null; exit ${{PIPESTATUS[1]}}")
            if IS_SANITIZED:
                script = script.replace("ulimit -v 400000; ", "")
            result = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True,
                                    timeout=20, check=False)
            self.assertEqual(result.returncode, 2, (manner, result))
            self.assertRegex(result.stderr.decode(), rf"^ninho: the caller: [^\n]*{said}[^\n]*\n$")

    def test_a_caller_that_dies(self):
        write_lines(self.there, random_lines(5000, 2))
        server = subprocess.Popen([str(NINHO), "serve-set", "there"], cwd=self.folder,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        out, errors = server.communicate(b"ninho-s\x01\x01\x50abc", timeout=20)
        self.assertEqual(server.returncode, 2)
        self.assertRegex(errors.decode(), r"^ninho: the caller: [^\n]*\n$")
        server = subprocess.Popen([str(NINHO), "serve-set", "there", "--timeout", "1"],
                                  cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        self.assertEqual(server.wait(20), 2)
        self.assertRegex(server.stderr.read().decode(), r"^ninho: the caller: .*--timeout")
        for pipe in (server.stdin, server.stdout, server.stderr):
            pipe.close()


if __name__ == "__main__":
    unittest.main(verbosity=1)
