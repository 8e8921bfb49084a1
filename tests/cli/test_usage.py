#!/usr/bin/env python3
# test_usage.py - a wrong command line is met with a sentence, the nearest spelling and exit code 2.
import os
import pty
import select
import subprocess
import unittest

from program import CAIRN, FAILURE, USAGE, ProgramTest, cairn

COMMANDS = "run solve solvers check validate replay convert bench view render".split()


class Commands(ProgramTest):
    def test_help_lists_every_command_on_stdout(self):
        for word in ["--help", "-h"]:
            result = self.run_cairn(word)
            self.assertEqual(result.stderr, "")
            for command in COMMANDS:
                self.assertIn(f"\n  {command} ", result.stdout)

    def test_version_is_one_line(self):
        self.assertRegex(self.run_cairn("--version").stdout, r"^cairn \d+\.\d+\.\d+\n$")

    def test_version_tells_what_it_was_built_from(self):
        facts = self.data("version")
        self.assertEqual(list(facts), ["version", "compiler", "build", "amd", "hdf5", "simd_width"])
        self.assertIn(facts["simd_width"], [128, 256])
        self.assertRegex(facts["amd"], r"^\d+\.\d+\.\d+$")
        lines = self.run_cairn("version").stdout.splitlines()
        self.assertEqual(lines[0], f"cairn {facts['version']}")
        self.assertEqual(len(lines), 6)

    def test_help_explains_a_command_as_its_option_does(self):
        self.assertEqual(self.run_cairn("help").stdout, self.run_cairn("--help").stdout)
        for command in [*COMMANDS, "export", "help", "version"]:
            expected = self.run_cairn(command, "--help").stdout
            self.assertEqual(self.run_cairn("help", command).stdout, expected)
        self.refuses("help", "rum", code=USAGE, saying='did you mean "run"?')

    def test_no_command_is_a_usage_error_that_lists_the_commands(self):
        self.refuses(code=USAGE, saying=["a command is missing", *COMMANDS])

    def test_an_unknown_command_names_the_nearest_and_lists_those_that_exist(self):
        self.refuses("slove", code=USAGE, saying=['did you mean "solve"?', *COMMANDS])
        result = self.refuses("sweep", code=USAGE, saying=['unknown command "sweep"', *COMMANDS])
        self.assertNotIn("did you mean", result.stderr)

    def test_every_command_explains_its_options(self):
        for command in COMMANDS:
            for word in ["--help", "-h"]:
                result = self.run_cairn(command, word)
                self.assertIn(f"usage: cairn {command}", result.stdout)
                for option in ["--json", "--quiet", "--help"]:
                    self.assertIn(option, result.stdout)
                self.assertEqual(result.stderr, "")

    def test_help_names_the_choices_of_an_option(self):
        text = self.run_cairn("run", "--help").stdout
        for name in ["nsgs", "pgs", "moreau", "projection", "baumgarte"]:
            self.assertIn(name, text)


class Options(ProgramTest):
    def test_an_unknown_option_names_the_nearest(self):
        self.refuses("run", "@x", "--toleranse", "1", code=USAGE, saying="did you mean --tolerance?")
        self.refuses("run", "@x", "--toleranse=1", code=USAGE, saying="did you mean --tolerance?")
        self.refuses("run", "@x", "-dt", "1", code=USAGE, saying="did you mean --dt?")
        self.refuses("run", "@x", "--zzzzzzzz", code=USAGE, saying="`cairn run --help`")

    def test_options_of_later_versions_are_unknown(self):
        self.refuses("run", "@x", "--python", "f", code=USAGE, saying="unknown option --python")

    def test_numbers_are_read_strictly(self):
        for text in ["", "x", "1x", "1 ", " 1", "0x", "1,5", "--json"]:
            for spelling in [["--dt", text], [f"--dt={text}"]]:
                with self.subTest(text=text):
                    self.refuses("run", "@x", *spelling, code=USAGE, saying="is not a number")
        for text in ["0", "-1", "nan", "inf", "-inf", "1e999", "1e-999"]:
            with self.subTest(text=text):
                self.refuses(
                    "run", "@x", "--dt", text, code=USAGE, saying="must be finite and more than zero"
                )
        self.refuses("run", "@x", "--duration=-1", code=USAGE, saying="finite and zero or more")
        self.refuses("run", "@x", "--tolerance=0", code=USAGE, saying="finite and more than zero")

    def test_counts_are_whole_and_within_their_limits(self):
        for text in ["1.5", "two", "", "1e3"]:
            self.refuses("run", "@x", "--threads", text, code=USAGE, saying="not a whole number")
        for text in ["0", "-1", "257", "99999999999999999999"]:
            self.refuses("run", "@x", "--threads", text, code=USAGE, saying="between 1 and 256")

    def test_choices_name_the_nearest(self):
        for option, typed, meant in [
            ("--solver", "nsg", "nsgs"),
            ("--scheme", "moreu", "moreau"),
            ("--stabilisation", "projektion", "projection"),
        ]:
            saying = f'did you mean "{meant}"?'
            self.refuses("run", "@x", option, typed, code=USAGE, saying=saying)
        self.refuses("run", "@x", "--solver", "all", code=USAGE, saying=['has no value "all"', "the values are auto", "nsgs"])

    def test_a_missing_value_is_asked_for(self):
        self.refuses("run", "@x", "--dt", code=USAGE, saying="--dt needs a value: --dt H")

    def test_a_flag_takes_no_value(self):
        self.refuses("run", "@x", "--strict=yes", code=USAGE, saying="--strict takes no value")

    def test_operands_are_counted(self):
        self.refuses("run", code=USAGE, saying="SCENE is missing; usage: cairn run SCENE")
        self.refuses("run", "a", "b", code=USAGE, saying='unexpected "b"')
        self.refuses("solvers", "a", code=USAGE, saying='unexpected "a"')

    def test_after_two_dashes_everything_is_an_operand(self):
        self.refuses("run", "--", "-x", "--json", code=USAGE, saying='unexpected "--json"')


class Streams(ProgramTest):
    def error_on_a_terminal(self, **environment):
        terminal, child_side = pty.openpty()
        subprocess.run([CAIRN, "slove"], stderr=child_side, env={**os.environ, **environment})
        text = ""
        # Read while our end of the child's side is open: closing it may drop what was written.
        while select.select([terminal], [], [], 0.0)[0]:
            text += os.read(terminal, 4096).decode()
        os.close(child_side)
        os.close(terminal)
        self.assertIn("unknown command", text)
        return text

    def test_colours_are_for_terminals_that_want_them(self):
        red = "\033[31m"
        self.assertIn(red, self.error_on_a_terminal(TERM="xterm", NO_COLOR=""))
        self.assertNotIn(red, self.error_on_a_terminal(TERM="xterm", NO_COLOR="1"))
        self.assertNotIn(red, self.error_on_a_terminal(TERM="dumb", NO_COLOR=""))
        self.assertNotIn(red, cairn("slove", environment={"TERM": "xterm"}).stderr)

    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([CAIRN, "solvers"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, FAILURE)
        self.assertIn(b"standard output could not be written", result.stderr)


class Solvers(ProgramTest):
    def test_the_table_and_the_json_name_the_same_solvers(self):
        solvers = self.data("solvers")
        for solver in solvers:
            self.assertEqual(list(solver), ["name", "laws", "frictions", "explicit_matrix",
                                            "slow_at_mass_ratios", "exact", "summary"])
            self.assertLessEqual(set(solver["laws"]), {"equality", "bounds", "coulomb", "force"})
        lines = self.run_cairn("solvers").stdout.splitlines()[1:]
        self.assertEqual([line.split()[0] for line in lines], [s["name"] for s in solvers])
        self.assertLessEqual({"auto", "nsgs", "pgs"}, {s["name"] for s in solvers})


if __name__ == "__main__":
    unittest.main()
