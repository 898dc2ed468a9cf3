#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""netns.py NINHO: `ninho diff` and `ninho common` over TCP, between two network namespaces that a
pair of virtual cards connects. Needs root and ip(8); where the machine does not allow it, says so and
exits with 0.

    namespace a                                              namespace b
    ninho diff here 'exec:python3 netns.py --connect ...'    python3 netns.py --listen ... ninho serve-set there
                     10.77.0.1  -------- veth --------  10.77.0.2

The listener gives `serve-set` the socket itself as standard input and output, as inetd does. Also with
a delay and lost packets, where the kernel has netem; and with the link cut in the middle."""

import json
import os
import pathlib
import select
import shlex
import socket
import subprocess
import sys
import tempfile

SELF = pathlib.Path(__file__).resolve()
ADDRESS, PORT = "10.77.0.2", 7077


def connect(to_cut=None):
    """Standard input and output to the socket and back; with the name of a namespace, its link goes
    down when the first bytes have come."""
    with socket.create_connection((ADDRESS, PORT), timeout=20) as peer:
        peer.settimeout(None)
        while True:
            ready, _, _ = select.select([0, peer], [], [])
            if 0 in ready:
                data = os.read(0, 1 << 16)
                if not data:
                    peer.shutdown(socket.SHUT_WR)
                    break
                peer.sendall(data)
            if peer in ready:
                data = peer.recv(1 << 16)
                if not data:
                    return
                os.write(1, data)
                if to_cut:
                    subprocess.run(["ip", "-n", to_cut, "link", "set", "ninho0", "down"], check=True)
                    to_cut = None
        while data := peer.recv(1 << 16):
            os.write(1, data)


def listen(command):
    """Serves callers, one after another, for ever."""
    with socket.create_server((ADDRESS, PORT)) as server:
        print("listening", flush=True)
        while True:
            caller, _ = server.accept()
            with caller:
                subprocess.run(command, stdin=caller, stdout=caller, check=False)


class Net:
    """The two namespaces and what connects them."""

    def __init__(self):
        self.names = [f"ninho-{side}-{os.getpid()}" for side in "ab"]

    def ip(self, *arguments):
        return subprocess.run(["ip", *arguments], check=True, capture_output=True)

    def __enter__(self):
        a, b = self.names
        try:
            self.ip("netns", "add", a)
            self.ip("netns", "add", b)
            self.ip("link", "add", "ninho0", "netns", a, "type", "veth", "peer", "name", "ninho0",
                    "netns", b)
            for name, address in zip(self.names, ("10.77.0.1", ADDRESS)):
                self.ip("-n", name, "address", "add", address + "/24", "dev", "ninho0")
                self.ip("-n", name, "link", "set", "ninho0", "up")
                self.ip("-n", name, "link", "set", "lo", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)

    def inside(self, side):
        return ["ip", "netns", "exec", self.names["ab".index(side)]]

    def worsen(self, *how):
        """Delay, loss; False where that cannot be had."""
        return all(subprocess.run([*self.inside(side), "tc", "qdisc", "replace", "dev", "ninho0",
                                   "root", "netem", *how], check=False,
                                  capture_output=True).returncode == 0 for side in "ab")


def comm(folder, columns):
    return subprocess.run(["bash", "-c", f"comm {columns} <(sort -u here) <(sort -u there)"],
                          cwd=folder, env=dict(os.environ, LC_ALL="C"), check=True,
                          stdout=subprocess.PIPE).stdout


def expect(what, is_so):
    if not is_so:
        sys.exit(f"netns: {what}")


def ask(net, ninho, folder, *arguments):
    peer = f"exec:exec {shlex.quote(sys.executable)} {shlex.quote(str(SELF))} --connect"
    return subprocess.run([*net.inside("a"), ninho, *arguments, "here", peer], cwd=folder,
                          capture_output=True, timeout=120, check=False)


def check(net, ninho, folder, what):
    for method in ("auto", "sketch", "list"):
        result = ask(net, ninho, folder, "diff", "--method", method)
        expect(f"{what}, {method}: {result.stderr}", result.stderr == b"")
        expect(f"{what}, {method}: wrong answer", result.stdout == comm(folder, "-3"))
        expect(f"{what}, {method}: exit status", result.returncode == 1)
    result = ask(net, ninho, folder, "common")
    expect(f"{what}, common: {result.stderr}", result.stderr == b"")
    expect(f"{what}, common: wrong answer", result.stdout == comm(folder, "-12"))
    told = json.loads(ask(net, ninho, folder, "diff", "--json").stdout)
    print(f"{what}: right; diff took {told['rounds']} round trips, "
          f"{told['bytes_sent'] + told['bytes_received']} bytes")


def cut(net, ninho, folder):
    """The link goes down during an exchange: an error after the timeout, and no answer."""
    peer = (f"exec:exec {shlex.quote(sys.executable)} {shlex.quote(str(SELF))} --connect "
            f"{net.names[0]}")
    result = subprocess.run([*net.inside("a"), ninho, "diff", "--timeout", "2", "here", peer],
                            cwd=folder, capture_output=True, timeout=60, check=False)
    expect(f"a link that goes down: {result}", result.returncode == 2 and result.stdout == b"")
    expect(f"a link that goes down: {result}", b"(--timeout)" in result.stderr)
    net.ip("-n", net.names[0], "link", "set", "ninho0", "up")
    print("a link that goes down: an error, and no answer")


def run(ninho, folder):
    lines = [f"line {i * 2654435761 % 4294967296:08x}\n" for i in range(60_000)]
    (folder / "here").write_text("".join(lines[:50_000]))
    (folder / "there").write_text("".join(lines[700:51_000]))
    with Net() as net:
        server = subprocess.Popen([*net.inside("b"), sys.executable, str(SELF), "--listen", ninho,
                                   "serve-set", "--timeout", "20", "there"], cwd=folder,
                                  stdout=subprocess.PIPE)
        try:
            expect("nobody listens", server.stdout.readline() == b"listening\n")
            check(net, ninho, folder, "TCP between two namespaces")
            if net.worsen("delay", "10ms", "5ms", "loss", "2%", "reorder", "10%"):
                check(net, ninho, folder, "with 10 ms of delay, 2 % lost, 10 % out of order")
            else:
                print("netem is not to be had here: no delay, no loss")
            cut(net, ninho, folder)
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()


def main():
    if sys.argv[1] == "--connect":
        return connect(*sys.argv[2:])
    if sys.argv[1] == "--listen":
        return listen(sys.argv[2:])
    try:
        with Net():
            pass
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"network namespaces cannot be made here ({error}): TCP between them was not tried")
        return None
    with tempfile.TemporaryDirectory(prefix="ninho-netns-") as folder:
        run(os.path.abspath(sys.argv[1]), pathlib.Path(folder))
    return None


if __name__ == "__main__":
    main()
