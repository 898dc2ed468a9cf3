# SPDX-License-Identifier: MIT
"""PostgreSQL servers that a test or a measurement starts itself, in a folder of its own, and takes away again.

    with Installation(pg_config) as pg:
        pg.install(module)
        with pg.server("local") as local:
            local.sql("SELECT 1")

Nothing is written to where PostgreSQL is installed. PostgreSQL finds its files by the place of its programs, so
that copies of the programs, and links to all else, make an installation of our own, to which the extension is added.
The server refuses to run as root: then it runs as the user postgres, or nobody.

    with local.session() as session:        one connection for several statements
        session.sql("SELECT 1")
"""

import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
EXTENSION = os.path.dirname(HERE)
TOP = os.path.dirname(os.path.dirname(EXTENSION))
PROGRAMS = ["postgres", "initdb", "pg_ctl", "psql", "pg_dump", "pg_dumpall", "pg_restore", "pg_basebackup", "pg_upgrade",
            "pg_resetwal", "pg_controldata", "vacuumdb"]


class SqlError(Exception):
    """What psql printed."""


def ordinary_user():
    """(name, uid, gid) of who is to run servers; None if we are not root and can do it."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
            return name, entry.pw_uid, entry.pw_gid
        except KeyError:
            pass
    raise SystemExit("postgres: no ordinary user to run a server as: add one called postgres or nobody")


def link_tree(source, target):
    """A folder with a link for each entry of another."""
    os.makedirs(target, exist_ok=True)
    for name in os.listdir(source):
        os.symlink(os.path.join(source, name), os.path.join(target, name))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Installation:
    def __init__(self, pg_config="pg_config", keep=False):
        self.pg_config = pg_config
        self.user = ordinary_user()
        self.keep = keep
        os.umask(0o022)  # the user that runs servers reads what we write
        self.root = tempfile.mkdtemp(prefix="ninho-pg-")
        os.chmod(self.root, 0o755)
        self.password = secrets.token_hex(16)
        self.servers = []
        self.template = None

    def __enter__(self):
        # whoever ends the test ends its servers too
        signal.signal(signal.SIGTERM, lambda *unused: sys.exit(143))
        try:
            self._lay_out()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *unused):
        for server in self.servers:
            server.stop("immediate")
        if not self.keep:
            shutil.rmtree(self.root, ignore_errors=True)

    def _ask(self, what):
        return subprocess.run([self.pg_config, "--" + what], check=True, capture_output=True,
                              text=True).stdout.strip()

    def _lay_out(self):
        bindir, sharedir, libdir = self._ask("bindir"), self._ask("sharedir"), self._ask("pkglibdir")
        self.bin = self.root + bindir
        self.share = self.root + sharedir
        self.lib = self.root + libdir
        os.makedirs(self.bin)
        for program in PROGRAMS:
            shutil.copy2(os.path.join(bindir, program), self.bin)
        link_tree(libdir, self.lib)
        link_tree(sharedir, self.share)
        extensions = os.path.join(self.share, "extension")
        os.unlink(extensions)
        link_tree(os.path.join(sharedir, "extension"), extensions)
        for folder, pattern in ((self.lib, "ninho.so"), (extensions, "ninho")):
            for name in os.listdir(folder):  # one that is installed already is not what is tested
                if name.startswith(pattern):
                    os.unlink(os.path.join(folder, name))
        self.work = os.path.join(self.root, "work")
        os.mkdir(self.work)
        if self.user:
            os.chown(self.work, self.user[1], self.user[2])

    def install(self, module):
        """Adds the extension: the module that was built, and the files that lie beside its sources."""
        shutil.copy(module, os.path.join(self.lib, "ninho.so"))
        os.chmod(os.path.join(self.lib, "ninho.so"), 0o755)
        for name in os.listdir(EXTENSION):
            if name.endswith((".control", ".sql")):
                shutil.copy2(os.path.join(EXTENSION, name), os.path.join(self.share, "extension"))

    def run(self, command, check=True, env=None, **more):
        """Runs a program as the ordinary user, in the folder for data."""
        if self.user:
            more.update(user=self.user[1], group=self.user[2], extra_groups=[])
        clean = {"PATH": self.bin + ":/usr/bin:/bin", "LC_ALL": "C", "HOME": self.work, "TZ": "UTC"}
        clean.update(env or {})
        done = subprocess.run(command, cwd=self.work, env=clean, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **more)
        if check and done.returncode:
            raise SystemExit("postgres: %s: exit %d\n%s" % (" ".join(command), done.returncode, done.stdout))
        return done

    def server(self, name, **more):
        """A new server, to be used by `with`. The first one costs an initdb, the next ones a copy."""
        data = os.path.join(self.work, name)
        if self.template is None:
            template = os.path.join(self.work, "template")
            password_file = os.path.join(self.work, "password")
            with open(password_file, "w", encoding="ascii") as file:
                file.write(self.password)
            os.chmod(password_file, 0o644)
            self.run([self.bin + "/initdb", "-D", template, "-U", "tester", "-E", "UTF8", "--locale=C", "-N",
                      "--no-instructions", "-A", "scram-sha-256", "--auth-local=trust", "--pwfile", password_file])
            os.unlink(password_file)
            self.template = template
        self.run(["cp", "-a", self.template, data])
        return self.adopt(name, **more)

    def adopt(self, name, **more):
        """A server over data that lie in the folder already."""
        made = Server(self, name, os.path.join(self.work, name), **more)
        self.servers.append(made)
        return made


class Server:
    """One server. Psql and we reach it by a socket in a folder that is its user's alone, others by loopback and
    password."""

    def __init__(self, installation, name, data, env=None, limit_bytes=None):
        self.installation = installation
        self.limit_bytes = limit_bytes # of address space, for each process
        self.data = data
        self.name = name
        self.env = env or {}
        self.socket_dir = os.path.join(installation.work, name + ".s")
        self.log = os.path.join(installation.work, name + ".log")
        installation.run(["mkdir", "-m", "700", self.socket_dir])
        self.port = free_port()
        self.is_running = False
        with open(os.path.join(data, "postgresql.auto.conf"), "a", encoding="ascii") as file:
            file.write("listen_addresses = '127.0.0.1'\nunix_socket_directories = '%s'\nport = %d\n"
                       "fsync = off\nshared_buffers = 256MB\nmax_wal_size = 4GB\nautovacuum = off\n"
                       "max_parallel_workers_per_gather = 0\njit = off\nlogging_collector = off\n"
                       % (self.socket_dir, self.port))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *unused):
        self.stop("immediate")

    def start(self):
        with open(self.log, "a", encoding="utf-8"):
            pass
        os.chmod(self.log, 0o666)
        pg = self.installation
        limit = ["prlimit", "--as=%d" % self.limit_bytes] if self.limit_bytes else []
        pg.run(limit + [pg.bin + "/pg_ctl", "-D", self.data, "-l", self.log, "-w", "-t", "60", "start"], env=self.env)
        self.is_running = True

    def stop(self, mode="fast"):
        if not self.is_running:
            return
        self.is_running = False
        pg = self.installation
        pg.run([pg.bin + "/pg_ctl", "-D", self.data, "-m", mode, "-w", "stop"], check=False)

    def command(self, database="postgres", stop=True):
        """How psql reaches this server: a command, and what subprocess is to be told besides."""
        pg = self.installation
        more = {"cwd": pg.work, "text": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT,
                "env": {"LC_ALL": "C", "HOME": pg.work, "PATH": "/usr/bin:/bin"}}
        if pg.user:
            more.update(user=pg.user[1], group=pg.user[2], extra_groups=[])
        command = [pg.bin + "/psql", "-X", "-q", "-A", "-t", "-h", self.socket_dir, "-p", str(self.port), "-U",
                   "tester", "-d", database, "-f", "-"]
        if stop:
            command += ["-v", "ON_ERROR_STOP=1"]
        return command, more

    def psql(self, sql, database="postgres", stop=True):
        """What psql answers: (exit status, text)."""
        command, more = self.command(database, stop)
        done = subprocess.run(command, input=sql, **more)
        return done.returncode, done.stdout.rstrip("\n")

    def session(self):
        """A psql that stays, to be used by `with`."""
        return Session(self)

    def sql(self, sql, database="postgres"):
        """The rows as psql prints them, columns by |. Raises SqlError."""
        status, text = self.psql(sql, database)
        if status:
            raise SqlError(text)
        return text

    def crashes(self):
        """Lines of the log that tell of a server process that died."""
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return [line for line in file if "was terminated by signal" in line or "PANIC" in line
                    or "Sanitizer" in line or "runtime error:" in line]


class Session:
    """One psql for several statements: its connection stays, and with it those to other servers."""

    def __init__(self, server):
        command, more = server.command()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, **more)
        self.mark = "done " + secrets.token_hex(8)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        try:
            self.process.stdin.close()
        except OSError:
            pass
        self.process.wait()

    def sql(self, sql):
        """The rows as psql prints them, columns by |. Raises SqlError; then the session is over."""
        try:
            self.process.stdin.write("%s\n;\n\\echo %s\n" % (sql, self.mark))
            self.process.stdin.flush()
        except OSError:
            pass  # psql has ended, and said why
        lines = []
        for line in self.process.stdout:
            if line.rstrip("\n") == self.mark:
                return "\n".join(lines)
            lines.append(line.rstrip("\n"))
        raise SqlError("\n".join(lines))

    def timed(self, sql):
        """The rows of one statement, and the milliseconds it took by psql's clock."""
        rows, _, last = self.sql("\\timing on\n%s;\n\\timing off" % sql).rpartition("\n")
        return rows, float(re.fullmatch(r"Time: ([0-9.]+) ms.*", last).group(1))


class CountingProxy:
    """Passes TCP connections on and counts the bytes each way, and the turns: how often something is sent after
    something was received, which is a round trip where each side waits for the other."""

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.reset()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def reset(self):
        with self.lock:
            self.sent = self.received = self.turns = 0
            self.is_sending = False

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            for end in (client, server):  # else the last bytes of an answer wait 40 ms for company
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for ends in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _count(self, n, is_sending):
        with self.lock:
            if is_sending:
                self.sent += n
                self.turns += not self.is_sending
            else:
                self.received += n
            self.is_sending = is_sending

    def _pass_on(self, source, target, is_sending):
        buffer = bytearray(1 << 18)
        view = memoryview(buffer)
        try:
            while True:
                n = source.recv_into(buffer)
                if n == 0:
                    break
                self._count(n, is_sending)
                target.sendall(view[:n])
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
