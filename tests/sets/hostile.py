#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A peer that does what no `ninho serve-set` does: hostile.py MANNER [ARGUMENT]. It speaks on
standard input and output."""

import os
import signal
import sys
import time

PREAMBLE = b"ninho-s\x01"
HELLO, ITEMS = 1, 4


def varint(value):
    data = b""
    while value >= 128:
        data += bytes([value % 128 + 128])
        value //= 128
    return data + bytes([value])


def send(data):
    while data:
        data = data[os.write(1, data):]


def hear():
    return os.read(0, 1 << 16)


def version():
    """Speaks another version; what follows may be anything."""
    hear()
    send(b"ninho-s\x02" + bytes(range(64)))
    hear()


def text():
    """What a login script prints on the way to a server."""
    send(b"Welcome to host! You have mail.\n")
    hear()


def garbage():
    send(os.urandom(1 << 16))


def length():
    """A frame of 4 GiB, and enough of it to fill a small memory."""
    hear()
    send(PREAMBLE + bytes([HELLO]) + varint(1 << 32))
    for _ in range(4096):
        send(bytes(1 << 16))


def lengths():
    """A length that does not end."""
    hear()
    send(PREAMBLE + bytes([HELLO]) + b"\xff" * 64)
    hear()


def endless():
    send(PREAMBLE)
    while True:
        send(bytes([ITEMS]) + varint(1 << 15) + bytes((1 << 15) + 8))


def zeros():
    while True:
        send(bytes(1 << 16))


def silent():
    while hear():
        pass
    time.sleep(60)


def deaf():
    """Neither reads nor writes, with both ends open."""
    time.sleep(60)


def drip():
    """A good beginning, a byte at a time."""
    for byte in PREAMBLE + bytes([HELLO]) + varint(200) + bytes(208):
        send(bytes([byte]))
        time.sleep(0.1)
    time.sleep(60)


def dies():
    hear()
    send(PREAMBLE + bytes([HELLO]) + varint(100) + bytes(20))


def killed():
    dies()
    os.kill(os.getpid(), signal.SIGKILL)


def replay():
    """What a server said in another exchange."""
    with open(sys.argv[2], "rb") as file:
        said = file.read()
    hear()
    send(said)
    while hear():
        pass


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    globals()[sys.argv[1]]()
