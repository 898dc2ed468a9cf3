#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every judge of the study, with measurements that were made up for every outcome (made.py).

usage: tests/study/judges_test.py [NAME...]    only these questions
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here))
from made import Case, Question, check, load_judges, top  # noqa: E402
from table import Complaint  # noqa: E402

program = Path(os.environ.get("NINHO_BINARY_DIR", top / "build/dev")) / "bin/ninho-study"
# Two servers are started for each of its cases.
SLOW = ("45-semijoin",)


def outcomes(cases):
    """Which verdicts the cases expect of each row; of the question's own claim under the key None."""
    seen = {}
    for case in cases:
        for row, expected in [*case.rows.items(), (None, case.own)]:
            if expected:
                seen.setdefault(row, set()).add(expected[0] if isinstance(expected, tuple) else expected)
    return seen


def run_cases(name, cases):
    """The complaints about one question."""
    complaints = []
    with tempfile.TemporaryDirectory() as folder:
        question = Question(program, name, folder)
        if question.missing:
            print(f"judges: {name}: left out, missing: {'; '.join(question.missing)}")
            return []
        for case in cases:
            assert isinstance(case, Case)
            try:
                check(case, question.judge(case.change))
            except Complaint as complaint:
                complaints.append(f"{name}: {case.name}: {complaint}")
    return complaints


def main():
    if not program.exists():
        sys.exit(f"judges: {program} was not built")
    listed = subprocess.run([str(program), "--list"], capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in listed.splitlines()]
    judges = load_judges()
    complaints = [f"{name}: has no cases in tests/study/judges" for name in names if name not in judges]
    chosen = [n for n in names if n in judges and (n in sys.argv[1:] if sys.argv[1:] else n not in SLOW)]
    for name in chosen:
        for row, verdicts in outcomes(judges[name]).items():
            if len(verdicts) < 3 and (name, row) not in FEWER:
                complaints.append(f"{name}: {row or 'its own claim'}: no case is "
                                  f"{', '.join({'holds', 'does not hold', 'open'} - verdicts)}")
        complaints += run_cases(name, judges[name])
    for complaint in complaints:
        print(f"judges: {complaint}")
    print(f"judges: {sum(len(judges[n]) for n in chosen)} cases of {len(chosen)} questions, "
          f"{len(complaints)} complaints")
    return 1 if complaints else 0


# Rows of which made-up measurements cannot bring every verdict: those by definition, those from plans.
FEWER = {("20-fewer-relocations", "C5"), ("32-bits-per-key", "A11"), ("22-found-again", None),
         ("43-routing", "A17")}

if __name__ == "__main__":
    sys.exit(main())
