#!/usr/bin/env python3
# count_tests.py - adds up the test cases in a JUnit file written by ctest.
#
# Prints two numbers, passed and failed. A test program that ends with "12 passed, 1 failed" counts
# for its cases; any other counts once. A program that fails although all its cases passed (a leak,
# a crash at exit) counts as one more failure.
import re
import sys
import xml.etree.ElementTree as xml

SUMMARY = re.compile(r"\b(\d+) passed, (\d+) failed\s*$")


def cases_of(test):
    """(passed, failed) of one ctest entry."""
    ran = test.get("status") == "run"
    summary = SUMMARY.search(test.findtext("system-out") or "")
    if summary is None:
        return (1, 0) if ran else (0, 1)
    passed, failed = int(summary.group(1)), int(summary.group(2))
    if not ran and failed == 0:
        failed = 1
    return passed, failed


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} JUNIT_FILE")
    counts = [cases_of(test) for test in xml.parse(sys.argv[1]).getroot().iter("testcase")]
    print(sum(passed for passed, _ in counts), sum(failed for _, failed in counts))


if __name__ == "__main__":
    main()
