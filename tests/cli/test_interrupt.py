# test_interrupt.py - Ctrl-C and SIGTERM: the step is finished, files are whole, the code says which.
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from program import CAIRN, ProgramTest, contact_problem

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
LONG = ["--duration", "1e6"]
# What a test waits for before it gives up [s]: a step of the scenes here takes milliseconds, and the
# machine may be busy.
PATIENCE = 120.0


# Whoever runs these tests may ignore signals, which programs inherit; caught ones they do not.
for caught in CODES:
    signal.signal(caught, signal.default_int_handler)


class Running:
    """A cairn that runs, with its output in files or pipes."""

    def __init__(self, *arguments, stdout=subprocess.PIPE):
        command = [CAIRN, *map(str, arguments)]
        self.process = subprocess.Popen(
            command, stdout=stdout, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
        )

    def wait_for(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"ended too early or never began: {self.process.poll()}")
            time.sleep(0.002)

    def finish(self):
        """Exit code, stdout (None when it is a file) and stderr."""
        stdout, stderr = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, stdout, stderr


def lines_of(path):
    """The lines of a file, all of them whole."""
    text = path.read_text()
    assert text == "" or text.endswith("\n"), text[-100:]
    return [json.loads(line) for line in text.splitlines()]


class Interrupted(ProgramTest):
    def setUp(self):
        super().setUp()
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.events = self.folder / "events.jsonl"

    def run_until_events(self, *arguments, scene="@spheres:16", count=1, **options):
        self.events.unlink(missing_ok=True)  # it tells that the program has begun
        running = Running("run", scene, *LONG, "--events", self.events, *arguments, **options)
        running.wait_for(lambda: self.events.exists() and self.events.stat().st_size > count)
        return running

    def test_the_honest_line_says_interrupted(self):
        for number, code in CODES.items():
            running = self.run_until_events()
            running.process.send_signal(number)
            ended, out, err = running.finish()
            self.assertEqual(ended, code, err)
            self.assertEqual(out.count("\n"), 1)
            self.assertRegex(out, r"^spheres: interrupted at [0-9.e+-]+ of 1e\+06 s; [0-9]+ steps, ")
            self.assertRegex(out, r"hash [0-9a-f]{16}\n$")
            self.assertIn("a second signal ends at once", err)
            self.assertGreater(len(lines_of(self.events)), 0)

    def test_json_is_one_object_that_says_so(self):
        for number, code in CODES.items():
            for wait in (0.0, 0.05, 0.4):
                running = self.run_until_events("--json", "--quiet")
                time.sleep(wait)
                running.process.send_signal(number)
                ended, out, err = running.finish()
                self.assertEqual((ended, err), (code, ""))
                data = json.loads(out)
                self.assertIs(data["interrupted"], True)
                self.assertGreater(data["steps"], 0)
                self.assertAlmostEqual(data["time"], data["steps"] * 1e-3, places=9)
                last = lines_of(self.events)[-1]
                self.assertLessEqual(last["time"], data["time"] + 1e-9)

    def test_what_was_not_interrupted_does_not_say_so(self):
        self.assertNotIn("interrupted", self.data("run", "@stack:2", "--duration", "0.01"))

    def test_output_may_be_a_file(self):
        path = self.folder / "out.json"
        with path.open("w") as stdout:
            running = self.run_until_events("--json", stdout=stdout)
            running.process.send_signal(signal.SIGTERM)
            self.assertEqual(running.finish()[0], 143)
        self.assertIs(json.loads(path.read_text())["interrupted"], True)

    def test_threads_do_not_lose_the_signal(self):
        for _ in range(5):
            running = self.run_until_events("--threads", "3", "--json")
            running.process.send_signal(signal.SIGINT)
            ended, out, _ = running.finish()
            self.assertEqual(ended, 130)
            self.assertIs(json.loads(out)["interrupted"], True)

    def test_the_steps_that_were_made_are_those_of_a_shorter_run(self):
        running = self.run_until_events("--json")
        running.process.send_signal(signal.SIGINT)
        cut = json.loads(running.finish()[1])
        events = lines_of(self.events)
        again = self.folder / "again.jsonl"
        arguments = ["--duration", str(cut["steps"] * 1e-3), "--events", again]
        whole = self.data("run", "@spheres:16", *arguments)
        self.assertEqual(whole["steps"], cut["steps"])
        self.assertEqual(whole["hash"], cut["hash"])
        self.assertEqual(lines_of(again), events)

    # A killed program has no time to finish, but its lines are whole: they are written step by step.
    def test_lines_are_whole_even_when_it_is_killed(self):
        for wait in (0.0, 0.03, 0.1, 0.3):
            running = self.run_until_events()
            time.sleep(wait)
            running.process.kill()
            running.finish()
            self.assertGreater(len(lines_of(self.events)), 0)

    # A step that does not end: the first signal waits for it, the second does not.
    def test_a_second_signal_ends_at_once(self):
        endless = ["--solver=pgs", "--tolerance=1e-300", "--max-iterations=2000000000"]
        for first, second in ((signal.SIGINT,) * 2, (signal.SIGINT, signal.SIGTERM)):
            self.events.unlink(missing_ok=True)
            running = Running(
                "run", "@stack:3", *endless, "--work-budget=1e18", "--events", self.events
            )
            running.wait_for(self.events.exists)
            running.process.send_signal(first)
            self.assertIn("a second signal ends at once", running.process.stderr.readline())
            self.assertIsNone(running.process.poll())
            running.process.send_signal(second)
            ended, out, _ = running.finish()
            self.assertEqual((ended, out), (CODES[second], ""))
            self.assertEqual(lines_of(self.events), [])

    # As shells start programs in the background of a script.
    def test_a_signal_that_is_ignored_stays_ignored(self):
        for number in CODES:
            arguments = ["run", "@spheres:16", "--duration", "0.3", "--events", self.events]
            self.events.unlink(missing_ok=True)
            before = signal.signal(number, signal.SIG_IGN)
            try:
                running = Running(*arguments)
            finally:
                signal.signal(number, before)
            running.wait_for(self.events.exists)
            running.process.send_signal(number)
            ended, out, err = running.finish()
            self.assertEqual(ended, 0, err)
            self.assertNotIn("interrupted", out)

    def test_a_dump_that_was_not_reached_is_named(self):
        path = self.folder / "problem.json"
        running = self.run_until_events("--dump-problem", "1000000", path)
        running.process.send_signal(signal.SIGINT)
        ended, _, err = running.finish()
        self.assertEqual(ended, 130)
        self.assertIn("interrupted before step 1000000", err)
        self.assertFalse(path.exists())

    # Every answer replaces the file: signals come while it is written, sooner or later.
    def test_no_partial_files_are_left(self):
        problem = self.folder / "problem.json"
        problem.write_text(contact_problem(bodies=400))
        output = self.folder / "answer.json"
        for i in range(30):
            running = Running("solve", problem, "--solver", "nsgs", "--output", output)
            time.sleep(0.002 * i)
            running.process.send_signal(signal.SIGTERM)
            running.process.send_signal(signal.SIGTERM)
            running.finish()
            left = [name for name in os.listdir(self.folder) if name.endswith(".partial")]
            self.assertEqual(left, [])
            if output.exists():
                json.loads(output.read_text())

    def test_solve_keeps_the_answers_it_has(self):
        folder = self.folder / "problems"
        folder.mkdir()
        for i in range(400):
            (folder / f"{i:03}.json").write_text(contact_problem(bodies=60))
        for arguments in ([], ["--json"]):
            path = self.folder / "out"
            with path.open("w") as stdout:
                running = Running("solve", folder, "--solver", "all", *arguments, stdout=stdout)
                running.wait_for(lambda: path.stat().st_size > 0)
                running.process.send_signal(signal.SIGINT)
                ended, _, err = running.finish()
            self.assertEqual(ended, 130, err)
            self.assertRegex(err, r"interrupted in problem [0-9]+ of 400")
            text = path.read_text()
            if arguments:
                answers = json.loads(text)
                self.assertGreater(len(answers), 0)
                self.assertTrue(all("outcome" in answer for answer in answers))
            else:
                self.assertIn("all problems", text)

    def test_validate_keeps_whole_cases(self):
        running = Running("validate", "--json")
        time.sleep(1.0)  # all cases take 10 s
        running.process.send_signal(signal.SIGINT)
        ended, out, err = running.finish()
        self.assertEqual(ended, 130, err)
        self.assertRegex(err, r"interrupted after [0-9]+ of [0-9]+ cases")
        self.assertTrue(all(row["pass"] for row in json.loads(out)))

    def test_bench_keeps_what_it_measured(self):
        running = Running("bench", "@stack:3", "@spheres:16", "--steps", "10000000", "--json")
        time.sleep(2.0)  # for some steps, which take a millisecond each
        running.process.send_signal(signal.SIGTERM)
        ended, out, err = running.finish()
        self.assertEqual(ended, 143, err)
        self.assertIn("interrupted", err)
        rows = json.loads(out)
        self.assertEqual([row["scene"] for row in rows], ["@stack:3"])
        self.assertTrue(0 < rows[0]["steps"] < 10000000)

    def test_who_waits_for_standard_input_ends_at_once(self):
        for command in ("run", "solve", "check"):
            process = subprocess.Popen(
                [CAIRN, command, "-"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=PATIENCE)
            process.communicate()
            self.assertIn(code, (130, -signal.SIGINT), command)  # -2: before main() began


if __name__ == "__main__":
    unittest.main()
