# test_recording.py - cairn run --record and --log, replay: the files and what they say.
import csv
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

from program import CAIRN, FALLING_BALL, INVALID, OK, USAGE, ProgramTest, cairn

MISMATCH = 6
HEADER = 16  # bytes of a recording before its first chunk


def python_with_numpy():
    """This Python, or Debian's, which python3-numpy is for."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
            return python
    raise AssertionError("no Python with NumPy: install python3-numpy")


def numpy_says(program, *arguments):
    """The JSON that a Python program with NumPy prints."""
    text = "import json, sys\nimport numpy as np\n" + program
    command = [python_with_numpy(), "-c", text, *arguments]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def chunks(path):
    """Kind, codec, stored bytes and offset of every chunk, checksums checked."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"CAIRNREC" and struct.unpack("<II", data[8:16]) == (2, 0)
    at = HEADER
    while at < len(data):
        kind, codec, stored, raw, crc, zero = struct.unpack("<4sIQQII", data[at : at + 32])
        bytes_ = data[at + 32 : at + 32 + stored]
        assert zlib.crc32(bytes_, zlib.crc32(data[at : at + 24])) == crc and zero == 0
        yield kind.decode(), codec, bytes_, at
        at += 32 + stored + -stored % 8


class RecordingTest(ProgramTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.scene = self.path("ball.json")
        with open(self.scene, "w") as file:
            json.dump(FALLING_BALL, file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def record(self, *arguments, scene=None):
        path = self.path("run.cairn")
        self.run_cairn("run", scene or self.scene, "--record", path, *arguments)
        return path

    # ---- recording and replay ----

    def test_a_recording_is_whole_chunks_and_replays_to_the_same_hashes(self):
        path = self.record("--frame-rate", "0")
        kinds = [kind for kind, *_ in chunks(path)]
        self.assertEqual(kinds[0], "HEAD")
        self.assertIn("SCEN", kinds)
        self.assertEqual(kinds[-1], "DONE")
        replay = self.data("replay", path)
        self.assertTrue(replay["equal"] and replay["whole"])
        self.assertEqual(replay["hashes"], 4)  # the start and 50 steps of 10 ms, every fifteenth of them
        self.assertEqual(replay["steps"], 50)

    def test_built_in_scenes_and_states_replay_too(self):
        state = self.path("state")
        self.run_cairn("run", "@pyramid:4", "--duration", "0.2", "--save-state", state)
        path = self.record("--from-state", state, "--duration", "0.5", scene="@pyramid:4")
        self.assertIn("STAT", [kind for kind, *_ in chunks(path)])
        self.assertTrue(self.data("replay", path, "--threads", "2")["equal"])

    def test_a_replay_that_differs_names_step_and_body_and_ends_with_6(self):
        # The same scene with a ball that starts 1 mm higher, in a recording of the first.
        first, second = self.record("--frame-rate", "0"), self.path("second.cairn")
        os.rename(first, self.path("first.cairn"))
        moved = json.loads(json.dumps(FALLING_BALL))
        ball = next(body for body in moved["bodies"] if body.get("type") != "static")
        ball["position"][2] += 1e-3
        with open(self.path("moved.json"), "w") as file:
            json.dump(moved, file)
        self.run_cairn(
            "run", self.path("moved.json"), "--record", second, "--frame-rate", "0"
        )
        with open(self.path("first.cairn"), "rb") as file:
            data = file.read()
        scene = {kind: (bytes_, at) for kind, _, bytes_, at in chunks(self.path("first.cairn"))}
        other = {kind: (bytes_, at) for kind, _, bytes_, at in chunks(second)}
        with open(second, "rb") as file:
            other_data = file.read()

        def whole(content, kinds, kind):
            bytes_, at = kinds[kind]
            return content[at : at + 32 + len(bytes_) + -len(bytes_) % 8]

        mixed = data.replace(whole(data, scene, "SCEN"), whole(other_data, other, "SCEN"))
        with open(self.path("mixed.cairn"), "wb") as file:
            file.write(mixed)
        result = self.run_cairn("replay", self.path("mixed.cairn"), code=MISMATCH)
        self.assertIn("differs first at step 0", result.stdout)
        self.assertIn(f"in {ball['name']}", result.stdout)
        self.assertIn("0.001 m", result.stdout)
        answer = self.data("replay", self.path("mixed.cairn"), code=MISMATCH)
        self.assertEqual((answer["equal"], answer["step"], answer["body"]), (False, 0, ball["name"]))

    def test_after_kill_9_whole_chunks_can_be_read(self):
        path = self.path("killed.cairn")
        process = subprocess.Popen(
            [CAIRN, "run", "@pyramid:12", "--duration", "1000", "--record", path, "--quiet"],
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            time.sleep(0.02)
            if os.path.exists(path) and os.path.getsize(path) > 0:
                if sum(kind == "FRMS" for kind in self.kinds_so_far(path)) >= 2:
                    break
        process.send_signal(signal.SIGKILL)
        process.wait()
        result = self.run_cairn("replay", path)
        self.assertIn("frames are compared", result.stderr)
        self.assertRegex(result.stdout, r"[1-9]\d* hashes equal")

    def kinds_so_far(self, path):
        try:
            return [kind for kind, *_ in chunks(path)]
        except (AssertionError, struct.error):  # a chunk is being written
            return []

    def test_what_is_no_recording_is_refused(self):
        self.refuses("replay", self.scene, code=INVALID, saying="no recording")
        self.refuses("replay", self.path("none"), code=INVALID, saying="cannot be read")
        self.refuses("replay", code=USAGE, saying="RECORDING")
        self.refuses(
            "run", self.scene, "--record", self.path("no/such/folder"), code=INVALID,
            saying="cannot be written",
        )
        if os.path.exists("/dev/full"):
            self.refuses("run", self.scene, "--record", "/dev/full", code=INVALID,
                         saying="/dev/full: cannot be written: No space left")

    # ---- logs ----

    def test_csv_has_units_and_the_numbers_of_free_fall(self):
        path = self.path("fall.csv")
        self.run_cairn("run", self.scene, "--duration", "0.1", "--log", path,
                       "--quantities", "body.ball.velocity.z,energy.*")
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0][:2], ["time [s]", "body.ball.velocity.z [m/s]"])
        self.assertEqual(len(rows), 1 + 11)  # head, start, ten steps
        for i, row in enumerate(rows[1:]):
            self.assertAlmostEqual(float(row[0]), 0.01 * i, delta=1e-15)
            # i additions of g dt, each rounded once
            self.assertAlmostEqual(float(row[1]), -9.81 * 0.01 * i, delta=1e-14)

    def test_log_every_chooses_rows_and_keeps_the_last_step(self):
        path = self.path("fall.csv")
        self.run_cairn("run", self.scene, "--log", path, "--log-every", "0.2")
        with open(path, newline="") as file:
            times = [float(row[0]) for row in list(csv.reader(file))[1:]]
        for time_, expected in zip(times, [0.0, 0.2, 0.4, 0.5], strict=True):
            self.assertAlmostEqual(time_, expected, delta=1e-14)

    def test_npy_and_npz_are_what_numpy_reads(self):
        for name in ("fall.npy", "fall.npz", "fall.csv"):
            self.run_cairn("run", self.scene, "--log", self.path(name))
        answer = numpy_says(
            "table = np.load(sys.argv[1])\n"
            "archive = np.load(sys.argv[2])\n"
            "text = np.genfromtxt(sys.argv[3], delimiter=',', skip_header=1)\n"
            "names = archive['names'].tolist()\n"
            "units = archive['units'].tolist()\n"
            "same = all((table[f'{n} [{u}]'] == archive[n]).all() and\n"
            "           (archive[n] == text[:, i]).all()\n"
            "           for i, (n, u) in enumerate(zip(names, units)))\n"
            "print(json.dumps([bool(same), list(table.shape), names[0], units[0],\n"
            "                  names[-1], units[-1]]))",
            self.path("fall.npy"), self.path("fall.npz"), self.path("fall.csv"),
        )
        self.assertEqual(answer, [True, [51], "time", "s", "body.ball.position.z", "m"])

    def test_quantities_help_lists_names_with_units(self):
        listed = self.run_cairn("run", self.scene, "--quantities", "help").stdout
        self.assertRegex(listed, r"(?m)^body\.ball\.position\.z +m$")
        self.assertRegex(listed, r"(?m)^energy\.kinetic +J$")
        names = {item["name"] for item in self.data("run", self.scene, "--quantities", "help")}
        self.assertIn("residual.worst", names)

    def test_misspelt_quantities_and_endings_are_refused(self):
        log = self.path("fall.csv")
        self.refuses("run", self.scene, "--log", log, "--quantities", "body.bal.position.z",
                     code=INVALID, saying='did you mean "body.ball.position.z"?')
        self.refuses("run", self.scene, "--log", self.path("fall.txt"), code=INVALID,
                     saying=".csv, .npy or .npz")

    def test_a_recording_keeps_the_quantities_asked_for(self):
        path = self.record("--quantities", "body.ball.speed")
        with open(path, "rb") as file:
            self.assertIn(b"CAIRNREC", file.read(8))
        self.assertEqual(cairn("replay", path).returncode, OK)


if __name__ == "__main__":
    unittest.main()
