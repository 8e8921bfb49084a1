#!/usr/bin/env python3
# test_comparison.py - any change of a golden run is found, and told by step and size.
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

GOLDEN = os.environ["GOLDEN"]
ROOT = pathlib.Path(__file__).parents[2]
TIMEOUT_SECONDS = 500


def golden(*arguments):
    return subprocess.run(
        [GOLDEN, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )


class Comparison(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "values.txt"

    def written(self, *runs):
        """The values of these runs, as text."""
        result = golden("--write", self.path, *runs)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.path.read_text()

    def compared(self, text, *runs):
        """What is said of the runs when this text is stored; it must be said with 1."""
        self.path.write_text(text)
        result = golden("--compare", self.path, *runs)
        self.assertEqual(result.returncode, 1, result.stdout)
        return result.stdout + result.stderr

    def test_what_was_just_written_is_the_same(self):
        self.written("heap", "joints")
        result = golden("--compare", self.path, "heap", "joints")
        self.assertEqual((result.returncode, result.stdout), (0, "2 runs, 0 different\n"))

    def test_a_changed_digest_names_its_step(self):
        digits = re.compile(r"(run heap .*\n(?:[0-9a-f]{4} ){4})([0-9a-f]{4})")
        text = digits.sub(lambda m: f"{m[1]}{int(m[2], 16) ^ 1:04x}", self.written("heap"))
        self.assertIn("changed  heap: from step 5 of 100 on", self.compared(text, "heap"))

    def test_one_bit_of_the_last_hash_is_found(self):
        digits = re.compile(r"(sample 100 [0-9a-f]{15})([0-9a-f])")
        text = digits.sub(lambda m: f"{m[1]}{int(m[2], 16) ^ 1:x}", self.written("heap"))
        self.assertIn("changed  heap: from step 100 of 100 on", self.compared(text, "heap"))

    def test_a_change_is_told_in_metres(self):
        """A micrometre at step 100: the sum is rounded to 2 digits when it is shown."""

        def move(match):
            return f"{match[1]}{int(match[2], 16) ^ 1:x}{match[3]}{float(match[4]) + 1e-6:.17g} "

        place = re.compile(r"(sample 100 [0-9a-f]{15})([0-9a-f])(.*\nbody.*\nbody \d+ )(\S+) ")
        report = self.compared(place.sub(move, self.written("heap")), "heap")
        self.assertIn("at step 100: position 1e-06 m, rotation 0 rad, velocity 0 m/s", report)

    def test_another_tolerance_is_another_run(self):
        text = self.written("heap_loose").replace("run heap_loose", "run heap_cold")
        report = self.compared(text, "heap_cold")
        self.assertRegex(report, r"changed  heap_cold: from step \d+ of 60 on\n")

    def test_a_run_that_fails_earlier_is_told(self):
        text = self.written("incline").replace("run incline ok", "run incline invalid")
        report = self.compared(text, "incline")
        self.assertIn("ended after 60 steps with ok, before after 60 with invalid", report)

    def test_runs_that_come_and_go_are_told(self):
        text = self.written("heap").replace("run heap ", "run old_heap ")
        self.assertIn("new      heap", self.compared(text, "heap"))
        self.assertIn("gone     old_heap", self.compared(text, "heap", "old_heap"))

    def test_a_broken_file_is_not_taken_for_the_same(self):
        for text in ("", "<<<<<<< HEAD\n", self.written("heap")[:1000]):
            self.compared(text, "heap")

    def test_a_name_of_no_run_is_not_taken_for_the_same(self):
        self.compared(self.written("heap"), "no_such_run")


if __name__ == "__main__":
    unittest.main()
