#!/usr/bin/env python3
# test_check_layers.py - a tree that breaks one rule is refused, with the rule's sentence.
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).parents[2] / "tools" / "check_layers.py"

GOOD = {
    "include/cairn/base.h": "// base.h - what all lean on.\n#pragma once\n",
    "include/cairn/world.h": '// world.h - the world.\n#include "cairn/base.h"\n',
    "include/cairn/cairn.h": '// cairn.h - everything.\n#include "cairn/world.h"\n',
    "src/base/memory.c": "// memory.c - memory.\nvoid* take(void) {\n    return malloc(1);\n}\n",
    "src/world/step/step.c": (
        "// step.c - one step.\n"
        '#include "world/step/step.h"\n'
        '#include "base/arena.h"\n'
        '#include "cairn/world.h"\n'
        "#include <string.h>\n"
        "// free(this) and printf(that) are only words here.\n"
        "static const int table[] = {1, 2};\n"
        "static int twice(int x) {\n"
        '    const char* name = "exit(1)";\n'
        "    return pool->free(x) + snprintf(buffer, 3, name);\n"
        "}\n"
    ),
    "cli/main.c": '// main.c - the program.\n#include "cairn/cairn.h"\n#include "command.h"\n',
    "cli/command.h": "// command.h - one command.\n",
}


def complaints(changes):
    """What the checker prints about the good tree with some files replaced."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in {**GOOD, **changes}.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = subprocess.run(
            [sys.executable, CHECKER, root], capture_output=True, text=True, check=False
        )
        expected = 1 if result.stdout else 0
        assert result.returncode == expected, result.stderr
        return result.stdout.splitlines()


class CheckLayers(unittest.TestCase):
    def refuses(self, name, text, sentence):
        found = complaints({name: text})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(name + ":"), found)
        self.assertIn(sentence, found[0])

    def test_a_good_tree_passes(self):
        self.assertEqual(complaints({}), [])

    def test_looking_right_is_refused(self):
        text = '// a.c - a.\n#include "world/step/step.h"\n'
        self.refuses("src/solvers/a.c", text, 'solvers includes "world/step/step.h"')

    def test_looking_right_through_a_public_header_is_refused(self):
        text = '// a.c - a.\n#include "cairn/world.h"\n'
        self.refuses("src/linalg/a.c", text, 'linalg includes "cairn/world.h" of world')

    def test_a_public_header_of_a_lower_noun_may_not_include_a_higher_one(self):
        text = '// base.h - b.\n#include "cairn/world.h"\n'
        self.refuses("include/cairn/base.h", text, "to its right")

    def test_a_public_header_without_a_layer_is_refused(self):
        self.refuses("include/cairn/new.h", "// new.h - new.\n", "without a layer")

    def test_the_users_header_is_refused_in_the_library(self):
        text = '// a.c - a.\n#include "cairn/cairn.h"\n'
        self.refuses("src/io/a.c", text, "is for users")

    def test_an_include_without_its_layer_is_refused(self):
        text = '// a.c - a.\n#include "step.h"\n'
        self.refuses("src/world/a.c", text, "is not a layer path")

    def test_a_folder_that_is_no_layer_is_refused(self):
        self.refuses("src/misc/a.c", "// a.c - a.\n", "is not a layer")

    def test_the_command_line_sees_no_internal_header(self):
        text = '// main.c - m.\n#include "world/step/step.h"\n'
        self.refuses("cli/main.c", text, "visible here")

    def test_a_type_name_with_two_meanings_is_refused(self):
        first = "// a.c - a.\ntypedef struct State {\n    int x;\n} State;\n"
        second = "// b.c - b.\nstruct State {\n    double y;\n};\n"
        found = complaints({"src/base/a.c": first, "cli/b.c": second})
        self.assertEqual(
            found, ["cli/b.c:2: State is another type in src/base/a.c; rename one"]
        )
        self.assertEqual(complaints({"src/base/a.c": first, "tests/b.c": second}), [])

    def test_a_folder_with_too_many_files_is_refused(self):
        files = {f"bench/b{i}.c": f"// b{i}.c - b.\n" for i in range(33)}
        self.assertEqual(complaints(files), ["bench:1: 33 files; divide the folder at 32"])
        files.pop("bench/b32.c")
        self.assertEqual(complaints(files), [])

    def test_forbidden_calls_are_refused(self):
        calls = ["malloc(1)", "free(p)", 'printf("x")', "exit(1)", "abort()", "sin(x)"]
        for call in [*calls, '__builtin_cpu_supports("avx2")']:
            with self.subTest(call=call):
                text = f"// a.c - a.\nvoid f(void) {{\n    {call};\n}}\n"
                self.refuses("src/world/a.c", text, f"calls {call[:call.index('(')]}:")

    def test_streams_are_refused(self):
        text = '// a.c - a.\nvoid f(void) {\n    fprintf(stderr, "x");\n}\n'
        self.refuses("src/world/a.c", text, "uses stderr")

    def test_state_is_refused(self):
        for line in ["static int count;", "int count = 0;", "    static double last[3] = {0};"]:
            with self.subTest(line=line):
                self.refuses("src/world/a.c", f"// a.c - a.\n{line}\n", "has no state")

    def test_a_file_without_its_sentence_is_refused(self):
        for first in ["", "// a.c", "// b.c - wrong name.", "// a.c - no full stop"]:
            with self.subTest(first=first):
                self.refuses("tests/a.c", first + "\n", "the first line must read")

    def test_a_file_of_801_lines_is_refused(self):
        lines = ["// a.c - a."] + ["// line"] * 799
        self.assertEqual(complaints({"tests/a.c": "\n".join(lines) + "\n"}), [])
        self.refuses("tests/a.c", "\n".join(lines + ["// line"]) + "\n", "801 lines")

    def test_a_function_of_121_lines_is_refused(self):
        for extra, allowed in [(118, True), (119, False)]:
            body = "".join("    work();\n" for _ in range(extra))
            text = f"// a.c - a.\nstatic void f(int a, int b) {{\n{body}}}\n"
            with self.subTest(lines=extra + 2):
                if allowed:
                    self.assertEqual(complaints({"tests/a.c": text}), [])
                else:
                    self.refuses("tests/a.c", text, "a function of 121 lines")

    def test_a_long_table_is_not_a_function(self):
        rows = "".join("    {1, f(2)},\n" for _ in range(200))
        text = f"// a.c - a.\nstatic const Row rows[] = {{\n{rows}}};\n"
        self.assertEqual(complaints({"src/world/a.c": text}), [])


if __name__ == "__main__":
    unittest.main()
