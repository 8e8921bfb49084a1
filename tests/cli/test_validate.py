#!/usr/bin/env python3
# test_validate.py - `cairn validate` runs the cases it is asked for, and all of them pass.
import os
import pathlib
import unittest

from program import USAGE, ProgramTest

KEYS = ["case", "quantity", "reference", "value", "error", "tolerance", "pass"]

# Rows that say something about every step of a case that runs a scene.
BOOKS = [
    "energy ledger, relative",
    "momentum ledger, relative",
    "attribution by channel, relative",
    "worst residual [m/s]",
]

# All cases that take longer than 0.3 s, together nine tenths of the time; with sanitizers, which slow
# them down ten times, they are left out.
LONG_CASES = """four-bars arch-1095 bricard double-pendulum-wall arch-1094 bounce incline arch-edges-1066
    universal pendulum implicit-stack implicit-pendulum articulated-pendulum planetary incline-30 long-rest
    heavy-top""".split()

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Validate(ProgramTest):
    def test_every_case_passes(self):
        cases = [item["case"] for item in self.data("validate", "--list")]
        if os.environ.get("CAIRN_SANITIZE"):
            cases = [case for case in cases if case not in LONG_CASES]
        rows = self.data("validate", *cases)
        self.assertEqual([row for row in rows if not row["pass"]], [])
        self.assertEqual({row["case"] for row in rows}, set(cases))

    def test_rows_have_the_keys_of_the_contract(self):
        rows = self.data("validate", "head-on")
        self.assertEqual({row["case"] for row in rows}, {"head-on"})
        for row in rows:
            self.assertEqual(list(row), KEYS)
            self.assertEqual(row["pass"], row["error"] <= row["tolerance"])
            self.assertEqual(row["error"], abs(row["value"] - row["reference"]))

    def test_a_case_that_runs_a_scene_ends_with_its_books(self):
        rows = self.data("validate", "resting")
        self.assertEqual([row["quantity"] for row in rows[-4:]], BOOKS)
        self.assertEqual([row["tolerance"] for row in rows[-4:]], [1e-12] * 4)

    def test_a_group_names_its_cases(self):
        listed = self.data("validate", "--list", "collisions")
        self.assertEqual([item["group"] for item in listed], ["collisions"] * len(listed))
        cases = {row["case"] for row in self.data("validate", "collisions")}
        self.assertEqual(cases, {item["case"] for item in listed})

    def test_case_names_are_unique(self):
        names = [item["case"] for item in self.data("validate", "--list")]
        self.assertEqual(len(names), len(set(names)))

    def test_the_manual_names_every_case(self):
        manual = (ROOT / "docs/manual/validation.md").read_text()
        for item in self.data("validate", "--list"):
            self.assertIn(f"| `{item['case']}` |", manual)

    def test_an_unknown_case_names_the_nearest(self):
        self.refuses("validate", "head-onn", code=USAGE, saying='did you mean "head-on"?')
        self.refuses("validate", "zzzzzzzzzz", code=USAGE, saying="validate --list")

    def test_the_table_goes_to_stdout_and_the_count_to_stderr(self):
        result = self.run_cairn("validate", "free-fall")
        self.assertEqual(result.stdout.count("pass "), 6)
        self.assertIn("6 passed, 0 failed", result.stderr)
        self.assertEqual(self.run_cairn("validate", "free-fall", "--quiet").stderr, "")


if __name__ == "__main__":
    unittest.main()
