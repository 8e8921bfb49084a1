#!/usr/bin/env python3
# test_bench.py - `cairn bench` reports times that fit together.
import unittest

from program import FAILURE, INVALID, USAGE, ProgramTest

KEYS = "scene bodies contacts threads steps ms_per_step residual penetration".split()

COST_KEYS = (
    "solver contacts bodies iterations ns_per_contact_iteration yardstick_ns ratio growth"
).split()

STEP_KEYS = (
    "scene step contacts mean_seconds slowest_seconds work correction_work residual missed penetration"
).split()

PROBLEM_KEYS = (
    "scene step contacts rows solver converged residual iterations seconds ratio"
).split()


REAL_TIME_KEYS = (
    "label scene bodies threads steps ms_per_frame penetration joint_error measured_from "
    "kinetic_energy us_per_body bytes_per_body growth stages_ms"
).split()


class Bench(ProgramTest):
    def test_rows_have_the_keys_of_the_contract(self):
        rows = self.data("bench", "@stack:3", "@stack:4", "--steps", "20", "--threads=2")
        self.assertEqual([row["scene"] for row in rows], ["@stack:3", "@stack:4"])
        for row in rows:
            self.assertEqual(list(row), KEYS)
            self.assertEqual((row["steps"], row["threads"]), (20, 2))
            times = row["ms_per_step"]
            self.assertEqual(list(times), ["mean", "p50", "p99"])
            self.assertGreater(times["p50"], 0)
            self.assertLessEqual(times["p50"], times["p99"])
        self.assertLess(rows[0]["bodies"], rows[1]["bodies"])

    def test_the_table_has_a_line_per_scene(self):
        text = self.run_cairn("bench", "@stack:3", "--steps=5").stdout
        self.assertEqual(text.count("\n"), 2)

    def test_every_shows_work_and_residual_step_by_step(self):
        rows = self.data("bench", "@pile:1", "--every=10", "--steps=40", "--tolerance=1e-4")
        self.assertEqual([row["step"] for row in rows], [10, 20, 30, 40])
        for row in rows:
            self.assertEqual(list(row), STEP_KEYS)
            self.assertLessEqual(row["mean_seconds"], row["slowest_seconds"])
            self.assertEqual(row["missed"] == 0, row["residual"] <= 1e-4)
        self.assertGreater(rows[-1]["contacts"], 0)
        self.assertGreater(rows[-1]["work"], 0)
        self.refuses("bench", "--every=10", code=USAGE, saying="needs a scene")
        self.refuses("bench", "@stack", "--tolerance=1e-3", code=USAGE, saying="goes with --every")

    def test_a_scene_that_does_not_exist_is_3(self):
        self.run_cairn("bench", "@stakc", code=INVALID)

    def test_solver_cost_takes_no_scene(self):
        self.refuses("bench", "--solver-cost", "@stack", code=USAGE, saying="takes no scene")
        self.refuses("bench", "--max-contacts=99", code=USAGE, saying="smallest problem has 100")

    def test_the_cost_of_solvers_is_given_for_each_size(self):
        rows = self.data("bench", "--solver-cost", "--max-contacts", "1000")
        sizes = [(row["solver"], row["contacts"]) for row in rows]
        self.assertEqual(sizes, [("pgs", 100), ("pgs", 1000), ("nsgs", 100), ("nsgs", 1000)])
        for row in rows:
            self.assertEqual(list(row), COST_KEYS)
            self.assertEqual(row["iterations"], 20)  # none ended early
            self.assertGreater(row["yardstick_ns"], 0)
            cost = row["ns_per_contact_iteration"]
            self.assertAlmostEqual(row["ratio"], cost / row["yardstick_ns"], delta=1e-9 * cost)

    def test_problems_of_scenes_are_solved_to_ten_digits(self):
        rows = self.data("bench", "--problems", "@kapla:3", "@heavy_stack:4", "--steps=2")
        self.assertEqual([row["scene"] for row in rows], ["@kapla:3", "@heavy_stack:4"])
        for row in rows:
            self.assertEqual(list(row), PROBLEM_KEYS)
            self.assertEqual((row["step"], row["rows"]), (2, 3 * row["contacts"]))
            self.assertTrue(row["converged"])
            self.assertLessEqual(row["residual"], 1e-8)
            self.assertGreater(row["seconds"], 0)
            self.assertGreater(row["ratio"], 1)  # an answer takes more than one look at the rows

    def test_real_time_measures_positions_by_itself(self):
        slope, net = self.data("bench", "--real-time", "@s9:2600", "@net:6", "--steps=60")
        self.assertEqual(list(slope), REAL_TIME_KEYS)
        self.assertEqual((slope["scene"], slope["bodies"], slope["steps"]), ("@s9:2600", 2, 60))
        self.assertGreater(slope["penetration"]["worst"], 0)  # soft contacts give way
        self.assertLess(slope["penetration"]["worst"], 1e-3)
        self.assertLess(slope["kinetic_energy"], 1e-6)  # friction holds it
        self.assertEqual(net["penetration"]["worst"], 0)  # its balls do not collide
        self.assertGreater(net["joint_error"], 0)
        self.assertLess(net["joint_error"], 0.01)
        self.assertIn("solve", slope["stages_ms"])

    def test_scenes_of_the_list_keep_their_substeps(self):
        for row in self.data("bench", "--real-time", "S7", "@s7:1000", "--steps=200"):
            self.assertEqual((row["label"], row["scene"]), ("S7", "@s7:1000"))
            self.assertLess(row["penetration"]["worst"], 0.01)  # with four substeps the tower falls

    def test_scenes_that_do_not_exist_are_named(self):
        self.refuses("bench", "--real-time", "S99", code=3, saying='"S99" is no scene of the list and no file; did you mean S9?')
        self.refuses("bench", "--real-time", "none.json", code=3, saying="none.json: cannot be read")

    def test_real_time_measures_other_shapes_by_contacts(self):
        rain, robot, hulls, ragdolls = self.data("bench", "--real-time", "@rain:5", "@stewart",
                                                 "@hulls:2", "@ragdolls:2", "--steps=60")
        self.assertEqual([row["measured_from"] for row in (rain, robot, hulls, ragdolls)],
                         ["contacts", "contacts", "poses", "poses"])
        for row in hulls, ragdolls:
            self.assertGreater(row["penetration"]["worst"], 0)  # they lie on the ground
            self.assertGreaterEqual(row["penetration"]["worst"], row["penetration"]["p99"])
        self.assertGreater(rain["penetration"]["worst"], 0)
        for row in robot, ragdolls:
            self.assertGreater(row["joint_error"], 0)
            self.assertGreater(row["kinetic_energy"], 0)

    def test_one_bench_at_a_time(self):
        self.refuses("bench", "--problems", "--solver-cost", code=USAGE, saying="name one")


if __name__ == "__main__":
    unittest.main()
