#!/usr/bin/env python3
# test_export.py - scenes written out, changed from the command line, and gone on with.
import json
import pathlib
import tempfile
import unittest

from program import INVALID, USAGE, ProgramTest

CHAIN = {
    "cairn": 1, "duration": 0.2, "step": {"dt": 0.002},
    "repeat": [{
        "count": 5, "position": [0.2, 0, 0.01],
        "bodies": [{"name": "link", "position": [0.1, 0, 1],
                    "shapes": [{"type": "box", "size": [0.18, 0.02, 0.02]}]}],
        "joints": [{"type": "ball", "bodies": ["link:previous", "link"], "point": [0, 0, 1]}],
    }],
    "joints": [{"type": "ball", "bodies": ["world", "link_1"], "point": [0, 0, 1]}],
}


class Export(ProgramTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def write(self, name, scene):
        (self.path / name).write_text(json.dumps(scene))
        return self.path / name

    def check_same_run(self, scene, *options):
        """A scene and what export makes of it run to the same bits."""
        out = self.path / "out.json"
        self.run_cairn("export", scene, out)
        first = self.data("run", scene, *options)
        second = self.data("run", out, *options)
        self.assertEqual(first["hash"], second["hash"])
        return json.loads(out.read_text())

    def test_repeated_groups_are_written_out_bit_by_bit(self):
        written = self.check_same_run(self.write("chain.json", CHAIN))
        self.assertNotIn("repeat", written)
        self.assertEqual(len(written["bodies"]), 5)

    def test_included_files_are_written_out_bit_by_bit(self):
        self.write("chain.json", CHAIN)
        turn = {"axis": [0, 0, 1], "degrees": 40}
        top = {"cairn": 1, "duration": 0.2, "step": {"dt": 0.002}, "include": [
            {"file": "chain.json", "prefix": "a/"},
            {"file": "chain.json", "prefix": "b/", "position": [0, 2, 0.5], "rotation": turn}]}
        written = self.check_same_run(self.write("top.json", top))
        self.assertEqual(len(written["bodies"]), 10)

    def test_mimics_in_repeats_and_includes_are_written_out_bit_by_bit(self):
        wheel = {"mass": 2, "inertia": [1, 1, 1], "shapes": [{"type": "box", "size": [0.5, 0.5, 0.1]}]}
        pairs = {"cairn": 1, "gravity": [0, 0, 0], "duration": 0.5, "step": {"dt": 0.01}, "repeat": [{
            "count": 3, "position": [2, 0, 0],
            "bodies": [{"name": "leader", "angular_velocity": [0, 0, 1], **wheel},
                       {"name": "follower", "position": [1, 0, 0], **wheel}],
            "joints": [{"name": "first", "type": "hinge", "bodies": ["world", "leader"], "point": [0, 0, 0], "axis": [0, 0, 1]},
                       {"name": "second", "type": "hinge", "bodies": ["world", "follower"], "point": [1, 0, 0],
                        "axis": [0, 0, 1]},
                       {"name": "link", "type": "mimic", "leader": "first", "follower": "second", "ratio": 2}]}]}
        self.write("pairs.json", pairs)
        turn = {"axis": [0, 0, 1], "degrees": 90}
        top = self.write("top.json", {"cairn": 1, "gravity": [0, 0, 0], "duration": 0.5, "step": {"dt": 0.01}, "include": [
            {"file": "pairs.json", "prefix": "a/"},
            {"file": "pairs.json", "prefix": "b/", "position": [0, 5, 0], "rotation": turn}]})
        written = self.check_same_run(top)
        links = [joint for joint in written["joints"] if joint["type"] == "mimic"]
        self.assertEqual([(joint["name"], joint["leader"]) for joint in links],
                         [(f"{p}/link_{i}", f"{p}/first_{i}") for p in "ab" for i in (1, 2, 3)])
        # Alike wheels, the second at twice the rate: w + 2 (2 w) = 1 rad/s, so that w = 0.2 rad/s.
        for body in self.data("run", top)["bodies"]:
            rate = 0.2 if "leader" in body["name"] else 0.4
            self.assertAlmostEqual(body["angular_velocity"][2], rate, delta=1e-9)
        recording = self.path / "top.cairn"
        self.run_cairn("run", top, "--record", recording)
        self.assertIn("hashes equal", self.run_cairn("replay", recording).stdout)

    def test_built_in_scenes_are_written_out_bit_by_bit(self):
        for scene in ["@stack:4", "@chain:6", "@pile:1"]:
            with self.subTest(scene=scene):
                self.check_same_run(scene, "--duration", "0.1")

    def test_a_dash_is_standard_output(self):
        written = json.loads(self.run_cairn("export", "@stack:2", "-").stdout)
        self.assertEqual(written["cairn"], 1)

    def test_values_are_set_in_files_and_built_in_scenes(self):
        chain = self.write("chain.json", CHAIN)
        for scene in [chain, "@stack:2"]:
            data = self.data("run", scene, "--set", "step.dt=0.01", "--set", "duration=0.05")
            self.assertEqual(data["steps"], 5)
        written = json.loads(
            self.run_cairn("export", chain, "-", "--set", "bodies.link_3.velocity=[0, 1, 0]").stdout)
        self.assertEqual(written["bodies"][2]["velocity"], [0, 1, 0])

    def test_misspelt_paths_are_answered_with_the_nearest(self):
        self.refuses("run", self.write("chain.json", CHAIN), "--set", "bodies.lnik_2.mass=1",
                     code=INVALID, saying='did you mean "link_2"?')
        self.refuses("run", "@stack:2", "--set", "stepp.dt=1", code=INVALID,
                     saying='did you mean "step"?')
        self.refuses("run", "@stack:2", "--set", "step.dt", code=INVALID, saying="path=value")
        self.refuses("run", "@stack:2", "--set", code=USAGE, saying="--set needs a value")

    def test_a_saved_scene_goes_on_where_the_run_ended(self):
        chain, end = self.write("chain.json", CHAIN), self.path / "end.json"
        first = self.data("run", chain, "--save-scene", end)
        after = self.data("run", end, "--duration", "0")
        self.assertEqual(after["time"], first["time"])
        for one, other in zip(first["bodies"], after["bodies"]):
            for key in ["position", "rotation", "velocity", "angular_velocity"]:
                for a, b in zip(one[key], other[key]):
                    self.assertAlmostEqual(a, b, places=14)  # rotations are normalised again
        whole = self.data("run", chain, "--duration", "0.4")
        second = self.data("run", end)
        self.assertAlmostEqual(second["time"], whole["time"], places=12)
        for one, other in zip(whole["bodies"], second["bodies"]):
            for a, b in zip(one["position"], other["position"]):
                self.assertAlmostEqual(a, b, places=6)  # tolerance 1e-8 m/s in 100 steps

    def test_several_scenes_are_checked_at_once(self):
        good, bad = self.write("good.json", CHAIN), self.write("bad.json", {"cairn": 1, "gravty": 1})
        data = self.data("check", good, bad, "@stack:2", code=INVALID)
        self.assertFalse(data["ok"])
        self.assertEqual([problem["file"] for problem in data["problems"]], [str(bad)])
        result = self.run_cairn("check", good, "@stack:2")
        self.assertIn(f"{good}: ok", result.stderr)
        self.assertIn("@stack:2: ok", result.stderr)


if __name__ == "__main__":
    unittest.main()
