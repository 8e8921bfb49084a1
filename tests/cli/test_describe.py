#!/usr/bin/env python3
# test_describe.py - man pages and completion come from the tables of options, and work.
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from program import CAIRN, ProgramTest

COMPLETE = """
source "$1"
COMP_LINE=$2
COMP_POINT=${#COMP_LINE}
COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
# Words as bash cuts them: at blanks, and "@" and "=" are words of their own.
text=${COMP_LINE//@/ @ }; text=${text//=/ = }
read -ra COMP_WORDS <<< "$text"
[[ $COMP_LINE == *" " ]] && COMP_WORDS+=("")
[[ $COMP_LINE == *@ ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_cairn
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Describe(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        subprocess.run([CAIRN, "describe", cls.path], check=True)
        cls.commands = [page.stem[len("cairn-"):] for page in cls.path.glob("man1/cairn-*.1")]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def complete(self, line):
        result = subprocess.run(["bash", "-c", COMPLETE, "bash", self.path / "completions/cairn", line],
                                capture_output=True, text=True, check=True, cwd=self.path)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_there_is_a_page_for_every_command(self):
        listed = [line.split()[0] for line in self.run_cairn("--help").stdout.splitlines()
                  if line.startswith("  ") and not line.startswith("  @")]
        self.assertEqual(sorted(self.commands), sorted(listed))

    def test_pages_name_every_option_of_help(self):
        for command in self.commands:
            words = self.run_cairn(command, "--help").stdout.split()
            page = (self.path / f"man1/cairn-{command}.1").read_text().replace("\\-", "-")
            for option in {word for word in words if word.startswith("--") and len(word) > 2}:
                self.assertIn(option.strip(",.;:`"), page, command)

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_pages_are_clean_troff(self):
        for page in self.path.glob("man1/*.1"):
            result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page],
                                    capture_output=True, text=True, check=True)
            self.assertEqual(result.stderr, "", page.name)
            shown = subprocess.run(["groff", "-man", "-Tascii", page],
                                   capture_output=True, text=True, check=True).stdout
            shown = re.sub(".\x08", "", shown)  # bold is a letter over itself
            for part in ["NAME", "SYNOPSIS", "EXIT STATUS"]:
                self.assertIn(part, shown)

    def test_commands_and_options_complete(self):
        self.assertEqual(self.complete("cairn va"), ["validate"])
        self.assertNotIn("describe", self.complete("cairn "))
        self.assertEqual(self.complete("cairn run --sche"), ["--scheme"])
        self.assertEqual(self.complete("cairn export --se"), ["--set"])
        self.assertIn("--json", self.complete("cairn check --"))

    def test_values_of_choices_complete(self):
        self.assertEqual(self.complete("cairn run --scheme imp"), ["implicit"])
        self.assertIn("nsgs", self.complete("cairn run x --solver "))

    def test_built_in_scenes_and_files_complete(self):
        self.assertIn("pyramid", [word.lstrip("@") for word in self.complete("cairn run @pyr")])
        (self.path / "wall.json").write_text("{}")
        self.assertEqual(self.complete("cairn run wal"), ["wall.json"])
        self.assertEqual(self.complete("cairn run x --dt wal"), [])


if __name__ == "__main__":
    unittest.main()
