# SPDX-License-Identifier: MIT
"""What the checks of tests/study/questions/*.py are given."""
import csv
import math


class Complaint(Exception):
    """A table that is not as it should be."""


class Results:
    """The results of one question in a tiny run with seed 1."""

    def __init__(self, folder):
        self.folder = folder

    def table(self, name, columns):
        """The rows of a CSV file, as dictionaries; numbers are numbers. Its heading must be these
        columns ("a,b,c"), then size and seed, which every file has."""
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
        if not lines:
            raise Complaint(f"{name}: is empty")
        expected = columns.split(",") + ["size", "seed"]
        if lines[0] != expected:
            raise Complaint(f"{name}: the columns are {','.join(lines[0])}, not {','.join(expected)}")
        rows = []
        for number, line in enumerate(lines[1:], 2):
            if len(line) != len(expected):
                raise Complaint(f"{name}: line {number} has {len(line)} fields")
            row = {key: as_number(text) for key, text in zip(expected, line)}
            if (row["size"], row["seed"]) != ("tiny", 1):
                raise Complaint(f"{name}: line {number} is of a {row['size']} run, seed {row['seed']}")
            rows.append(row)
        if not rows:
            raise Complaint(f"{name}: has no rows")
        return rows

    def samples(self, name, field):
        """One field of the single measurements: {(variant, repetition): number}."""
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            file.readline()  # which run it is
            return {(row["variant"], int(row["repetition"])): float(row[field])
                    for row in csv.DictReader(file)}

    def judgement(self, row):
        """Verdict, low, value and high of a row of the claims."""
        for line in self.answer():
            if line[:2] == ["judgement", row]:
                return (line[2], *map(float, line[3:6]))
        raise Complaint(f"{row} is not judged")

    def verdicts(self):
        """{row: (verdict, value, sentences)}, and the question's own claim under "own"."""
        found = {}
        for line in self.answer():
            if line[0] == "verdict":
                found["own"] = (line[1], None, "")
            elif line[0] == "judgement":
                found[line[1]] = (line[2], float(line[4]), line[7])
        return found

    def answer(self):
        """The saved answer, a list of lines of fields."""
        text = (self.folder / "answer.tsv").read_text(encoding="utf-8")
        return [line.split("\t") for line in text.splitlines()]


def check_pins(results, rows, sentences):
    """What is counted comes out as it is written down in pins.py."""
    found = results.verdicts()
    for row, (verdict, value) in rows.items():
        got = found.get(row, ("not judged", 0, ""))
        if got[0] != verdict or (value is not None and abs(got[1] - value) > 1e-6 * max(1, abs(value))):
            raise Complaint(f"{row}: {got[:2]}, not {(verdict, value)}")
        if sentences.get(row, "") not in got[2]:
            raise Complaint(f"{row} says: {got[2]}")


def as_number(text):
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def every(rows, claim, text):
    """Each row must make the claim true; `text` says what is wrong where it does not."""
    for row in rows:
        if not claim(row):
            raise Complaint(f"{text}: {row}")


def same(got, expected, what):
    """Counts that are exact are compared exactly."""
    if got != expected:
        raise Complaint(f"{what}: {got}, not {expected}")


def near(got, expected, what):
    """The same but for rounding."""
    if not math.isclose(got, expected, rel_tol=1e-9):
        raise Complaint(f"{what}: {got}, not {expected}")


def ordered(rows, low, value, high):
    """Intervals with their value inside."""
    every(rows, lambda r: not all(map(finite, (r[low], r[high]))) or
          r[low] <= r[value] <= r[high], f"{value} is not between {low} and {high}")


def finite(number):
    return isinstance(number, (int, float)) and math.isfinite(number)
