#!/usr/bin/env python3
# test_solve.py - `cairn solve` on problems small enough to solve by hand.
import json
import os
import pathlib
import tempfile
import unittest

from program import (
    FAILURE,
    INVALID,
    NOT_CONVERGED,
    OK,
    USAGE,
    ProgramTest,
    cairn,
    contact_problem,
)

PROBLEMS = pathlib.Path(__file__).parents[1] / "problems"
KEYS = (
    "problem contacts bodies solver outcome iterations seconds residual fclib_error scaled_error"
    " remark work parts"
).split()


class Solve(ProgramTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.problem = self.folder / "sliding.json"
        self.problem.write_text(contact_problem())

    def test_one_solver_gives_one_object_with_the_keys_of_the_contract(self):
        answer = self.data("solve", self.problem, "--solver", "nsgs")
        self.assertEqual(list(answer)[: len(KEYS)], KEYS)
        self.assertEqual(answer["problem"], str(self.problem))
        self.assertEqual((answer["contacts"], answer["bodies"]), (1, 1))
        self.assertEqual((answer["solver"], answer["outcome"]), ("nsgs", "converged"))
        self.assertLessEqual(answer["residual"], 1e-8)  # the default tolerance

    def test_an_answer_says_whether_its_forces_are_unique(self):
        answer = self.data("solve", self.problem)
        self.assertEqual((answer["free_directions"], answer["open_directions"]), (1, 0))
        table = PROBLEMS / "table_on_four_legs.json"
        self.assertGreater(self.data("solve", table)["open_directions"], 0)
        self.assertIn("forces: not unique", self.run_cairn("solve", table).stdout)

    def test_unique_forces_come_with_their_error(self):
        self.assertLess(self.data("solve", self.problem)["force_error"], 1e-7)  # 1e-8 m/s, 1 kg
        table = PROBLEMS / "table_on_four_legs.json"
        self.assertIsNone(self.data("solve", table)["force_error"])

    def test_minimum_norm_chooses_the_same_forces_whoever_solves(self):
        table = PROBLEMS / "table_on_four_legs.json"
        plain = self.data("solve", table)
        self.assertFalse(plain["least_norm"])
        answers = []
        for solver in ("nsgs", "cone_ip"):
            output = self.folder / (solver + ".json")
            answer = self.data("solve", table, "--solver", solver, "--minimum-norm",
                               "--tolerance", "1e-11", "--output", output)
            self.assertTrue(answer["least_norm"])
            answers.append(json.loads(output.read_text())["impulse"])
        worst = max(abs(a - b) for a, b in zip(*answers))
        self.assertLess(worst, 1e-9)  # tolerance 1e-11 m/s, 10 kg

    def explicit_problem(self):
        """A = [2 .5; .5 3], b = (1, 1.5), p >= 0: p = (9, 10) / 23."""
        path = self.folder / "explicit.json"
        rows = [{"law": "bounds", "bodies": [-1, -1], "rows": [{"target": b}]} for b in (1, 1.5)]
        response = {"start": [0, 2, 4], "column": [0, 1, 0, 1], "value": [2, 0.5, 0.5, 3]}
        path.write_text(json.dumps({"cairn_problem": 1, "bodies": [], "blocks": rows,
                                    "response": response}))
        return path

    def test_an_explicit_matrix_is_solved_by_all_that_know_bounds(self):
        path, output = self.explicit_problem(), self.folder / "p.json"
        for solver in ("pgs", "active_set", "lemke", "auto"):
            answer = self.data("solve", path, "--solver", solver, "--tolerance", "1e-13",
                               "--output", output)
            self.assertEqual(answer["outcome"], "converged", solver)
            p = json.loads(output.read_text())["impulse"]
            for found, wanted in zip(p, (9 / 23, 10 / 23)):
                self.assertAlmostEqual(found, wanted, delta=1e-12)

    def test_the_condition_of_a_is_told(self):
        answer = self.data("solve", self.explicit_problem())
        root = 2 ** 0.5  # eigenvalues (5 +- sqrt 2) / 2
        self.assertEqual(answer["rank"], 2)
        self.assertAlmostEqual(answer["condition"], (5 + root) / (5 - root), delta=1e-13)
        self.assertIn("condition of A: 1.79", self.run_cairn("solve", self.explicit_problem()).stdout)
        stack = PROBLEMS / "stack_3.json"  # four parallel normals under each box
        answer = self.data("solve", stack)
        self.assertIsNone(answer["condition"])
        self.assertEqual(answer["rank"], 18)
        self.assertIn("rank 18 of 36 rows", self.run_cairn("solve", stack).stdout)

    def test_options_of_pgs_are_named_where_others_do_not_have_them(self):
        for option in ("--change-tolerance", "--impulse-limit"):
            result = self.run_cairn("solve", self.problem, "--solver", "nsgs", option, "1",
                                    code=FAILURE)
            self.assertIn("these do: pgs", result.stderr)
        answer = self.data("solve", self.problem, "--solver", "pgs", "--impulse-limit", "0.5")
        self.assertEqual(answer["approximation"], "limited impulses")
        self.assertLessEqual(answer["law_error"], 1e-8)
        self.assertGreater(answer["residual"], 0.1)
        answer = self.data("solve", PROBLEMS / "stack_10.json", "--solver", "pgs",
                           "--change-tolerance", "1e-5")
        self.assertEqual(answer["outcome"], "stalled")
        self.assertIn("stopped by change", answer["remark"])

    def test_associated_friction_lifts_what_slides(self):
        # v = (3, 0, -1) and mu = 0.5: the nearest velocity with v_z = v_x / 2 is (2, 0, 1).
        sliding, output = self.folder / "sliding.json", self.folder / "lifted.json"
        problem = json.loads(contact_problem())
        problem["bodies"][0]["free_velocity"] = [3, 0, -1, 0, 0, 0]
        sliding.write_text(json.dumps(problem))
        answer = self.data("solve", sliding, "--friction=associated", "--output", output)
        self.assertEqual(answer["outcome"], "converged")
        self.assertEqual(answer["approximation"], "associated friction: what slides lifts")
        self.assertLessEqual(answer["law_error"], 1e-8)
        self.assertGreater(answer["residual"], 0.1)
        velocity = json.loads(output.read_text())["velocity"][0:3]
        for found, known in zip(velocity, [2, 0, 1]):
            self.assertAlmostEqual(found, known, delta=1e-7)

    def test_friction_by_name_is_held_against_its_own_law(self):
        # Half way between the corners of four sides friction is cos(pi / 4) of the exact one.
        askew = self.folder / "askew.json"
        problem = json.loads(contact_problem())
        problem["bodies"][0]["free_velocity"] = [1, 1, -1, 0, 0, 0]
        askew.write_text(json.dumps(problem))
        for name in ("pyramid", "box"):
            answer = self.data("solve", askew, "--friction", name, "--pyramid-sides=4")
            self.assertEqual(answer["outcome"], "converged")
            self.assertEqual(answer["approximation"], f"{name} friction")
            self.assertLessEqual(answer["law_error"], 1e-8)
            self.assertGreater(answer["residual"], 1e-2)
            self.assertNotIn("force_error", answer)
        result = self.run_cairn("solve", askew, "--solver=nsgs", "--friction=pyramid", code=FAILURE)
        self.assertIn("these do: auto, lemke", result.stderr)
        result = self.run_cairn("solve", askew, "--friction=pyramid", "--pyramid-sides=5", code=INVALID)
        self.assertIn("even number", result.stderr)
        result = self.run_cairn("solve", askew, "--friction=pyramid", "--pyramid-sides=2", code=USAGE)
        self.assertIn("between 4 and 64", result.stderr)

    def test_the_default_solver_is_auto(self):
        self.assertEqual(self.data("solve", self.problem)["solver"], "auto")

    def test_a_budget_ends_a_solve_and_says_so(self):
        answer = self.data("solve", self.problem, "--solver=pgs", "--work-budget=1", "--tolerance=1e-15")
        self.assertEqual(answer["outcome"], "out_of_budget")
        self.assertGreater(answer["work"], 1)

    def test_whoever_took_part_is_told(self):
        answer = self.data("solve", self.problem, "--solver=newton_fb")
        self.assertEqual([part["solver"] for part in answer["parts"]], ["extragradient", "newton_fb"])
        self.assertEqual(answer["iterations"], sum(part["iterations"] for part in answer["parts"]))
        self.assertGreater(answer["iterations"], 0)
        text = self.run_cairn("solve", self.problem, "--solver=newton_fb").stdout
        self.assertIn("took part: extragradient", text)

    def test_all_solvers_answer_or_refuse_with_a_sentence(self):
        answers = self.data("solve", self.problem, "--solver", "all")
        solvers = self.data("solvers")
        self.assertEqual([a["solver"] for a in answers], [s["name"] for s in solvers])
        for answer, solver in zip(answers, solvers):
            self.assertEqual(list(answer), KEYS)
            if solver["name"] == "penalty":  # springs: never within the default tolerance
                self.assertEqual(answer["outcome"], "stalled")
                self.assertLessEqual(answer["residual"], 1e-2)
            elif "coulomb" in solver["laws"]:
                self.assertEqual(answer["outcome"], "converged")
                self.assertLessEqual(answer["residual"], 1e-8)  # the default tolerance
            else:
                self.assertEqual(answer["outcome"], "refused")
                self.assertIsNone(answer["residual"])
                self.assertIn("coulomb", answer["remark"])

    def test_the_table_has_one_line_per_solver(self):
        lines = self.run_cairn("solve", self.problem, "--solver=all").stdout.splitlines()
        self.assertEqual(len(lines), 2 + len(self.data("solvers")))

    def test_a_refusal_asked_for_by_name_is_a_failure(self):
        for solver in self.data("solvers"):
            if "coulomb" not in solver["laws"]:
                arguments = ["solve", self.problem, "--solver", solver["name"]]
                result = self.run_cairn(*arguments, code=FAILURE)
                self.assertIn("refused", result.stdout)
                self.assertIn("coulomb", result.stderr)

    def test_the_output_file_holds_the_answer_to_17_digits(self):
        output = self.folder / "answer.json"
        self.run_cairn(
            "solve", self.problem, "--solver=nsgs", "--tolerance=1e-12", "--output", output
        )
        answer = json.loads(output.read_text())
        self.assertEqual(list(answer), ["impulse", "velocity"])
        for value, expected in zip(answer["impulse"], [2.0, -1.0, 0.0], strict=True):
            self.assertAlmostEqual(value, expected, delta=2e-12)  # tolerance times 2 kg
        for value, expected in zip(answer["velocity"], [0.5, 0, 0, 0, 0, 0], strict=True):
            self.assertAlmostEqual(value, expected, delta=1e-12)

    def test_an_output_that_cannot_be_written_leaves_nothing_behind(self):
        missing = self.folder / "none" / "answer.json"
        result = self.run_cairn("solve", self.problem, "--output", missing, code=INVALID)
        self.assertIn("cannot be written", result.stderr)
        occupied = self.folder / "occupied"
        occupied.mkdir()
        self.run_cairn("solve", self.problem, "--output", occupied, code=INVALID)
        self.assertEqual(sorted(os.listdir(self.folder)), ["occupied", "sliding.json"])

    def test_an_output_replaces_the_old_file_whole(self):
        output = self.folder / "answer.json"
        output.write_text("old")
        self.run_cairn("solve", self.problem, "--output", output)
        self.assertEqual(len(json.loads(output.read_text())["impulse"]), 3)
        self.assertEqual(sorted(os.listdir(self.folder)), ["answer.json", "sliding.json"])

    def test_an_output_is_for_one_solver(self):
        arguments = ["solve", self.problem, "--solver=all", "--output", self.folder / "x"]
        self.refuses(*arguments, code=USAGE, saying="name one problem and one solver")

    def test_a_folder_stands_for_its_problems(self):
        (self.folder / "again.json").write_text(contact_problem())
        (self.folder / "notes.txt").write_text("no problem")
        answers = self.data("solve", self.folder, "--solver", "nsgs")
        names = [str(self.folder / name) for name in ("again.json", "sliding.json")]
        self.assertEqual([answer["problem"] for answer in answers], names)
        text = self.run_cairn("solve", self.folder, "--solver", "all").stdout
        self.assertRegex(text, r"\nall problems +converged +not +refused +seconds\nauto +2 +0 +0 ")
        self.refuses(
            "solve",
            self.folder,
            "--output",
            self.folder / "answer.json",
            code=USAGE,
            saying="--output holds one answer",
        )

    def few_problems(self, folder):
        for name in ["stack_3.json", "chain_10.json", "box_sliding.json", "table_on_four_legs.json"]:
            (pathlib.Path(folder) / name).write_bytes((PROBLEMS / name).read_bytes())
        return folder

    def test_profiles_are_the_ratios_to_the_least_cost(self):
        # Computed again from the answers, as Dolan and More define them.
        with tempfile.TemporaryDirectory() as folder:
            data = self.data("solve", self.few_problems(folder), "--solver", "all", "--profile")
        solved = {}
        for answer in data["answers"]:
            if answer["outcome"] == "converged":
                solved.setdefault(answer["problem"], {})[answer["solver"]] = answer
        self.assertEqual(data["profile"]["problem_count"], 4)
        for profile in data["profile"]["solvers"]:
            for cost, key, least in [("seconds", "time_ratios", 1e-7), ("work", "work_ratios", 1.0)]:
                ratios = sorted(
                    max(by_solver[profile["solver"]][cost], least)
                    / max(min(one[cost] for one in by_solver.values()), least)
                    for by_solver in solved.values() if profile["solver"] in by_solver)
                self.assertEqual(profile[key], ratios)
                self.assertEqual(profile["solved"], len(ratios))

    def test_profiles_as_text_and_as_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "profile.html"
            problems = pathlib.Path(folder) / "problems"
            problems.mkdir()
            text = self.run_cairn("solve", self.few_problems(problems), "--solver", "all", "--profile", "--html", page,
                                  "--quiet").stdout
            self.assertRegex(text, r"(?m)^% of 4 problems solved within so many times the least work$")
            self.assertRegex(text, r"(?m)^nsgs( +[0-9.]+){7} +100\.0$")  # nsgs solves all of them
            self.assertIn('id="profile-data">{"problem_count": 4', page.read_text())
            self.refuses("solve", problems, "--html", page, code=USAGE, saying="need --solver all")
            self.refuses("solve", problems, "--solver", "all", "--html", problems / "no/page.html", code=INVALID,
                         saying="there is no folder")

    def test_a_folder_without_problems_is_3(self):
        with tempfile.TemporaryDirectory() as empty:
            self.refuses("solve", empty, code=INVALID, saying="no problem in this folder")

    def test_one_bad_file_does_not_keep_the_others_from_being_solved(self):
        bad = self.folder / "a_bad_one.json"
        bad.write_text("{")
        result = self.run_cairn("solve", self.folder, "--json", code=INVALID)
        self.assertIn("a_bad_one.json:1", result.stderr)
        self.assertEqual([answer["outcome"] for answer in json.loads(result.stdout)], ["converged"])

    def test_problems_without_bodies_are_held_to_relative_errors(self):
        path = pathlib.Path(__file__).parents[1] / "problems/fclib/gen_soup-s00080-44.hdf5"
        if "built without HDF5" in cairn("solve", path).stderr:
            self.skipTest("built without HDF5")
        output = self.folder / "answer.json"
        loose = ["--solver", "cone_ip", "--tolerance", "1e-4"]
        answer = self.data("solve", path, *loose, "--output", output)
        self.assertEqual((answer["outcome"], answer["contacts"]), ("converged", 44))
        self.assertLessEqual(max(answer["fclib_error"], answer["scaled_error"]), 1e-4)
        solution = json.loads(output.read_text())
        self.assertEqual([len(solution[key]) for key in ("impulse", "velocity")], [132, 132])
        strict = self.data("solve", path, *loose, "--measure", "velocity")
        self.assertLessEqual(strict["residual"], 1e-4)

    def test_after_the_deadline_the_best_answer_is_given(self):
        path = pathlib.Path(__file__).parents[1] / "problems/hard"
        problem = sorted(path.glob("*.json"))[0]
        answer = self.data("solve", problem, "--tolerance", "1e-15", "--deadline", "1e-9")
        self.assertEqual(answer["outcome"], "out_of_time")
        self.refuses("solve", problem, "--deadline", "0", code=USAGE, saying="more than zero")

    def test_strict_turns_a_missed_tolerance_into_4(self):
        # One sweep from the ground up leaves the lower contact with the load that came after it.
        hard = self.folder / "hard.json"
        hard.write_text(contact_problem(bodies=3))
        arguments = ["solve", hard, "--solver=pgs", "--max-iterations=1", "--tolerance=1e-15"]
        self.run_cairn(*arguments, code=OK)
        self.run_cairn(*arguments, "--strict", code=NOT_CONVERGED)
        self.assertEqual(self.data(*arguments)["outcome"], "out_of_iterations")

    def test_a_problem_may_come_from_standard_input(self):
        answer = self.data("solve", "-", stdin=contact_problem())
        self.assertEqual(answer["contacts"], 1)

    def test_bad_input_is_3(self):
        self.refuses("solve", self.folder / "none.json", code=INVALID, saying="none.json")
        self.refuses("solve", "-", stdin="{", code=INVALID, saying="standard input")
        wrong = contact_problem().replace("coulomb", "coulomm")
        self.refuses("solve", "-", stdin=wrong, code=INVALID, saying="coulomb")

    def test_a_name_that_is_not_text_still_gives_json(self):
        name = os.fsencode(self.folder) + b"/\xff\"\n.json"
        pathlib.Path(os.fsdecode(name)).write_text(contact_problem())
        answer = self.data("solve", os.fsdecode(name))
        self.assertTrue(answer["problem"].endswith('/\ufffd"\n.json'))


if __name__ == "__main__":
    unittest.main()
