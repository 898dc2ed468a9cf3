#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the whole study in its tiny size and looks at what comes out.

Every question must have its checks in tests/study/questions/*.py: a dictionary QUESTIONS from its name
to a function that is given its results (see table.py). Also: what is finished is not measured again,
another seed is, an interrupted run goes on, and without its data the study still writes its report.

usage: tests/study/study_test.py [NAME...]    only these questions, and nothing else
"""
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here))
from pins import PINS, SENTENCES  # noqa: E402
from table import Complaint, Results, check_pins  # noqa: E402

top = here.parent.parent
program = Path(os.environ.get("NINHO_BINARY_DIR", top / "build/dev")) / "bin/ninho-study"
failures = []


def complain(text):
    print(f"study: {text}", flush=True)
    failures.append(text)


def run(out, *arguments):
    """Runs ninho-study; returns exit status, stdout and stderr."""
    command = [str(program), "--tiny", "--out", str(out), *arguments]
    for option, place in (("--source", "study"), ("--data", ".cache/data")):
        if option not in arguments:
            command += [option, str(top / place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=top)
    return done.returncode, done.stdout, done.stderr


def load_checks():
    checks = {}
    for path in sorted((here / "questions").glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        checks.update(module.QUESTIONS)
    return checks


def figures_of(page, name):
    """Names of the figures that a question has in the report."""
    return re.findall(rf'<figure[^>]* id="{name}-([a-z0-9-]+)"', page)


def missing_of(results):
    return [line[1] for line in results.answer() if line[0] == "missing"]


def check_questions(out, names, checks):
    page = (out / "report/index.html").read_text(encoding="utf-8")
    for name in names:
        results = Results(out / "tiny" / name)
        if name not in checks:
            complain(f"{name}: has no check in tests/study/questions")
            continue
        missing = missing_of(results)
        if missing and not list(results.folder.glob("*.csv")):
            # Not a failure: a machine without npm or PostgreSQL still tests the rest.
            print(f"study: {name}: not measured, missing: {'; '.join(missing)}")
            if any(line[0] == "judgement" for line in results.answer()):
                complain(f"{name}: judges what it has not measured")
            continue
        try:
            checks[name](results)
        except (Complaint, OSError, KeyError) as complaint:
            complain(f"{name}: {type(complaint).__name__}: {complaint}"
                     f"{', missing: ' if missing else ''}{'; '.join(missing)}")
        drawn = {path.stem for path in results.folder.glob("*.svg")}
        figures = figures_of(page, name)
        scripts = list((top / "study" / name).glob("*.gp"))
        if len(figures) < len(scripts):
            complain(f"{name}: {len(scripts)} scripts, and in the report only {figures}")
        if set(figures) != drawn:
            complain(f"{name}: drawn were {sorted(drawn)}, in the report are {figures}")
        for figure in figures:
            if not (results.folder / f"{figure}.svg").exists():
                complain(f"{name}: figure {figure} was not drawn")


def check_counted(out):
    for name, rows in PINS.items():
        try:
            check_pins(Results(out / "tiny" / name), rows, SENTENCES.get(name, {}))
        except Complaint as complaint:
            complain(f"{name}: {complaint}")


def check_seeds(out):
    """Another seed brings the same verdicts on what is counted."""
    with tempfile.TemporaryDirectory() as folder:
        status, _, stderr = run(Path(folder), "--seed", "2", *PINS)
        if status:
            complain(f"with another seed it fails: {stderr.strip()}")
            return
        for name, rows in PINS.items():
            first = Results(out / "tiny" / name).verdicts()
            second = Results(Path(folder) / "tiny" / name).verdicts()
            for row in rows:
                if first[row][0] != second[row][0]:
                    complain(f"{name}: {row}: {first[row][:2]}, with another seed {second[row][:2]}")


def check_rows(page):
    """Every row of docs/claims.md is in the summary, and judged by one question at most."""
    rows = re.findall(r"^\| ([ABC]\d+[cf]?) \|", (top / "docs/claims.md").read_text(encoding="utf-8"),
                      re.M)
    for row in rows:
        if page.count(f'<li id="{row}">') != 1:
            complain(f"row {row} is not in the summary once")
    if "No question of the study judges it" in page:
        complain("a row of docs/claims.md is judged by no question")
    if len(rows) != 47:
        complain(f"docs/claims.md has {len(rows)} rows, not 47")


def check_finished(out, names):
    """A second run measures nothing; another seed measures anew."""
    start = {name: (out / "tiny" / name / "answer.tsv").stat().st_mtime_ns for name in names}
    status, stdout, _ = run(out)
    for name in names:
        unfinished = missing_of(Results(out / "tiny" / name))
        if status or (f"{name}: finished before" not in stdout and not unfinished):
            complain(f"{name}: was measured again")
        if not unfinished and start[name] != (out / "tiny" / name / "answer.tsv").stat().st_mtime_ns:
            complain(f"{name}: its answer was written again")
    name = names[0]
    before = (out / "tiny" / name / "data.csv").read_text(encoding="utf-8")
    status, stdout, _ = run(out, "--seed", "2", name)
    after = (out / "tiny" / name / "data.csv").read_text(encoding="utf-8")
    if status or "finished before" in stdout or before == after or ",tiny,2\n" not in after:
        complain(f"{name}: another seed was not measured anew")


def check_missing(names):
    """Without any of the data there is a report, and it says what is missing."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        status, stdout, stderr = run(out, "--data", "/nonexistent")
        if status:
            complain(f"without data it fails: {stderr.strip()}")
            return
        missing = [line for line in stdout.splitlines() if line.startswith("  missing: ")]
        if not missing:
            complain("without data it does not say what is missing")
        for line in missing:
            if "(to have it: " not in line or not line.endswith(")"):
                complain(f"names no command: {line}")
        if stdout.count("\nleft out: ") != len(missing):
            complain("without data it does not end with what was left out")
        page = (out / "report/index.html").read_text(encoding="utf-8")
        if "<strong>Left out.</strong>" not in page:
            complain("without data the report does not say what is missing")
        for name in names:
            if f'<section id="{name}">' not in page:
                complain(f"{name}: is not in the report where data is missing")


def check_one_missing():
    """Without one source, what needs it is not measured, and the rest is."""
    data = top / ".cache/data"
    if not (data / "bowtie-examples").exists() or not (data / "wamerican-insane").exists():
        print("study: data is not fetched: a run without one source is not tested")
        return
    with tempfile.TemporaryDirectory() as folder:
        some = Path(folder) / "data"
        some.mkdir()
        for package in data.iterdir():
            if package.name != "bowtie-examples":
                (some / package.name).symlink_to(package.resolve())
        out = Path(folder) / "out"
        status, stdout, stderr = run(out, "--data", str(some), "found-again", "bits-per-key")
        if status:
            complain(f"without a genome it fails: {stderr.strip()}")
            return
        # One asks for nothing else; the other has five more kinds of keys.
        if stdout.count("missing: the genome of E. coli 536") != 2:
            complain(f"without a genome it says: {stdout}")
        if (out / "tiny/22-found-again/data.csv").exists():
            complain("without its genome a question has data")
        if not (out / "tiny/32-bits-per-key/families.svg").exists():
            complain("without a genome another question has no figure")


def check_interrupted():
    """Ends it in the middle, at different times, until a run is left to finish."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(program), "--tiny", "--out", folder, "--source", str(top / "study"),
                   "--data", str(top / ".cache/data")]
        for delay in (0.1, 0.5):
            shutil.rmtree(Path(folder) / "tiny", ignore_errors=True)
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  text=True, cwd=top) as process:
                for _ in range(600):  # until the first question has begun
                    if (Path(folder) / "tiny").exists():
                        break
                    time.sleep(0.1)
                time.sleep(delay)
                process.send_signal(signal.SIGINT)
                _, stderr = process.communicate()
                if process.returncode != -signal.SIGINT or "goes on from here" not in stderr:
                    complain(f"interrupted after {delay} s: {process.returncode}: {stderr}")
        shutil.rmtree(Path(folder) / "report", ignore_errors=True)
        status, stdout, stderr = run(folder, "01-promised-and-measured")
        if status or "report: " not in stdout:
            complain(f"after an interruption: {stderr}")


def check_refusals(out):
    for arguments, text in ((["--seed", "-1"], "whole number"), (["nothing"], "no such question"),
                            (["--seed", ""], "whole number"),
                            (["--source", "/nonexistent"], "top of the source tree")):
        status, _, stderr = run(out, *arguments)
        if status != 2 or text not in stderr or stderr.count("\n") != 1:
            complain(f"{arguments}: {status}: {stderr}")


def main():
    if not program.exists():
        sys.exit(f"study: {program} was not built")
    done = subprocess.run([str(program), "--list"], capture_output=True, text=True, check=True)
    names = [line.split()[0] for line in done.stdout.splitlines()]
    chosen = [n for n in names if not sys.argv[1:] or n in sys.argv[1:]
              or n.split("-", 1)[1] in sys.argv[1:]]
    checks = load_checks()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        status, stdout, stderr = run(out, *sys.argv[1:])
        if status:
            sys.stdout.write(stdout)
            sys.exit(f"study: ends with {status}: {stderr}")
        check_questions(out, chosen, checks)
        if not sys.argv[1:]:
            check_rows((out / "report/index.html").read_text(encoding="utf-8"))
            check_counted(out)
            check_seeds(out)
            check_refusals(out)
            check_finished(out, names)
            check_missing(names)
            check_one_missing()
            check_interrupted()
    print(f"study: {len(chosen)} questions, {len(failures)} complaints")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
