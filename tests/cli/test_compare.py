#!/usr/bin/env python3
# test_compare.py - `cairn compare`: variants of a scene against the most accurate of them.
import json
import math
import os
import pathlib
import re
import tempfile
import unittest

from program import FALLING_BALL, INVALID, OK, USAGE, ProgramTest, cairn

GRAVITY = 9.81  # [m/s^2]
SLOPE = 0.3  # [rad]

# A block that rests on a slope, in axes along it: gravity is inclined.
BLOCK_ON_SLOPE = {
    "cairn": 1,
    "gravity": [GRAVITY * math.sin(SLOPE), 0, -GRAVITY * math.cos(SLOPE)],
    "duration": 0.5,
    "step": {"dt": 0.01},
    "solver": {"name": "nsgs", "tolerance": 1e-10},
    "materials": {"stone": {"friction": 0.5, "density": 1000}},
    "bodies": [
        {"name": "ground", "type": "static", "shapes": [{"type": "plane", "normal": [0, 0, 1]}], "material": "stone"},
        {"name": "block", "position": [0, 0, 0.5], "shapes": [{"type": "box", "size": [1, 1, 1]}], "material": "stone"},
    ],
}


class Compare(ProgramTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def scene(self, scene):
        path = self.path / "scene.json"
        path.write_text(json.dumps(scene))
        return path

    def variants(self, scene, *texts, **options):
        words = [word for text in texts for word in ("--with", text)]
        data = self.data("compare", self.scene(scene), *words, **options)
        return data, {one["name"]: one for one in data["variants"]}

    def test_half_the_gravity_falls_half_as_far(self):
        scene = FALLING_BALL | {"duration": 0.3}  # before it lands
        data, runs = self.variants(scene, "gravity[2]=-4.905,dt=0.02")
        # Constant acceleration is integrated exactly by scheme moreau; sums of 30 steps.
        fallen = 0.5 * (GRAVITY - 4.905) * 0.3**2
        difference = runs["gravity[2]=-4.905,dt=0.02"]["difference"]
        self.assertEqual(data["most_accurate"], "scene")
        self.assertTrue(data["has_shared_times"])
        self.assertEqual(runs["scene"]["difference"]["worst"], 0)
        self.assertAlmostEqual(difference["end"], fallen, delta=1e-13)
        self.assertAlmostEqual(difference["worst"], fallen, delta=1e-13)
        self.assertAlmostEqual(difference["time"], 0.3, delta=1e-12)

    def test_creep_is_the_speed_of_what_should_rest(self):
        data, runs = self.variants(BLOCK_ON_SLOPE, "materials.stone.friction=0.2,dt=0.02")
        # Slides with g (sin a - mu cos a) from rest; the solver's tolerance is 1e-10 m/s in each of 25 steps.
        speed = GRAVITY * (math.sin(SLOPE) - 0.2 * math.cos(SLOPE)) * 0.5
        self.assertEqual(data["most_accurate"], "scene")
        self.assertAlmostEqual(runs["materials.stone.friction=0.2,dt=0.02"]["creep"], speed, delta=25e-10)
        self.assertLess(runs["scene"]["creep"], 1e-9)

    def test_what_moves_has_no_creep(self):
        _, runs = self.variants(FALLING_BALL | {"duration": 0.3}, "dt=0.02")
        self.assertIsNone(runs["dt=0.02"]["creep"])

    def test_the_shortest_step_is_the_most_accurate_where_all_are_solved(self):
        data, runs = self.variants(BLOCK_ON_SLOPE, "dt=0.005", "dt=0.02", "substeps=4")
        self.assertEqual(data["most_accurate"], "substeps=4")
        self.assertIn("shortest step, 0.0025 s", data["reason"])
        self.assertEqual([one["steps"] for one in data["variants"]], [50, 100, 25, 50])
        self.assertEqual(runs["substeps=4"]["substeps"], 4)

    def test_the_least_residual_is_the_most_accurate_where_not_all_are_solved(self):
        data, runs = self.variants(BLOCK_ON_SLOPE, "solver=pgs,iterations=2,dt=0.005")
        self.assertEqual(data["most_accurate"], "scene")
        self.assertIn("least worst residual", data["reason"])
        self.assertGreater(runs["solver=pgs,iterations=2,dt=0.005"]["residual"], runs["scene"]["residual"])

    def test_what_was_never_graded_is_not_the_most_accurate(self):
        variant = "scheme=soft_step,step.grade_every=0,dt=0.001"
        data, runs = self.variants(BLOCK_ON_SLOPE, variant)
        self.assertEqual(data["most_accurate"], "scene")
        self.assertIsNone(runs[variant]["residual"])
        self.assertIsNone(runs[variant]["energy_error"])

    def test_steps_without_a_common_time_are_compared_at_the_end(self):
        data, runs = self.variants(BLOCK_ON_SLOPE, f"dt={math.pi / 500}")
        self.assertFalse(data["has_shared_times"])
        for run in runs.values():
            self.assertEqual(run["difference"]["end"], run["difference"]["worst"])

    def test_other_bodies_have_no_difference(self):
        scene = BLOCK_ON_SLOPE | {"repeat": [{"count": 2, "position": [2, 0, 0], "bodies": [
            {"name": "more", "position": [3, 0, 0.5], "shapes": [{"type": "box", "size": [1, 1, 1]}], "material": "stone"}]}]}
        data, runs = self.variants(scene, "repeat[0].count=3,dt=0.02")
        self.assertEqual(data["most_accurate"], "scene")
        self.assertEqual(runs["repeat[0].count=3,dt=0.02"]["difference"], {"end": None, "worst": None, "time": None})

    def test_a_value_may_have_commas_in_brackets(self):
        _, runs = self.variants(BLOCK_ON_SLOPE, "bodies.block.velocity=[0, 0, 0],dt=0.005")
        self.assertEqual(runs["bodies.block.velocity=[0, 0, 0],dt=0.005"]["dt"], 0.005)

    def test_results_do_not_depend_on_threads(self):
        _, runs = self.variants(BLOCK_ON_SLOPE, "threads=2")
        self.assertEqual(runs["threads=2"]["difference"]["worst"], 0)

    def test_a_run_that_stops_is_compared_as_far_as_it_came(self):
        scene = FALLING_BALL | {"duration": 0.3}
        result = cairn("compare", self.scene(scene), "--with", "speed-limit=2", "--json")
        data = json.loads(result.stdout)
        self.assertEqual(result.returncode, 1)
        self.assertIn("stopped at 0.17 s", result.stderr)  # sqrt(1 + (9.81 t)^2) > 2 m/s after 0.1766 s
        self.assertIsNone(data["variants"][1]["difference"]["end"])
        self.assertEqual(data["variants"][1]["difference"]["worst"], 0)
        self.assertRegex(data["variants"][1]["stopped"], "ball")

    def test_the_table_names_the_most_accurate_and_says_why(self):
        text = self.run_cairn("compare", self.scene(BLOCK_ON_SLOPE), "--with", "dt=0.005").stdout
        self.assertRegex(text, r"(?m)^  scene +[0-9.e-]+ ")
        self.assertRegex(text, r"(?m)^\* dt=0.005 ")
        self.assertIn("* most accurate: dt=0.005; of 2 that solve every step to 1e-10 m/s it has the shortest step", text)

    def test_bad_variants_are_refused_before_anything_runs(self):
        scene = self.scene(BLOCK_ON_SLOPE)
        for text, code, saying in [
            ("solvr=pgs", USAGE, 'there is no "solvr"; did you mean "solver"?'),
            ("solver=pgz", USAGE, 'solver has no value "pgz"; did you mean "pgs"?'),
            ("dt=fast", USAGE, 'dt is "fast", which is not a number'),
            ("iterations=0", USAGE, "max-iterations is 0; it must be between 1 and"),
            ("dt", USAGE, '"dt" is not of the form key=value'),
            ("dt=0.01,,solver=pgs", USAGE, '"" is not of the form key=value'),
            ("duration=3", USAGE, "give it as --duration"),
            ("theta=0.2", INVALID, "theta"),
            ("bodies.blok.mass=2", INVALID, "block"),
            ("attribution=yes", USAGE, 'there is no "attribution"'),
        ]:
            with self.subTest(text):
                result = self.refuses("compare", scene, "--with", "dt=0.005", "--with", text, code=code, saying=saying)
                self.assertIn(f'--with "{text}"', result.stderr)
                self.assertNotIn("1 of", result.stderr)

    def test_what_cannot_be_compared_is_refused(self):
        scene = self.scene(BLOCK_ON_SLOPE)
        self.refuses("compare", scene, code=USAGE, saying="it takes 1 to 11")
        self.refuses("compare", scene, *["--with", "dt=0.01"] * 12, code=USAGE, saying="12 variants are given")
        self.refuses("compare", "-", "--with", "dt=0.01", code=USAGE, saying="once per variant")
        self.refuses("compare", scene, "--with", "dt=0.01", "--html", self.path / "no/page.html", code=INVALID,
                     saying="there is no folder")

    def test_the_page_holds_the_runs_and_leaves_no_files_behind(self):
        page = self.path / "page.html"
        rest = self.path / "rest"
        rest.mkdir()
        self.run_cairn("compare", self.scene(BLOCK_ON_SLOPE), "--with", "dt=0.005", "--html", page, "--quiet",
                       environment={"TMPDIR": str(rest)}, code=OK)
        text = page.read_text()
        self.assertEqual(len(re.findall('class="recording"', text.split("</style>")[1].split("<script>")[0])), 2)
        data = json.loads(re.search('id="comparison">(.*?)</script>', text, re.S)[1])
        self.assertEqual(len(data["variants"][0]["times"]), len(data["variants"][1]["differences"]))
        self.assertEqual(os.listdir(rest), [])


if __name__ == "__main__":
    unittest.main()
