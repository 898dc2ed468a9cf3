#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ssh.py NINHO: `ninho diff FILE 'exec:ssh host ninho serve-set FILE'`, with a real sshd that
listens on 127.0.0.1 for as long as this runs, with keys of its own. Where there is no sshd, or it
cannot be started, says so and exits with 0. (tools/packages.txt does not ask for openssh-server: to
install it would start a server for everybody.)"""

import getpass
import json
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def expect(what, is_so):
    if not is_so:
        sys.exit(f"ssh: {what}")


def start(folder, port):
    """sshd, or None where it does not start."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name],
                       check=True)
    shutil.copy(folder / "user.pub", folder / "authorized")
    public = (folder / "host.pub").read_text()
    (folder / "known").write_text(f"[127.0.0.1]:{port} {public}")
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/authorized\nStrictModes no\nUsePAM no\n"
        "PermitRootLogin prohibit-password\nPasswordAuthentication no\n")
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen([SSHD, "-D", "-e", "-f", folder / "config"], stderr=log)
    for _ in range(100):
        if server.poll() is not None:
            return None
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return server
        except OSError:
            time.sleep(0.05)
    server.terminate()
    return None


def run(ninho, folder):
    port = free_port()
    server = start(folder, port)
    if not server:
        print("sshd does not start here: ssh was not tried:",
              (folder / "log").read_text().strip().splitlines()[-1:])
        return
    try:
        ssh = (f"ssh -p {port} -i {folder}/user -o UserKnownHostsFile={folder}/known "
               f"-o BatchMode=yes -o LogLevel=ERROR {getpass.getuser()}@127.0.0.1")
        lines = [f"line {i}\n" for i in range(101_000)]
        (folder / "here").write_text("".join(lines[:100_000]))
        (folder / "there").write_text("".join(lines[500:100_700]))
        there = shlex.quote(f"{shlex.quote(ninho)} serve-set {folder}/there")
        result = subprocess.run([ninho, "diff", folder / "here", f"exec:{ssh} {there}"],
                                capture_output=True, timeout=60, check=False)
        wanted = sorted(lines[:500] + ["\t" + line for line in lines[100_000:100_700]],
                        key=str.lstrip)
        expect(f"diff: {result.returncode}, {result.stderr}",
               (result.returncode, result.stderr) == (1, b""))
        expect("diff: wrong answer", result.stdout.decode() == "".join(wanted))
        result = subprocess.run([ninho, "common", "--json", folder / "here",
                                 f"exec:{ssh} {there}"], capture_output=True, timeout=60,
                                check=False)
        expect(f"common: {result}", json.loads(result.stdout)["common"] == 99_500)
        missing = shlex.quote(f"{shlex.quote(ninho)} serve-set {folder}/missing")
        result = subprocess.run([ninho, "diff", folder / "here", f"exec:{ssh} {missing}"],
                                capture_output=True, timeout=60, check=False)
        expect(f"a file that is missing: {result}", result.returncode == 2 and
               b"missing: cannot open" in result.stderr and b"exit status 2" in result.stderr and
               result.stdout == b"")
        print("diff and common through ssh: right")
    finally:
        server.terminate()
        server.wait()


def main():
    if not SSHD or not shutil.which("ssh"):
        print("there is no ssh or sshd here (openssh-server): ssh was not tried")
        return
    with tempfile.TemporaryDirectory(prefix="ninho-ssh-") as folder:
        run(os.path.abspath(sys.argv[1]), pathlib.Path(folder))


if __name__ == "__main__":
    main()
