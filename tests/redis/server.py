# SPDX-License-Identifier: MIT
"""Servers for the tests, each in a folder of its own on a free port of 127.0.0.1, and a client
that speaks RESP2 or RESP3 and hides nothing: errors inside arrays, maps, booleans."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULE = os.environ.get("NINHO_REDIS_MODULE", "")
ASAN_MODULE = os.environ.get("NINHO_REDIS_ASAN_MODULE", "")
NINHO = os.environ.get("NINHO_TOOL", "")
NODE_PATH = os.path.join(TOP, ".cache", "npm-redis", "node_modules")


def scale(n, least=1):
    """n at the present scale, NINHO_TEST_SCALE in percent."""
    return max(least, n * int(os.environ.get("NINHO_TEST_SCALE", "100")) // 100)


class ReplyError(Exception):
    """An error that the server sent, as it came."""


class Client:
    def __init__(self, port, protocol=2, timeout=60):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb", 1 << 16)
        if protocol == 3:
            self("HELLO", "3")

    def close(self):
        self.file.close()
        self.socket.close()

    @staticmethod
    def encode(arguments):
        parts = [b"*%d\r\n" % len(arguments)]
        for argument in arguments:
            if not isinstance(argument, bytes):
                argument = str(argument).encode()
            parts.append(b"$%d\r\n%b\r\n" % (len(argument), argument))
        return b"".join(parts)

    def send(self, *arguments):
        self.socket.sendall(self.encode(arguments))

    def read(self):
        """The next reply; errors are values of type ReplyError."""
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server has gone")
        mark, text = line[:1], line[1:-2]
        if mark == b"+":
            return text.decode()
        if mark == b"-":
            return ReplyError(text.decode())
        if mark == b":":
            return int(text)
        if mark == b"$":
            return self.blob(int(text))
        if mark in b"*>~":
            return None if text == b"-1" else [self.read() for _ in range(int(text))]
        if mark == b"%":
            return {self.read(): self.read() for _ in range(int(text))}
        if mark == b"#":
            return text == b"t"
        if mark == b",":
            return float(text)
        if mark == b"_":
            return None
        raise ValueError(f"unknown reply {line!r}")

    def blob(self, size):
        if size < 0:
            return None
        data = self.file.read(size + 2)
        if len(data) != size + 2:
            raise ConnectionError("the server has gone")
        return data[:-2]

    def __call__(self, *arguments):
        self.send(*arguments)
        reply = self.read()
        if isinstance(reply, ReplyError):
            raise reply
        return reply

    def error(self, *arguments):
        """The error that a command is answered with."""
        self.send(*arguments)
        reply = self.read()
        assert isinstance(reply, ReplyError), f"{arguments[:4]}: no error but {reply!r}"
        return str(reply)

    def is_ready(self):
        self.send("PING")
        return self.read() == "PONG"

    def many(self, commands):
        """Pipelined; the replies."""
        self.socket.sendall(b"".join(self.encode(c) for c in commands))
        return [self.read() for _ in commands]


def free_port():
    """A port that is free now, and so is the cluster's bus 10,000 above it."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            if port < 20000 or port > 50000:
                continue
            try:
                second.bind(("127.0.0.1", port + 10000))
            except OSError:
                continue
            return port


def sanitized():
    """What a server needs to load the module that was built with AddressSanitizer."""
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True,
                             check=True).stdout.strip()
    return {"LD_PRELOAD": os.path.realpath(library),
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=256:"
                            "detect_stack_use_after_return=0:abort_on_error=1",
            "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"}


class Server:
    """A redis-server with the module; ends with stop(), or as a context."""

    def __init__(self, *options, module=None, arguments=()):
        self.folder = tempfile.mkdtemp(prefix="ninho-redis-")
        self.port = free_port()
        self.options = options
        self.module = module or MODULE
        self.arguments = arguments
        self.environment = dict(os.environ)
        if self.module == ASAN_MODULE:
            self.environment.update(sanitized())
        self.process = None
        try:
            self.start()
        except RuntimeError:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def start(self):
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir",
                   self.folder, "--save", "", "--enable-debug-command", "yes", "--logfile",
                   os.path.join(self.folder, "log"), *self.options,
                   "--loadmodule", self.module, *map(str, self.arguments)]
        self.process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL,
                                        stderr=open(os.path.join(self.folder, "stderr"), "ab"))
        end = time.monotonic() + 60
        while True:
            try:
                client = Client(self.port)
                if client.is_ready():
                    client.close()
                    return
                client.close()
            except (OSError, ConnectionError):
                pass
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("redis-server did not start:\n" + self.log()[-2000:])
            time.sleep(0.05)

    def client(self, protocol=2):
        return Client(self.port, protocol)

    def log(self):
        text = ""
        for name in ("log", "stderr"):
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    text += file.read()
        return text

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self, keep=False):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def restart(self):
        self.stop(keep=True)
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def wait_for(claim, what, seconds=30):
    end = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.05)


def items(n, prefix="item"):
    return [f"{prefix}:{i}" for i in range(n)]


def groups(values, n=1000):
    for i in range(0, len(values), n):
        yield values[i:i + n]
