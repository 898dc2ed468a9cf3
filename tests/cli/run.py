#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the examples in Markdown files.

    run.py --tool-dir DIR [--include-dir DIR --library-dir DIR] FILE.md...

Each block fenced as ```console is a dialogue with a shell:

    $ command             run by bash; lines that begin with "> " continue it
    expected output       standard output and standard error together, exactly
    [exit 2]              the exit status, where it is not 0

In what is expected, a line that is only ... stands for any lines (or none), and [..] for anything
within a line. The blocks of one file run in order, in one fresh folder, with the tool's folder
first in PATH and the source tree in NINHO_SOURCE_DIR. Other fences:

    ```console norun      is shown but not run
    ```console cc         compiles against the library: run only if --library-dir is given
    ```console plain      limits address space: not run if the tool was built with a sanitizer,
                          which needs terabytes of it
    ```console long       runs hundreds of processes or whole genomes: not under a sanitizer either
    ```console lmdb       needs a tool that was built with LMDB
    ```console gz         needs a tool that was built with zlib, liblzma, libzstd and libbz2, and the
                          programs gzip, xz, zstd and bzip2
    ```c file=NAME        is written to the folder under that name (```cpp too)

A page without a block to run is no test, and fails. A page that is not meant to have any says why, in
a line <!-- no examples: REASON -->; it fails if it has one all the same.

Prints what differs, and how many commands passed and failed, and how many blocks this build leaves out.
Exits with 1 if any failed.
"""

import argparse
import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT_SECONDS = 300


class Command:
    """One command of a dialogue and what it should print."""

    def __init__(self, line_number, text):
        self.line_number = line_number
        self.text = text
        self.expected = []
        self.exit_status = 0


class Block:
    """A fenced block: `info` is what follows the backquotes."""

    def __init__(self, info, line_number):
        self.words = info.split()
        self.line_number = line_number
        self.lines = []

    def commands(self):
        result = []
        for offset, line in enumerate(self.lines):
            if line.startswith("$ "):
                result.append(Command(self.line_number + offset + 1, line[2:]))
            elif not result:
                raise ValueError("line %d: a dialogue begins with '$ '"
                                 % (self.line_number + offset + 1))
            elif line.startswith("> ") and not result[-1].expected:
                result[-1].text += "\n" + line[2:]
            else:
                result[-1].expected.append(line)
        for command in result:
            last = command.expected[-1] if command.expected else ""
            match = re.fullmatch(r"\[exit (\d+)\]", last)
            if match:
                command.exit_status = int(match.group(1))
                command.expected.pop()
        return result


def read_blocks(path):
    blocks = []
    block = None
    fence = ""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            match = re.match(r"(```+)(.*)", line)
            if block is None and match:
                fence = match.group(1)
                block = Block(match.group(2), number)
            elif block is not None and line == fence:
                blocks.append(block)
                block = None
            elif block is not None:
                block.lines.append(line)
    if block is not None:
        raise ValueError("line %d: the block does not end" % block.line_number)
    return blocks


def line_matches(expected, line):
    parts = [re.escape(part) for part in expected.split("[..]")]
    return re.fullmatch(".*".join(parts), line) is not None


def output_matches(expected, lines):
    """Like a shell pattern, with lines for letters and ... for *."""
    # reachable: how many of the lines the expectations so far may have used up
    reachable = {0}
    for pattern in expected:
        if pattern == "...":
            reachable = set(range(min(reachable), len(lines) + 1)) if reachable else set()
        else:
            reachable = {n + 1 for n in reachable
                         if n < len(lines) and line_matches(pattern, lines[n])}
    return len(lines) in reachable


def run_command(command, folder, environment):
    """Returns (output lines, exit status); the status is None after too long a time."""
    process = subprocess.Popen(["bash", "-c", command.text], cwd=folder, env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        status = None
    if status is not None and status < 0:
        status = 128 - status  # as a shell would tell it
    lines = output.decode("utf-8", "backslashreplace").split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines, status


def with_status(lines, status):
    return lines + (["[exit %s]" % status] if status != 0 else [])


def report(path, command, lines, status):
    print("%s:%d: $ %s" % (path, command.line_number, command.text))
    if status is None:
        print("  took more than %d seconds" % TIMEOUT_SECONDS)
    difference = difflib.unified_diff(with_status(command.expected, command.exit_status),
                                      with_status(lines, status),
                                      "expected", "printed", lineterm="", n=3)
    for line in difference:
        print("  " + line)


def is_sanitized(tool):
    with open(tool, "rb") as file:
        content = file.read()
    return b"__asan_init" in content or b"__tsan_init" in content


def has_lmdb(tool):
    """Whether the tool can keep exceptions in a file: one without says that it was built so."""
    with open(tool, "rb") as file:
        return b"this program was built without LMDB" not in file.read()


def has_packing(tool):
    """Whether the tool unpacks all formats, and there are programs that pack them."""
    with open(tool, "rb") as file:
        content = file.read()
    return all(shutil.which(name) for name in ("gzip", "xz", "zstd", "bzip2")) and not any(
        b"and this program was built without " + name in content
        for name in (b"zlib", b"liblzma", b"libzstd", b"libbz2"))


def is_example(block):
    return block.words[:1] == ["console"] and "norun" not in block.words


def is_to_run(block, options):
    if "lmdb" in block.words and not has_lmdb(os.path.join(options.tool_dir, "ninho")):
        return False
    if "gz" in block.words and not has_packing(os.path.join(options.tool_dir, "ninho")):
        return False
    if "cc" in block.words and not options.library_dir:
        return False
    return not (("plain" in block.words or "long" in block.words)
                and is_sanitized(os.path.join(options.tool_dir, "ninho")))


def check_examples(path, blocks):
    """A page has examples, or says that it has none."""
    with open(path, encoding="utf-8") as file:
        has_none = re.search(r"^<!-- no examples: .+ -->$", file.read(), re.M) is not None
    if has_none == any(is_example(block) for block in blocks):
        raise ValueError("says that it has no examples, and has one" if has_none else
                         "has no example to run, and does not say so")


def run_file(path, options, environment):
    passed = failed = left_out = 0
    blocks = read_blocks(path)
    check_examples(path, blocks)
    with tempfile.TemporaryDirectory(prefix="ninho-cli-") as folder:
        environment = dict(environment, HOME=folder, TMPDIR=folder)
        for block in blocks:
            if block.words[:1] in (["c"], ["cpp"]) and block.words[1:2] and \
                    block.words[1].startswith("file="):
                name = os.path.basename(block.words[1][len("file="):])
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write("\n".join(block.lines) + "\n")
            if not is_example(block):
                continue
            if not is_to_run(block, options):
                left_out += 1
                continue
            for command in block.commands():
                lines, status = run_command(command, folder, environment)
                if status == command.exit_status and output_matches(command.expected, lines):
                    passed += 1
                else:
                    failed += 1
                    report(path, command, lines, status)
    return passed, failed, left_out


def make_environment(options):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("TERM", "COLUMNS", "NO_COLOR", "LANG", "LANGUAGE")
                   and not name.startswith("LC_")}
    environment["PATH"] = os.pathsep.join(
        [os.path.abspath(options.tool_dir), os.path.join(HERE, "helpers"),
         environment.get("PATH", os.defpath)])
    environment["LC_ALL"] = "C"
    environment.setdefault("NINHO_SOURCE_DIR", os.path.dirname(os.path.dirname(HERE)))
    if is_sanitized(os.path.join(options.tool_dir, "ninho")):
        environment["NINHO_TEST_SANITIZED"] = "1"
    if options.include_dir:
        environment["CPATH"] = os.path.abspath(options.include_dir)
    if options.library_dir:
        environment["LIBRARY_PATH"] = os.path.abspath(options.library_dir)
        environment["LD_LIBRARY_PATH"] = os.path.abspath(options.library_dir)
    return environment


def main():
    parser = argparse.ArgumentParser(description="Runs the examples in Markdown files.")
    parser.add_argument("--tool-dir", required=True, help="where ninho is")
    parser.add_argument("--include-dir", help="where the folder ninho/ of headers is")
    parser.add_argument("--library-dir", help="where libninho is")
    parser.add_argument("files", nargs="+", metavar="FILE.md")
    options = parser.parse_args()
    if not os.access(os.path.join(options.tool_dir, "ninho"), os.X_OK):
        parser.error("there is no ninho in %s" % options.tool_dir)
    environment = make_environment(options)
    passed = failed = left_out = 0
    for path in options.files:
        try:
            counts = run_file(path, options, environment)
        except ValueError as error:
            print("%s: %s" % (path, error))
            counts = (0, 1, 0)
        passed += counts[0]
        failed += counts[1]
        left_out += counts[2]
    print("%d passed, %d failed%s" % (passed, failed, ", %d left out" % left_out if left_out else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
