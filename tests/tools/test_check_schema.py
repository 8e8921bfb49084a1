#!/usr/bin/env python3
# test_check_schema.py - scenes that break the schema are refused, and why.
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).parents[2] / "tools" / "check_schema.py"
BALL = {"shapes": [{"type": "sphere", "radius": 0.5}]}


def run(text, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "scene.json"
        path.write_text(text)
        return subprocess.run(
            [sys.executable, CHECKER, *options, path], capture_output=True, text=True, check=False
        )


def mistakes(**scene):
    """What the checker says about a scene, without the file's name."""
    result = run(json.dumps({"cairn": 1, **scene}))
    lines = result.stdout.splitlines()[:-1]
    assert result.returncode == (1 if lines else 0), result.stderr
    return [line.split("scene.json: ", 1)[1] for line in lines]


class CheckSchema(unittest.TestCase):
    def test_good_scenes_pass(self):
        self.assertEqual(mistakes(), [])
        self.assertEqual(mistakes(bodies=[BALL], gravity=[0, 0, -1.5]), [])
        self.assertEqual(mistakes(bodies=[{**BALL, "rotation": [1, 0, 0, 0]}]), [])
        self.assertEqual(mistakes(bodies=[{"mass": 1, "inertia": [1, 1, 1]}]), [])

    def test_unknown_keys_are_refused(self):
        self.assertEqual(mistakes(gravty=[0, 0, 0]), ["gravty: must not be there"])
        self.assertEqual(
            mistakes(bodies=[{**BALL, "colour": 1}]), ["bodies[0].colour: must not be there"]
        )

    def test_types_and_ranges_are_checked(self):
        self.assertEqual(mistakes(duration="2 s"), ["duration: is not of type number"])
        self.assertEqual(mistakes(duration=True), ["duration: is not of type number"])
        self.assertEqual(mistakes(duration=-1), ["duration: is below 0"])
        self.assertEqual(mistakes(step={"dt": 0}), ["step.dt: is not above 0"])
        self.assertEqual(mistakes(step={"substeps": 1.5}), ["step.substeps: is not of type integer"])
        self.assertEqual(mistakes(gravity=[0, 1]), ["gravity: has fewer than 3 items"])
        self.assertEqual(len(mistakes(step={"scheme": "euler"})), 1)

    def test_keys_that_need_each_other_are_checked(self):
        self.assertEqual(
            mistakes(bodies=[{"inertia": [1, 1, 1]}]), ["bodies[0]: has 'inertia' without 'mass'"]
        )
        self.assertEqual(len(mistakes(bodies=[{"shapes": [{"type": "sphere"}]}])), 1)
        both = {"axis": [0, 0, 1], "degrees": 1, "radians": 1}
        self.assertEqual(len(mistakes(bodies=[{**BALL, "rotation": both}])), 1)
        pin = {"kind": "pin", "body": "a", "point_a": [0, 0, 0]}
        self.assertEqual(mistakes(constraints=[pin]), [])
        self.assertEqual(len(mistakes(constraints=[{**pin, "length": 1}])), 1)

    def test_what_is_not_json_is_refused(self):
        self.assertEqual(run("{").returncode, 1)
        self.assertEqual(run('{"cairn": 1, "duration": NaN}').returncode, 1)

    def test_a_schema_with_an_unknown_keyword_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            schema = pathlib.Path(folder) / "s.json"
            schema.write_text('{"maxProperties": 3}')
            self.assertEqual(run("{}", "--schema", schema).returncode, 2)


if __name__ == "__main__":
    unittest.main()
