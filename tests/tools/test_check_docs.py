#!/usr/bin/env python3
# test_check_docs.py - documents that show or name what is not there are refused.
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).parents[2] / "tools" / "check_docs.py"
PROGRAM = "// fall.c - falls.\nint main(void) {\n    step();\n\n    return 0;\n}\n"


# A tree in which there is something that a page on sources can name.
NAMED = {
    "include/cairn/stone.h": "typedef struct CnStone {\n    double mass;\n} CnStone;\nvoid cn_fall(void);\n",
    "scenes/scene.schema.json": '{"dt": {}}\n',
    "tests/test_fall.c": "static void it_falls(void) {\n}\n",
    "cli/validate/falls.c": '    {"free-fall", "It falls", free_fall},\n',
}


def complaints(readme, guide="", sources=None, **files):
    """What the checker prints about a tree with one example, this README, guide and files."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in ["examples", "docs/theory", "src"]:
            (root / name).mkdir(parents=True)
        (root / "examples" / "fall.c").write_text(PROGRAM)
        (root / "docs" / "scene.md").write_text("# Scenes\n")
        page = root / "docs" / "theory" / "fall.md"
        page.write_text("    v = g t    (1)\n$$ x = v t \\tag{2} $$\n")
        if sources is not None:
            named = {"docs/manual/sources.md": sources, **NAMED}
            for name, text in named.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
        (root / "README.md").write_text(readme)
        (root / "ARCHITECTURE.md").write_text(guide)
        for name, text in files.items():
            (root / "src" / f"{name}.c").write_text(text)
        result = subprocess.run(
            [sys.executable, CHECKER, root], capture_output=True, text=True, check=False
        )
        assert result.returncode == (1 if result.stdout else 0), result.stderr
        return result.stdout.splitlines()


class CheckDocs(unittest.TestCase):
    def test_a_whole_example_passes(self):
        self.assertEqual(complaints(f"# R\n\n```c\n{PROGRAM}```\n"), [])

    def test_some_lines_of_an_example_pass(self):
        self.assertEqual(complaints("```c\nstep();\nreturn 0;\n```\n"), [])

    def test_code_that_is_in_no_example_is_refused(self):
        changed = PROGRAM.replace("step", "leap")
        expected = ["README.md:3: this C code is not in examples/"]
        self.assertEqual(complaints(f"# R\n\n```c\n{changed}```\n"), expected)
        self.assertEqual(complaints("# R\n\n```c\nleap();\n```\n"), expected)

    def test_a_program_must_be_whole(self):
        part = PROGRAM.split("\n", 1)[1]
        self.assertEqual(len(complaints(f"```c\n{part}```\n")), 1)

    def test_links_must_lead_somewhere(self):
        good = "[a](docs/scene.md) [b](docs/scene.md#x) [c](https://example.org/x) [d](#here)\n"
        self.assertEqual(complaints(good), [])
        found = complaints("x\n[a](docs/no.md)\n")
        self.assertEqual(found, ["README.md:2: docs/no.md does not exist"])

    def test_documents_named_in_comments_must_exist(self):
        self.assertEqual(complaints("", a="// docs/scene.md has the format.\n"), [])
        found = complaints("", a="// docs/theory/no.md (3)\n")
        self.assertEqual(found, ["src/a.c:1: docs/theory/no.md does not exist"])

    def test_equations_cited_must_exist(self):
        self.assertEqual(complaints("", a="// docs/theory/fall.md (1)-(2)\n"), [])
        found = complaints("", a="// docs/theory/fall.md (1)-(3)\n")
        self.assertEqual(found, ["src/a.c:1: docs/theory/fall.md has no equation (3)"])
        found = complaints("", a="// Weight: docs/theory/fall.md\n// (3).\n")
        self.assertEqual(found, ["src/a.c:1: docs/theory/fall.md has no equation (3)"])

    def test_sources_named_in_a_guide_must_exist(self):
        good = "`src/a.c`, `a.c`, `src/`, `src/<name>.c`, `{a,fall}.c`, `x = a.b`, `examples/*.c`\n"
        self.assertEqual(complaints("", guide=good, a=""), [])
        found = complaints("", guide="x\n`src/{a,b}.c` and `c.h`\n", a="")
        expected = ["ARCHITECTURE.md:2: there is no src/b.c", "ARCHITECTURE.md:2: there is no c.h"]
        self.assertEqual(found, expected)

    def test_a_wildcard_stays_in_its_folder(self):
        self.assertEqual(complaints("", guide="`src/*.c` `fall.c`\n", a=""), [])
        found = complaints("", guide="`docs/*.md` `docs/f*.md`\n")
        self.assertEqual(found, ["ARCHITECTURE.md:1: there is no docs/f*.md"])

    def sources(self, row):
        """Complaints about one row of docs/manual/sources.md."""
        text = f"| line | in Cairn | test |\n|---|---|---|\n{row}\n"
        return complaints("", sources=text)

    def test_tests_functions_and_keys_of_the_sources_must_exist(self):
        self.assertEqual(self.sources("| a | `cn_fall`, `CnStone.mass`, `step.dt` | `it_falls` |"), [])
        self.assertEqual(self.sources("| a | x | `validate free-fall` |"), [])
        place = "docs/manual/sources.md:3: "
        self.assertEqual(self.sources("| a | `cn_fly` | `it_falls` |"), [place + "there is no cn_fly"])
        found = self.sources("| a | `CnStone.weight` | `it_falls` |")
        self.assertEqual(found, [place + "there is no CnStone.weight"])
        found = self.sources("| a | `step.td` | `it_falls` |")
        self.assertEqual(found, [place + "there is no step.td"])
        self.assertEqual(self.sources("| a | x | `it_flies` |"), [place + "there is no test it_flies"])
        self.assertEqual(self.sources("| a | x | later |"), [place + "this line names no test"])


if __name__ == "__main__":
    unittest.main()
