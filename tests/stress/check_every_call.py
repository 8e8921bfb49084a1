#!/usr/bin/env python3
# check_every_call.py - every function that include/cairn declares is called in tests/stress.
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
INCLUDE = HERE.parents[1] / "include" / "cairn"

# math.h: functions of numbers alone, to which no order of calls can matter. fclib.h: a library of its own,
# which not every build has; `make fuzz` spoils its files.
LEFT_OUT = {"math.h", "fclib.h"}


def declared():
    for header in sorted(INCLUDE.glob("*.h")):
        if header.name not in LEFT_OUT:
            text = re.sub(r"//.*", "", header.read_text())
            yield from re.findall(r"CN_API[^;(]*?\b(cn_\w+)\s*\(", text)


def main():
    calls = " ".join(path.read_text() for path in HERE.glob("*.c"))
    missing = [name for name in declared() if not re.search(rf"\b{name}\b", calls)]
    for name in missing:
        print(f"{name} is not called in tests/stress: add it to a calls_*.c, or a line to calls.c")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
