# SPDX-License-Identifier: MIT
"""Questions that are given measurements which were made up.

A question keeps its single measurements in samples*.csv and takes them from there when it runs again. So
its judge can be given any: it is run once in the tiny size, the values in these files are replaced, and
it is run again. What comes out goes all the way: estimates, verdicts, sentences.

tests/study/judges/*.py hold the cases: JUDGES = {name of the question: [Case, ...]}.
"""
import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from table import Complaint, Results

here = Path(__file__).resolve().parent
top = here.parent.parent

HOLDS, NOT, OPEN = "holds", "does not hold", "open"
# What a repetition is multiplied with where a claim is to be left open.
WOBBLE = (0.6, 1.4, 0.7, 1.3, 0.8, 1.2)


class Case:
    """`change(series, variant, repetition, row)` replaces values of one measurement; `rows` are the
    verdicts that must come out, or pairs of a verdict and the value beside it; `own` is that on the
    question's own claim; `says` are parts of the sentences that must be printed, or functions that are given them."""

    def __init__(self, name, change, rows=None, own=None, says=()):
        self.name, self.change, self.rows, self.own, self.says = name, change, rows or {}, own, says


class Question:
    """One question, run once; `program` is ninho-study, `folder` a new folder."""

    def __init__(self, program, name, folder):
        self.program, self.name, self.folder = program, name, Path(folder)
        stub = self.folder / "bin"
        stub.mkdir(parents=True)
        # Figures are not looked at here, and drawing them would take most of the time.
        # A program in JavaScript is started a hundred times.
        for program_name, script in (("gnuplot", "#!/bin/sh\n"), ("node", "#!/bin/sh\necho 50 10 110 10 0 0 1 9\n")):
            (stub / program_name).write_text(script)
            (stub / program_name).chmod(0o755)
        self.environment = dict(os.environ, PATH=f"{stub}{os.pathsep}{os.environ['PATH']}")
        self.run()
        self.kept = self.folder / "kept"
        shutil.copytree(self.results, self.kept)
        self.missing = [line[1] for line in Results(self.results).answer() if line[0] == "missing"]

    @property
    def results(self):
        return self.folder / "tiny" / self.name

    def run(self):
        done = subprocess.run(
            [str(self.program), "--tiny", "--out", str(self.folder), "--source", str(top / "study"), "--data",
             str(top / ".cache/data"), self.name], capture_output=True, text=True, check=False, cwd=top,
            env=self.environment)
        if done.returncode:
            raise Complaint(f"ends with {done.returncode}: {done.stderr}")

    def judge(self, change):
        """The results with measurements that `change` has replaced."""
        n_changed = 0
        for path in sorted(self.kept.glob("*.csv")):
            lines = path.read_text(encoding="utf-8").splitlines()
            if not lines[0].startswith("# "):
                continue
            fields = lines[1].split(",")
            for i, line in enumerate(lines[2:], 2):
                row = dict(zip(fields, line.split(",")))
                before = {f: float(row[f]) for f in fields[2:]}
                after = dict(before)
                change(path.stem, row["variant"], int(row["repetition"]), after)
                if set(after) != set(before):
                    raise Complaint(f"{path.name}: has no field {set(after) - set(before)}")
                n_changed += after != before
                lines[i] = ",".join([row["repetition"], row["variant"], *map(repr, map(float, after.values()))])
            (self.results / path.name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        if not n_changed:
            raise Complaint("nothing was made up")
        (self.results / "answer.tsv").unlink(missing_ok=True)
        self.run()
        return Results(self.results)


def check(case, results):
    """Complains where something else comes out than the case expects."""
    answer = results.answer()
    for row, expected in case.rows.items():
        verdict, value = expected if isinstance(expected, tuple) else (expected, None)
        got = results.judgement(row)
        if got[0] != verdict:
            raise Complaint(f"{row}: {got[0]}, not {verdict}: {got[1:]}")
        if value is not None and abs(got[2] - value) > 1e-6 * max(1, abs(value)):
            raise Complaint(f"{row}: {got[2]}, not {value}")
    own = next(line[1] for line in answer if line[0] == "verdict")
    if case.own and own != case.own:
        raise Complaint(f"the question's own claim: {own}, not {case.own}")
    text = "\n".join(line[-2] if line[0] == "judgement" else line[1] for line in answer
                     if line[0] in ("judgement", "summary"))
    for part in case.says:
        if not (part(text) if callable(part) else part in text):
            raise Complaint(f"does not say '{getattr(part, '__doc__', part) if callable(part) else part}': {text}")


def load_judges():
    judges = {}
    for path in sorted((here / "judges").glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"judges_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        judges.update(module.JUDGES)
    return judges
