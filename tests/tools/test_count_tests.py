#!/usr/bin/env python3
# test_count_tests.py - what ctest reports is added up case by case, and failures are never lost.
import pathlib
import subprocess
import sys
import tempfile
import unittest

COUNTER = pathlib.Path(__file__).parents[2] / "tools" / "count_tests.py"


def count(*tests):
    """(passed, failed) of a report with these (status, output) entries."""
    cases = "".join(
        f'<testcase name="t" status="{status}"><system-out>{output}</system-out></testcase>'
        for status, output in tests
    )
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as report:
        report.write(f"<testsuite>{cases}</testsuite>")
        report.flush()
        words = subprocess.check_output([sys.executable, COUNTER, report.name], text=True).split()
    return int(words[0]), int(words[1])


class CountTests(unittest.TestCase):
    def test_programs_count_for_their_cases(self):
        good = ("run", "a: 3 passed, 0 failed\n")
        bad = ("fail", "b: wrong\nb: 4 passed, 2 failed\n")
        self.assertEqual(count(good, bad), (7, 2))

    def test_scripts_count_once(self):
        self.assertEqual(count(("run", "whatever"), ("fail", "whatever")), (1, 1))

    def test_a_failure_after_all_cases_passed_counts(self):
        self.assertEqual(count(("fail", "a: 3 passed, 0 failed\n")), (3, 1))

    def test_a_program_that_never_ran_counts_as_failed(self):
        self.assertEqual(count(("notrun", "")), (0, 1))


if __name__ == "__main__":
    unittest.main()
