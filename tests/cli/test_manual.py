#!/usr/bin/env python3
# test_manual.py - every joint that the manual shows loads, runs and has the type it is shown under.
import json
import pathlib
import re
import unittest

from program import ProgramTest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/manual/joints.md"
SECTION = re.compile(r"^### (\w+)$(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TYPES = 22


def body(name, x):
    return {"name": name, "position": [x, 0, 0], "shapes": [{"type": "box", "size": [0.2, 0.2, 0.2]}]}


def slider(name, of):
    return {"name": name, "type": "slider", "body": of, "point": [0, 0, 0], "axis": [0, 1, 0]}


class Manual(ProgramTest):
    def test_every_joint_shown_runs(self):
        sections = SECTION.findall(PAGE.read_text())
        self.assertEqual(len(sections), TYPES)
        for name, text in sections:
            joint = json.loads(BLOCK.search(text).group(1))
            self.assertEqual(joint["type"], name)
            self.assertIn(f"joints/{name}.svg", text)
            joint["name"] = "shown"
            scene = {
                "cairn": 1, "duration": 0.1,
                "series": {"shake": {"times": [0, 1], "values": [0, 0.1]},
                           "still": {"times": [0], "values": [0]}},
                "bodies": [body("a", 0), body("b", 1)],
                "joints": [joint] if name != "mimic" else [slider("left", "a"), slider("right", "b"), joint],
            }
            with self.subTest(joint=name):
                result = self.data("run", "-", "--json", stdin=json.dumps(scene))
                self.assertEqual(result["joints"][-1]["type"], name)
                self.assertEqual(result["not_converged"], 0)
                self.assertLess(result["joint_error"]["worst"], 1e-9)
                self.assertLess(result["joint_error"]["worst_angle"], 1e-9)


if __name__ == "__main__":
    unittest.main()
