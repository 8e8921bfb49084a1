#!/usr/bin/env python3
# test_run.py - `cairn run`: the contract of its report, on scenes with a known answer.
import json
import os
import pathlib
import pty
import re
import subprocess
import tempfile
import unittest

from program import (
    CAIRN,
    FALLING_BALL,
    INVALID,
    NOT_CONVERGED,
    OK,
    RESOURCE,
    USAGE,
    ProgramTest,
    cairn,
    scene,
)

KEYS = (
    "scene steps time seconds scheme solver residual not_converged penetration joint_error positions"
    " out_of_budget sleeping_bodies sleeping_islands exact_islands warnings energy momentum bodies joints contacts"
    " work hash"
).split()
BODY_KEYS = "name position rotation velocity angular_velocity".split()

REPOSITORY = pathlib.Path(__file__).parents[2]

# Ledgers close to round-off: sums of a few hundred terms, each with 1.1e-16 relative.
LEDGER_TOLERANCE = 1e-12

class Run(ProgramTest):
    def run_ball(self, *arguments, **changes):
        return self.data("run", "-", *arguments, stdin=scene(**changes))

    def test_the_report_has_the_keys_of_the_contract(self):
        report = self.run_ball()
        self.assertEqual(list(report), KEYS)
        self.assertEqual(list(report["residual"]), ["worst", "rms", "step", "block", "not_graded"])
        self.assertEqual(list(report["penetration"]), ["worst"])
        self.assertEqual(list(report["joint_error"]), ["worst", "worst_angle"])
        self.assertEqual(list(report["energy"]),
                         ["start", "end", "kinetic_linear", "kinetic_angular", "potential", "ledger_error"])
        self.assertEqual(list(report["momentum"]), ["ledger_error"])
        self.assertEqual([body["name"] for body in report["bodies"]], ["ground", "ball"])
        for body in report["bodies"]:
            self.assertEqual(list(body), BODY_KEYS)
            self.assertEqual([len(body[key]) for key in BODY_KEYS[1:]], [3, 4, 3, 3])
        self.assertEqual(report["joints"], [])
        self.assertRegex(report["hash"], "^[0-9a-f]{16}$")

    def test_a_scheme_without_ledgers_says_so(self):
        soft = scene(step={"dt": 0.01, "scheme": "soft_step", "grade_every": 0})
        report = self.data("run", "-", stdin=soft)
        self.assertIsNone(report["energy"]["ledger_error"])
        self.assertIsNone(report["momentum"]["ledger_error"])
        self.assertIsNone(report["residual"]["worst"])
        self.assertIsNone(report["residual"]["rms"])
        self.assertEqual(report["residual"]["not_graded"], report["steps"])
        # The energy itself is that of the bodies as they end: m g z + m v^2 / 2 of the only one that moves.
        parts = sum(report["energy"][key] for key in ("kinetic_linear", "kinetic_angular", "potential"))
        self.assertNotEqual(report["energy"]["end"], 0)
        self.assertAlmostEqual(report["energy"]["end"], parts, delta=1e-12 * abs(parts))
        line = cairn("run", "-", stdin=soft).stdout
        self.assertIn("ledgers of energy and momentum not kept", line)
        self.assertNotIn("ledger error", line)

    def test_a_real_time_run_is_graded_when_asked(self):
        for every, graded in (0, 0), (1, 60), (7, 8):
            report = self.data("run", "@s1:5", "--real-time", "--duration=1", f"--grade-every={every}")
            self.assertEqual(report["residual"]["not_graded"], 60 - graded)
            self.assertEqual(report["residual"]["worst"] is None, graded == 0)

    def test_an_exact_run_is_graded_when_asked(self):
        hashes = set()
        for every, graded in (0, 0), (1, 20), (7, 2):
            report = self.data("run", "@s1:3", "--duration=0.2", "--dt=0.01", f"--grade-every={every}")
            self.assertEqual(report["residual"]["not_graded"], 20 - graded)
            for error in report["residual"]["worst"], report["energy"]["ledger_error"], report["momentum"]["ledger_error"]:
                self.assertEqual(error is None, graded == 0)
            hashes.add(report["hash"])
        self.assertEqual(len(hashes), 1)
        self.assertIn("20 steps not graded", cairn("run", "@s1:3", "--duration=0.2", "--dt=0.01", "--grade-every=0").stdout)

    def test_what_a_real_time_run_is_worth_has_the_name_of_its_worst_contact_or_joint(self):
        for scene, names in (("@s1:5", r"contact "), ("@hand:10", r"finger \d+ joint \d+")):
            residual = self.data("run", scene, "--real-time", "--duration=0.5", "--grade-every=1")["residual"]
            self.assertRegex(residual["block"], names)
            self.assertGreater(residual["rms"], 0)
            self.assertLess(residual["rms"], residual["worst"])

    def test_what_is_set_goes_before_the_real_time_preset(self):
        def run(*changes):
            words = [word for change in changes for word in ("--set", change)]
            return self.data("run", "@s1:3", "--real-time", "--duration=4", *words)
        self.assertEqual((run()["steps"], run()["sleeping_bodies"]), (240, 6))
        report = run("step.dt=0.01", "step.sleep=false", "step.grade_every=1")
        self.assertEqual((report["steps"], report["sleeping_bodies"]), (400, 0))
        self.assertEqual(report["residual"]["not_graded"], 0)
        self.assertEqual(run("step.scheme=moreau")["scheme"], "moreau")

    def test_what_the_world_refuses_of_a_scene_is_named_with_its_file(self):
        scene = {"cairn": 1, "series": {"lift": {"times": [0, 1], "values": [0, 4]}},
                 "bodies": [{"name": "arm", "shapes": [{"type": "sphere", "radius": 1}]}],
                 "joints": [{"name": "elbow", "type": "ball", "bodies": ["arm", "world"], "point": [0, 0, 1],
                             "axes": {"turn_x": {"motor": "position", "stiffness": 1, "target": 1, "series": "lift"}}}]}
        saying = 'joints[0] "elbow": the target of axis turn_x is 4 rad at 1 s'
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "arm.json"
            path.write_text(json.dumps(scene))
            self.refuses("run", path, code=INVALID, saying=f"{path}: {saying}")
        self.refuses("run", "-", stdin=json.dumps(scene), code=INVALID, saying=f"standard input: {saying}")

    def test_options_of_pgs_change_its_answers_and_say_so(self):
        bounce = REPOSITORY / "scenes" / "collisions" / "bounce.json"
        limited = self.data("run", bounce, "--solver", "pgs", "--duration", "0.6",
                            "--impulse-limit", "0.5")
        self.assertEqual(limited["approximation"], "limited impulses")
        self.assertGreater(limited["residual"]["worst"], 1)  # what the limit lets through [m/s]
        stack = REPOSITORY / "scenes" / "supports" / "stack-of-three.json"
        stopped = self.data("run", stack, "--solver", "pgs", "--duration", "0.1",
                            "--change-tolerance", "1e-3")
        self.assertGreater(stopped["not_converged"], 0)
        for option in ("--impulse-limit", "--change-tolerance"):
            result = self.run_cairn("run", bounce, "--solver", "nsgs", option, "1", code=INVALID)
            self.assertIn("solver." + option[2:].replace("-", "_"), result.stderr)

    def test_a_run_goes_on_from_its_state_with_the_same_bits(self):
        whole = self.data("run", "@pile:1", "--duration", "0.2")
        with tempfile.TemporaryDirectory() as folder:
            state = f"{folder}/pile.state"
            self.data("run", "@pile:1", "--duration", "0.1", "--save-state", state)
            rest = self.data("run", "@pile:1", "--duration", "0.2", "--from-state", state)
            self.assertEqual((rest["time"], rest["hash"]), (whole["time"], whole["hash"]))
            self.assertLess(rest["steps"], whole["steps"])
            other = cairn("run", "@stack:3", "--from-state", state)
            self.assertEqual(other.returncode, INVALID)
            self.assertIn("the state is that of another world", other.stderr)
            with open(state, "r+b") as file:
                file.truncate(1000)
            cut = cairn("run", "@pile:1", "--from-state", state)
            self.assertEqual(cut.returncode, INVALID)
            self.assertIn("cut off", cut.stderr)

    def test_a_ball_in_the_air_falls_half_g_t_squared(self):
        report = self.run_ball("--duration", "0.3")  # it meets the ground at 0.319 s
        ball = report["bodies"][1]
        self.assertEqual((report["steps"], report["solver"]), (30, "nsgs"))
        # theta = 1/2 is exact for constant acceleration: 30 roundings of numbers below 10.
        self.assertAlmostEqual(report["time"], 0.3, delta=1e-14)
        self.assertAlmostEqual(ball["position"][2], 1 - 0.5 * 9.81 * 0.3**2, delta=1e-13)
        self.assertAlmostEqual(ball["velocity"][2], -9.81 * 0.3, delta=1e-13)
        self.assertEqual(ball["velocity"][0], 1)
        self.assertEqual(report["residual"]["worst"], 0)

    def test_events_are_written_one_object_a_line(self):
        # It falls 0.5 m: 3.13 m/s at 0.319 s, told at the end of that step; nsgs, no bounce.
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "events.jsonl"
            self.run_ball("--events", file)
            begin, hit = [json.loads(line) for line in file.read_text().splitlines()]
            self.refuses("run", "-", "--events", pathlib.Path(folder) / "no" / "where",
                         code=INVALID, saying="cannot be written", stdin=scene())
        self.assertEqual(list(begin), "time type sides point normal".split())
        self.assertEqual(list(hit), list(begin) + ["speed", "impulse"])
        self.assertEqual((begin["type"], hit["type"]), ("contact_begin", "contact_hit"))
        sides = [{"body": "ground", "shape": 0}, {"body": "ball", "shape": 0}]
        self.assertEqual((begin["sides"], hit["sides"]), (sides, sides))
        self.assertAlmostEqual(hit["time"], 0.32, delta=1e-12)
        self.assertAlmostEqual(hit["speed"], (2 * 9.81 * 0.5) ** 0.5, delta=9.81 * 0.01)

    def test_a_joint_that_breaks_is_told_by_name(self):
        # A ball of 2 kg on a weld that carries 10 N: its weight of 19.62 N breaks it in one step.
        bodies = [{"name": "ball", "position": [0, 0, 2], "mass": 2,
                   "shapes": [{"type": "sphere", "radius": 0.5}]}]
        joints = [{"name": "hook", "type": "weld", "bodies": ["world", "ball"],
                   "point": [0, 0, 2], "strength": 10}]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "events.jsonl"
            self.run_ball("--events", file, "--solver", "auto", bodies=bodies, joints=joints)
            broke = json.loads(file.read_text().splitlines()[0])
        self.assertEqual(list(broke), "time type sides joint point impulse".split())
        self.assertEqual((broke["type"], broke["joint"]), ("joint_broke", "hook"))
        self.assertAlmostEqual(broke["time"], 0.01, delta=1e-14)
        self.assertAlmostEqual(broke["impulse"], 2 * 9.81 * 0.01, delta=2 * 1e-10)  # tolerance m

    def test_the_problem_of_a_step_can_be_solved_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ["step.json", "step.hdf5"]:
                path = pathlib.Path(folder) / name
                arguments = ["run", "@pyramid:3", "--duration", "0.1", "--dump-problem", "3", path]
                result = cairn(*arguments, "--quiet")
                if name.endswith("hdf5") and "built without HDF5" in result.stderr:
                    continue
                self.assertEqual((result.returncode, result.stderr), (OK, ""))
                answer = self.data("solve", path, "--solver", "cone_ip")
                self.assertEqual((answer["outcome"], answer["contacts"]), ("converged", 36))

    def test_a_step_that_never_comes_cannot_be_written(self):
        run = ["run", "@pyramid:3", "--duration", "0.1", "--dump-problem", "7"]
        saying = "there is no step 7 to write: the scene ends after 6"
        self.refuses(*run, "x.json", code=INVALID, saying=saying)
        needs = "--dump-problem needs two values, STEP and FILE: "
        self.refuses(*run, code=USAGE, saying=needs + "FILE is missing")
        self.refuses(*run, "--json", code=USAGE, saying=needs + "FILE is missing")
        self.refuses(*run[:-1], code=USAGE, saying=needs + "STEP is missing")
        turned = "--dump-problem STEP is \"x.json\", which is not a whole number"
        self.refuses(*run[:-1], "x.json", "7", code=USAGE, saying=turned)
        swallowed = ["SCENE is missing", 'took "@pyramid:3" as the second']
        self.refuses("run", "--dump-problem", "7", "@pyramid:3", code=USAGE, saying=swallowed)

    def test_a_folder_that_is_missing_is_told_before_the_run(self):
        for option in ["--html", "--record", "--log", "--events", "--save-state", "--save-scene", "--dump-problem"]:
            words = [option, "1", "no/file.csv"] if option == "--dump-problem" else [option, "no/file.csv"]
            with self.subTest(option):  # a run of an hour
                self.refuses("run", "@pile:20", "--duration", "100", *words, code=INVALID,
                             saying="no/file.csv: cannot be written")
        self.refuses("run", "@pile:20", "--html", "/tmp", code=INVALID, saying="/tmp: cannot be written: it is a folder")
        self.refuses("render", "@pile:20", "--output", "no/a.png", code=INVALID, saying="there is no folder no")

    def test_a_ball_that_landed_is_graded(self):
        report = self.run_ball()
        self.assertLessEqual(report["residual"]["worst"], 1e-10)  # the tolerance of the scene
        self.assertGreater(report["residual"]["step"], 30)
        self.assertIn("ball", report["residual"]["block"])
        self.assertEqual(report["not_converged"], 0)
        self.assertLess(report["energy"]["end"], report["energy"]["start"])
        self.assertLessEqual(report["energy"]["ledger_error"], LEDGER_TOLERANCE)
        self.assertLessEqual(report["momentum"]["ledger_error"], LEDGER_TOLERANCE)

    def test_contacts_of_the_last_step_hold_the_ball_up(self):
        # At rest on the ground: one point below the centre, which carries the weight.
        report = self.run_ball(
            bodies=[{"name": "ground", "type": "static", "shapes": [{"type": "plane"}]},
                    {"name": "ball", "position": [0, 0, 0.5], "mass": 2,
                     "shapes": [{"type": "sphere", "radius": 0.5}]}])
        (contact,) = report["contacts"]
        self.assertEqual(contact["bodies"], ["ground", "ball"])
        self.assertEqual(contact["normal"], [0, 0, 1])
        self.assertLess(abs(contact["gap"]), 1e-9)
        # The tolerance of 1e-10 m/s, times mass / dt: 2e-8 N.
        self.assertAlmostEqual(contact["force"][2], 2 * 9.81, delta=2e-8)
        self.assertLessEqual(contact["residual"], 1e-10)

    def test_a_motor_shows_its_torque_as_axis_force(self):
        bodies = [{"name": "rotor", "position": [0, 0, 2], "mass": 1, "inertia": [1, 1, 1]}]
        joints = [{"name": "axle", "type": "hinge", "bodies": ["rotor", "world"],
                   "point": [0, 0, 2], "axis": [0, 0, 1],
                   "axes": {"turn_z": {"motor": "force", "target": 3}}}]
        report = self.run_ball("--solver", "auto", bodies=bodies, joints=joints)
        force = report["joints"][0]["axis_force"]
        self.assertAlmostEqual(abs(force[5]), 3.0, delta=1e-9)

    def test_options_take_precedence_over_the_scene(self):
        report = self.run_ball(
            "--solver=pgs", "--scheme", "quasi_static", "--dt=0.1", "--duration=0.2"
        )
        self.assertEqual(report["solver"], "pgs")
        self.assertEqual(report["scheme"], "quasi_static")
        self.assertEqual(report["steps"], 2)

    def test_a_duration_that_is_no_multiple_ends_with_a_shorter_step(self):
        report = self.run_ball("--dt=0.1", "--duration=0.25")
        self.assertEqual(report["steps"], 3)
        self.assertAlmostEqual(report["time"], 0.25, delta=1e-15)
        # 0.3 / 0.1 is 2.9999999999999996 in doubles, and still three steps.
        self.assertEqual(self.run_ball("--dt=0.1", "--duration=0.3")["steps"], 3)
        self.assertEqual(self.run_ball("--dt=0.2", "--duration=0.05")["steps"], 1)
        # Three steps leave 1e-12 s, which is no step.
        self.assertEqual(self.run_ball("--dt=0.033333333333", "--duration=0.1")["steps"], 3)

    def test_no_duration_is_no_step(self):
        report = self.run_ball("--duration", "0")
        self.assertEqual((report["steps"], report["time"]), (0, 0))
        self.assertIsNone(report["residual"]["block"])
        self.assertEqual(report["bodies"][1]["position"], FALLING_BALL["bodies"][1]["position"])

    def test_more_steps_than_can_be_counted_are_a_resource_limit(self):
        self.refuses(
            "run", "-", "--dt=1e-300", "--duration=1e300", stdin=scene(), code=RESOURCE,
            saying="too many steps to count",
        )  # fmt: skip

    def test_text_is_one_line_on_stdout(self):
        result = self.run_cairn("run", "-", stdin=scene())
        self.assertEqual(result.stdout.count("\n"), 1)
        for part in ["50 steps", "nsgs", "moreau", "residual", "0 not converged", "penetration",
                     "joint error", "energy ledger", "momentum ledger", "hash"]:  # fmt: skip
            self.assertIn(part, result.stdout)

    def test_attribution_says_what_each_row_direction_did(self):
        self.assertNotIn("attribution", self.data("run", "@robot:1", "--duration=0.01"))
        report = self.data("run", "@robot:1", "--duration=0.02", "--attribution")
        found = report["attribution"]
        self.assertLess(found["error"], 1e-12)
        work = {item["channel"]: item["work"] for item in found["channels"]}
        self.assertIn("motor", work)
        self.assertIn("joint_turn_x", work)
        # Gravity is in the energy; what projection lifts and the integrator makes is left.
        energy = report["energy"]
        self.assertAlmostEqual(sum(work.values()), energy["end"] - energy["start"], delta=1e-6)
        by_joint = [sum(c["work"] for c in item["channels"]) for item in found["constraints"]]
        self.assertAlmostEqual(sum(by_joint), sum(work.values()), delta=1e-12)
        self.assertTrue(all(item["joint"] for item in found["constraints"]))
        kinetic = energy["kinetic_linear"] + energy["kinetic_angular"]
        self.assertAlmostEqual(kinetic + energy["potential"], energy["end"], delta=1e-12)

    def test_attribution_names_pairs_and_islands(self):
        report = self.data("run", "@stack:2", "--dt=0.01", "--duration=0.02", "--attribution")
        found = report["attribution"]
        self.assertEqual(len(found["pairs"]), 2)
        self.assertEqual([item["island"] for item in found["islands"]], [0])
        normal = {c["channel"]: c for c in found["channels"]}["normal"]
        mass = 2.0  # the ground carries both cubes for 0.02 s
        self.assertAlmostEqual(normal["linear_external"][2], mass * 9.81 * 0.02, delta=1e-6)

    def test_quiet_leaves_stderr_empty(self):
        self.assertEqual(self.run_cairn("run", "-", "--quiet", stdin=scene()).stderr, "")

    def test_a_terminal_sees_a_bar(self):
        terminal, child_side = pty.openpty()
        endless = [CAIRN, "run", "@stack:3", "--duration=1e6"]
        with subprocess.Popen(endless, stdout=subprocess.DEVNULL, stderr=child_side) as process:
            os.close(child_side)
            text = os.read(terminal, 4096).decode()  # waits for the first word
            process.terminate()
        os.close(terminal)
        self.assertRegex(text, r"\[#*\.+\] +\d+ %")

    def test_strict_turns_a_missed_tolerance_into_4(self):
        # 1e-300 m/s is below the smallest difference of the velocities involved.
        arguments = ["run", "@stack:3", "--solver=pgs", "--max-iterations=1", "--tolerance=1e-300"]
        self.assertGreater(self.data(*arguments)["not_converged"], 0)
        self.assertGreater(self.data(*arguments, "--strict", code=NOT_CONVERGED)["not_converged"], 0)

    def test_strict_turns_missed_positions_into_4(self):
        # A ball of 1 m between walls 0.9 m apart stays 50 mm deep in each.
        walls = [
            {"name": name, "type": "static",
             "shapes": [{"type": "plane", "normal": [0, 0, up], "position": [0, 0, z]}]}
            for name, up, z in (("floor", 1, 0), ("ceiling", -1, 0.9))
        ]
        ball = {"name": "ball", "position": [0, 0, 0.45], "shapes": [{"type": "sphere", "radius": 0.5}]}
        text = scene(gravity=[0, 0, 0], duration=0.02, step={"dt": 0.01}, bodies=[*walls, ball])
        report = self.data("run", "-", "--strict", stdin=text, code=NOT_CONVERGED)
        positions = report["positions"]
        self.assertEqual((positions["missed"], positions["step"]), (2, 1))
        self.assertEqual(positions["pair"], "contact floor/ball")
        self.assertAlmostEqual(positions["error"], 0.05, 6)
        self.assertEqual([warning["kind"] for warning in report["warnings"]], ["positions_missed"])
        line = self.run_cairn("run", "-", stdin=text).stdout
        self.assertIn("2 positions missed, worst 0.05 at step 1 (contact floor/ball)", line)

    def test_a_warning_is_said_once_and_counted(self):
        arguments = ["run", "@stack:3", "--solver=pgs", "--max-iterations=1", "--tolerance=1e-300"]
        result = self.run_cairn(*arguments, "--json")
        report = json.loads(result.stdout)
        (warning,) = report["warnings"]
        self.assertEqual(list(warning), ["kind", "count", "step", "message"])
        self.assertEqual((warning["kind"], warning["step"]), ("not_converged", 1))
        self.assertEqual(warning["count"], report["not_converged"])
        self.assertGreater(warning["count"], 1)
        self.assertEqual(result.stderr.count("missed the tolerance"), 1)
        self.assertIn(f"not_converged: {warning['count']} steps, first in step 1", result.stderr)
        self.assertEqual(self.run_ball()["warnings"], [])

    def test_a_work_budget_ends_solves_and_is_counted(self):
        arguments = ["run", "@stack:8", "--duration=0.05", "--work-budget=1"]
        report = self.data(*arguments)
        self.assertGreater(report["out_of_budget"], 0)
        self.assertEqual(report["out_of_budget"], report["not_converged"])
        self.assertGreater(report["work"], report["steps"])
        self.assertIn("out of budget", self.run_cairn(*arguments).stdout)
        free = self.data("run", "@stack:8", "--duration=0.05")
        self.assertEqual((free["out_of_budget"], free["not_converged"]), (0, 0))

    def test_the_worst_residual_may_be_that_of_any_substep(self):
        # Two balls at rest, one sweep in each substep: the first has no guess, later ones are better.
        ball = FALLING_BALL["bodies"][1]
        balls = [dict(ball, name=f"ball {z}", position=[0, 0, z], velocity=[0, 0, 0]) for z in (1.5, 0.5)]
        changes = {"bodies": [FALLING_BALL["bodies"][0], *balls], "step": {"dt": 0.01, "substeps": 4}}
        arguments = ["--solver=pgs", "--max-iterations=1", "--duration=0.01"]
        residual = self.run_ball(*arguments, **changes)["residual"]
        self.assertEqual((residual["step"], residual["block"]), (1, None))
        self.assertGreater(residual["worst"], 1e-3)  # g times 2.5 ms is 0.0245 m/s
        self.assertLess(residual["worst"], 0.0246)
        line = self.run_cairn("run", "-", *arguments, stdin=scene(**changes)).stdout
        self.assertIn("at step 1 (in an earlier substep, by pgs)", line)

    def test_a_deadline_ends_solves(self):
        report = self.data("run", "@stack:8", "--duration=0.05", "--deadline=1e-9")
        self.assertGreater(report["not_converged"], 0)
        self.assertEqual(report["out_of_budget"], 0)

    def test_scenes_set_budget_and_deadline(self):
        self.run_ball(solver={"work_budget": 1e9, "deadline": 10})
        text = scene(solver={"work_buget": 1})
        self.assertIn('"work_budget"', self.run_cairn("run", "-", stdin=text, code=INVALID).stderr)
        text = scene(solver={"work_budget": -1})
        self.assertIn("at least 0", self.run_cairn("run", "-", stdin=text, code=INVALID).stderr)

    def test_a_motor_against_a_stop_is_named(self):
        axis = {"type": "slider", "point": [0, 0, 1], "axis": [1, 0, 0], "motor": "velocity"}
        pressed = dict(axis, bodies=["world", "ball"], target=1, limits=[-0.005, 0.005])
        for factor in (1, -1):
            pressed["target"] = factor
            report = self.run_ball("--duration=0.1", joints=[pressed])
            warnings = report["warnings"]
            self.assertEqual([w["kind"] for w in warnings], ["not_converged", "infeasible"])
            for warning in warnings:
                self.assertIn("a motor without max_force against a stop", warning["message"])
            # The motor gives way, the stop does not: 0.005 m from the start.
            self.assertAlmostEqual(abs(report["bodies"][-1]["position"][0]), 0.005, 6)

    def test_an_approximation_is_labelled(self):
        box = {"name": "pgs", "friction": "box"}
        self.assertEqual(self.run_ball(solver=box)["approximation"], "box friction")
        associated = self.run_ball(solver={"friction": "associated"})
        self.assertEqual(associated["approximation"], "associated friction: what slides lifts")
        self.assertEqual(associated["not_converged"], 0)
        text = self.run_cairn("run", "-", stdin=scene(solver=box)).stdout
        self.assertIn("approximation: box", text)
        pyramid = {"friction": "pyramid", "pyramid_sides": 6}  # auto takes lemke, which has it
        data = self.run_ball(solver=pyramid)
        self.assertEqual((data["approximation"], data["not_converged"]), ("pyramid friction", 0))

    def test_an_approximation_that_the_solver_has_not_is_refused_before_the_first_step(self):
        saying = 'standard input: solver.friction: solver nsgs does not support "pyramid" friction'
        for solver, option in [("auto", ["--solver=nsgs"]), ("nsgs", [])]:
            text = scene(solver={"name": solver, "friction": "pyramid"})
            result = self.refuses("run", "-", *option, stdin=text, code=INVALID, saying=saying)
            self.assertNotIn("step", result.stderr)

    def test_a_solver_by_option_has_the_friction_that_the_one_of_the_scene_lacks(self):
        pyramid = {"name": "nsgs", "friction": "pyramid"}
        report = self.run_ball("--solver=lemke", solver=pyramid)
        self.assertEqual((report["solver"], report["approximation"]), ("lemke", "pyramid friction"))
        self.assertEqual(report["not_converged"], 0)

    def test_every_built_in_scene_runs_and_keeps_its_ledgers(self):
        help_text = self.run_cairn("--help").stdout
        names = re.findall(r"^  @(\w+):\d+ ", help_text, re.MULTILINE)
        self.assertGreaterEqual(len(names), 3)
        for name in names:
            with self.subTest(scene=name):
                report = self.data("run", f"@{name}", "--duration", "0.05", "--strict")
                self.assertEqual((report["scene"], report["not_converged"]), (name, 0))
                self.assertLessEqual(report["energy"]["ledger_error"], LEDGER_TOLERANCE)
                self.assertLessEqual(report["momentum"]["ledger_error"], LEDGER_TOLERANCE)

    def test_bad_scenes_are_3(self):
        self.refuses("run", "none.json", code=INVALID, saying="none.json")
        self.refuses("run", "-", stdin="{", code=INVALID, saying="standard input")
        self.refuses("run", "@stakc", code=INVALID, saying="@stack")
        self.refuses("run", "-", stdin=scene(gravty=1), code=INVALID, saying="gravity")

    def test_the_hash_does_not_depend_on_the_number_of_threads(self):
        hashes = {self.data("run", "@spheres:16", "--threads", n)["hash"] for n in (1, 2, 4)}
        self.assertEqual(len(hashes), 1)

    def test_the_hash_depends_on_the_motion(self):
        self.assertNotEqual(self.run_ball()["hash"], self.run_ball("--dt=0.005")["hash"])

    def test_a_file_and_standard_input_are_the_same_scene(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "ball.json")
            path.write_text(scene())
            self.assertEqual(self.data("run", path)["hash"], self.run_ball()["hash"])


if __name__ == "__main__":
    unittest.main()
