# SPDX-License-Identifier: MIT
"""Power loss: whenever the power goes, there is the old file or the new one.

A command runs once, and preload/record.c writes down what it does to files. That is replayed up to
each point, and the disk is then what a strict file system would have kept:

- of a file, what was there at its last fsync, and of the writes since then none, all, the first few,
  the last one alone or half of it; or the length and zeros in place of the bytes;
- of a folder, the names at its last fsync, and of the changes since then any choice.

Each such disk must hold the file as it was or as it was to be, byte for byte, and every other file as
it was. Once the command has said that it is done, only the new file will do."""

import copy
import itertools
import pathlib
import unittest

from folder import COMMANDS_AND_CALLS, INJECT, SEVERAL, STORE, Folder, run

MOST_CHANGES = 6  # of a folder since its fsync: 2^6 choices; of more, only the first few
MOST_DISKS = 400  # at one point


class File:
    """One inode: the bytes that are safe, and what was done since."""

    def __init__(self, data=b""):
        self.safe = data
        self.since = []  # (offset, bytes), or (size, None) for a new length

    def sync(self):
        self.safe = self.applied(self.since)
        self.since = []

    def applied(self, changes):
        data = bytearray(self.safe)
        for offset, written in changes:
            size = offset if written is None else max(len(data), offset + len(written))
            data.extend(bytes(max(0, size - len(data))))
            if written is None:
                del data[size:]
            else:
                data[offset:offset + len(written)] = written
        return bytes(data)

    def possible(self):
        """What may be there after the power went."""
        found = {self.safe}
        for n in range(1, len(self.since) + 1):
            found.add(self.applied(self.since[:n]))
            found.add(self.applied(self.since[n - 1:n]))
            offset, written = self.since[n - 1]
            if written:
                found.add(self.applied([*self.since[:n - 1], (offset, written[:len(written) // 2])]))
                found.add(self.applied([*self.since[:n - 1], (offset, bytes(len(written)))]))
        return sorted(found)


class Disk:
    """A folder and its files, as the events of a record change them."""

    def __init__(self, folder):
        self.folder = folder.resolve()
        self.number = str(folder.stat().st_ino)
        self.files = {}
        self.safe = {}
        self.since = []  # changes of names: {name: inode, or None where it goes}
        for path in folder.iterdir():
            number = str(path.stat().st_ino)
            self.files[number] = File(path.read_bytes())
            self.safe[path.name] = self.files[number]

    def name_of(self, path):
        """The name of a path in the folder; None if it lies elsewhere."""
        full = self.folder / path
        return full.name if full.parent.resolve() == self.folder else None

    def names(self, changes):
        names = dict(self.safe)
        for change in changes:
            names.update(change)
        return {name: file for name, file in names.items() if file}

    def change(self, names):
        self.since.append({name: file for name, file in names.items() if name})

    def apply(self, event, rest, data):
        """Answers False for what is no change of this folder."""
        if event == "rename":
            source, target = map(self.name_of, rest.split("\0"))
            self.change({source: None, target: self.names(self.since)[source]})
        elif event == "unlink":
            self.change({self.name_of(rest): None})
        elif rest.split(" ")[0] == self.number:  # the folder's own fsync
            self.safe = self.names(self.since)
            self.since = []
        else:
            return self.apply_to_file(event, rest, data)
        return True

    def apply_to_file(self, event, rest, data):
        number, _, rest = rest.partition(" ")
        if event == "create":
            self.files[number] = File()
            if rest:
                self.change({self.name_of(rest): self.files[number]})
            return True
        file = self.files.get(number)
        if not file:  # a device, a folder elsewhere
            return False
        if event == "link":
            self.change({self.name_of(rest): file})
        elif event == "write":
            file.since.append((int(rest.split(" ")[0]), data))
        elif event == "truncate":
            file.since.append((int(rest), None))
        elif event == "sync":
            file.sync()
        else:
            raise ValueError(f"cannot replay {event}: what is written there is not seen")
        return True

    def choices(self):
        """The changes of names that may have been kept."""
        if len(self.since) > MOST_CHANGES:
            return [self.since[:n] for n in range(len(self.since) + 1)]
        return [list(itertools.compress(self.since, kept))
                for kept in itertools.product((False, True), repeat=len(self.since))]

    def after_power_loss(self):
        """Every disk there may be: {name: bytes}."""
        for changes in self.choices():
            names = self.names(changes)
            possible = [file.possible() for file in names.values()]
            for contents in itertools.islice(itertools.product(*possible), MOST_DISKS):
                yield dict(zip(names, contents))


def events(record):
    """The events of a record, each as its name, the rest of its line, and the bytes of a write."""
    text = record.read_bytes()
    while text:
        line, _, text = text.partition(b"\n")
        event, _, rest = line.decode().partition(" ")
        data = None
        if event == "write":
            size = int(rest.split(" ")[2])
            data, text = text[:size], text[size + 1:]
        yield event, rest, data


@unittest.skipUnless(INJECT.exists(), "the library that records is not in this build")
class PowerLoss(Folder):
    def replay(self, command, check, **wishes):
        """Runs a command and calls check(disk, is_done) for each disk that may be left; it answers how
        many different ones there were."""
        arguments, _, stdin = command
        self.restore()
        before = Disk(self.folder)
        disk = copy.deepcopy(before)
        record = pathlib.Path(self.holder.name, "record")
        record.unlink(missing_ok=True)
        result = run(arguments, self.folder, stdin, LD_PRELOAD=str(INJECT),
                     NINHO_RECORD=str(record), **wishes)
        self.assertIn(result.returncode, (0, 1), result)
        happened = [event for event in events(record) if disk.apply(*event)]
        disk = before  # again from the beginning: now it is known which event is the last
        seen = set()
        for n, event in enumerate([("sync", disk.number, None), *happened]):
            disk.apply(*event)
            is_done = n == len(happened)
            for left in disk.after_power_loss():
                key = (is_done, *sorted(left.items()))
                if key not in seen:
                    seen.add(key)
                    with self.subTest(command=arguments, after=event[:2], event=n):
                        check(left, is_done)
        return len(seen)

    def check_left(self, left, target, good, is_done):
        """The target is whole, other files are as they were, and one more at most has a name."""
        extra = [name for name in left if name not in self.before and name != target]
        self.assertLessEqual(len(extra), 1, extra)
        self.assertTrue(all(name.startswith(f"{target}.") for name in extra), extra)
        for name, data in self.before.items():
            if name != target:
                self.assertEqual(left.get(name), data, name)
        if is_done:
            self.assertTrue(left.get(target) == good, "the new file is not safe")
            self.assertEqual(extra, [])
        elif left.get(target) != good:
            self.assertTrue(left.get(target) == self.before.get(target), "neither old nor new")

    def all_commands(self, **wishes):
        for arguments, target, stdin in COMMANDS_AND_CALLS.values():
            if not target:
                continue
            self.restore()
            run(arguments, self.folder, stdin)
            good = self.content()[target]

            def check(left, is_done, target=target, good=good):
                self.check_left(left, target, good, is_done)
            n_disks = self.replay((arguments, target, stdin), check, **wishes)
            self.assertGreater(n_disks, 2, arguments)  # old, new, and one between them

    def test_files_are_the_old_or_the_new_ones(self):
        self.all_commands()

    def test_so_are_files_that_have_a_name_from_the_beginning(self):
        self.all_commands(NINHO_INJECT_NAMED="1")

    def test_several_files_too(self):
        run(SEVERAL[0], self.folder)
        good = self.content()

        def check(left, is_done):
            for target in SEVERAL[1]:
                self.assertIn(left.get(target), (good[target],) if is_done else (good[target], None))
            for name, data in self.before.items():
                self.assertEqual(left.get(name), data, name)
        self.assertGreater(self.replay(SEVERAL, check), 4)

    def test_the_persistent_exceptions(self):
        self.make_store()
        for command in STORE.values():
            target = command[1]
            self.restore()
            old = self.ask_store(target)
            self.restore()
            run(command[0], self.folder, command[2])
            new = self.ask_store(target)
            disks = []
            self.replay(command, lambda left, is_done, disks=disks: disks.append((left, is_done)))
            self.assertGreater(len(disks), 2)
            for left, is_done in disks:
                for path in self.folder.iterdir():
                    path.unlink()
                for name, data in left.items():
                    (self.folder / name).write_bytes(data)
                self.check_store(target, new if is_done else old, new)


class Model(unittest.TestCase):
    """The disk itself: it forgets what it may forget."""

    def test_bytes_are_lost_until_they_are_synced(self):
        file = File(b"old")
        file.since.append((0, b"newer"))
        self.assertEqual(set(file.possible()), {b"old", b"newer", b"ned", b"\0" * 5})
        file.sync()
        self.assertEqual(file.possible(), [b"newer"])

    def test_writes_come_in_any_order(self):
        file = File()
        file.since += [(0, b"ab"), (2, b"cd")]
        self.assertIn(b"\0\0cd", file.possible())
        self.assertIn(b"abc", file.possible())


if __name__ == "__main__":
    unittest.main()
