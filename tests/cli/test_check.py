#!/usr/bin/env python3
# test_check.py - `cairn check` names everything that is wrong, with its line.
import json
import pathlib
import tempfile
import unittest

from program import FALLING_BALL, INVALID, ProgramTest, scene

PROBLEM_KEYS = ["file", "line", "path", "message", "severity"]


class Check(ProgramTest):
    def test_a_good_scene_is_ok(self):
        self.assertEqual(self.data("check", "-", stdin=scene()), {"ok": True, "problems": []})
        result = self.run_cairn("check", "-", stdin=scene())
        self.assertEqual(result.stdout, "")

    def test_all_mistakes_are_named_with_their_lines(self):
        bodies = [dict(body) for body in FALLING_BALL["bodies"]]
        bodies[1]["velocty"] = [0, 0, 0]
        text = scene(bodies=bodies, duration=-1)
        report = self.data("check", "-", stdin=text, code=INVALID)
        self.assertEqual(report["ok"], False)
        self.assertEqual(len(report["problems"]), 2)
        for problem in report["problems"]:
            self.assertEqual(list(problem), PROBLEM_KEYS)
            self.assertEqual(problem["severity"], "error")
        by_line = {problem["line"]: problem for problem in report["problems"]}
        lines = text.split("\n")
        for word in ["duration", "velocty"]:
            line = next(i for i, content in enumerate(lines, 1) if f'"{word}"' in content)
            self.assertIn(line, by_line)
        self.assertIn("velocity", json.dumps(report))  # the nearest spelling

    def test_friction_that_the_solver_lacks_is_told_at_its_line(self):
        text = '{"cairn": 1, "solver": {"name": "nsgs",\n"friction": "pyramid"}}'
        data = self.data("check", "-", stdin=text, code=INVALID)
        self.assertEqual([(p["line"], p["path"]) for p in data["problems"]], [(2, "solver.friction")])
        self.assertIn("these do: auto, lemke", data["problems"][0]["message"])

    def test_text_has_a_line_per_problem_as_compilers_write_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "bad.json")
            path.write_text(scene(duration=-1))
            result = self.run_cairn("check", path, code=INVALID)
        self.assertRegex(result.stdout, rf"^{path}:\d+: duration: .*\n$")

    def test_a_warning_does_not_spoil_a_scene(self):
        bodies = [dict(body) for body in FALLING_BALL["bodies"]]
        bodies[1]["position"] = [0, 0, 0.3]  # 0.2 m deep in the ground
        report = self.data("check", "-", stdin=scene(bodies=bodies))
        self.assertEqual(report["ok"], True)
        self.assertEqual([problem["severity"] for problem in report["problems"]], ["warning"])

    def test_a_missing_file_is_a_problem_without_a_line(self):
        report = self.data("check", "none.json", code=INVALID)
        self.assertEqual([problem["line"] for problem in report["problems"]], [0])
        self.assertEqual(report["problems"][0]["file"], "none.json")


if __name__ == "__main__":
    unittest.main()
