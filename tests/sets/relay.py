#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands on the wire between `ninho diff` and `ninho serve-set`, counts what passes, and does it
harm if asked to.

    relay.py [OPTION...] COMMAND...

Starts COMMAND (no shell), passes its own standard input to it and what it prints on. Options:

    --log FILE      write a JSON object when it is over: bytes up (to the command) and down, how often
                    the direction turned from up to down, and the CPU seconds of the command
    --record FILE   write what passed down there
    --cut-up N, --cut-down N
                    end after N bytes in that direction, as a connection that breaks
    --flip-up N, --flip-down N
                    change the lowest bit of byte N
    --drip SECONDS  pass one byte at a time down, so often
    --chunk N       pass at most N bytes at a time
    --extra TEXT    send this down after all the rest
"""

import argparse
import json
import os
import resource
import select
import subprocess
import sys
import time


class Direction:
    """Bytes one way: `source` and `target` are descriptors, -1 once closed."""

    def __init__(self, source, target, cut, flip):
        self.source = source
        self.target = target
        self.cut = cut
        self.flip = flip
        self.n_bytes = 0
        self.waiting = b""

    def receive(self, size):
        data = os.read(self.source, size)
        if not data:
            self.source = -1
            return False
        start = self.n_bytes
        self.n_bytes += len(data)
        if self.flip is not None and start <= self.flip < self.n_bytes:
            at = self.flip - start
            data = data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
        if self.cut is not None and self.n_bytes >= self.cut:
            data = data[:max(0, len(data) - (self.n_bytes - self.cut))]
            self.source = -1
        self.waiting += data
        return True

    def send(self, size):
        try:
            n = os.write(self.target, self.waiting[:size])
        except (BrokenPipeError, BlockingIOError):
            n = len(self.waiting)
            self.source = -1
        self.waiting = self.waiting[n:]

    def is_over(self):
        return self.source < 0 and not self.waiting


def relay(command, options):
    """Passes bytes until the command's output ends. Returns the numbers for the log."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    up = Direction(0, child.stdin.fileno(), options.cut_up, options.flip_up)
    down = Direction(child.stdout.fileno(), 1, options.cut_down, options.flip_down)
    size = options.chunk or 1 << 16
    record = open(options.record, "wb") if options.record else None
    turns, last = 0, None
    while not down.is_over():
        readers = [d.source for d in (up, down) if d.source >= 0 and len(d.waiting) < 1 << 20]
        writers = [d.target for d in (up, down) if d.waiting]
        ready = select.select(readers, writers, [])
        if up.source in ready[0] and up.receive(size):
            last = "up"
        if down.source in ready[0]:
            before = down.n_bytes
            if down.receive(size):
                turns += last == "up"
                last = "down"
            if record and down.n_bytes > before:
                record.write(down.waiting[-(down.n_bytes - before):])
        if up.target in ready[1] and up.waiting:
            up.send(size)
        if down.target in ready[1] and down.waiting:
            if options.drip:
                time.sleep(options.drip)
            down.send(1 if options.drip else size)
        if up.is_over() and not child.stdin.closed:
            child.stdin.close()
    if record:
        record.close()
    if options.extra:
        os.write(1, options.extra.encode())
    if options.cut_up is not None or options.cut_down is not None:
        os.close(1)
        if not child.stdin.closed:
            child.stdin.close()
        child.stdout.close()
    status = child.wait()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status, {"up": up.n_bytes, "down": down.n_bytes, "turns": turns,
                    "cpu": usage.ru_utime + usage.ru_stime,
                    "max_rss_kib": usage.ru_maxrss, "status": status}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--log")
    parser.add_argument("--record")
    for name in ("--cut-up", "--cut-down", "--flip-up", "--flip-down", "--chunk"):
        parser.add_argument(name, type=int)
    parser.add_argument("--drip", type=float)
    parser.add_argument("--extra")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    status, numbers = relay(options.command, options)
    if options.log:
        with open(options.log, "w", encoding="utf-8") as file:
            json.dump(numbers, file)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
