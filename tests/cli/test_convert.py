# test_convert.py - cairn convert: what becomes of a recording is read back by others' readers.
import csv
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from program import INVALID, USAGE, ProgramTest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# One of each shape, some of which move; an unnamed body and a name that needs quotes.
SCENE = {
    "cairn": 1,
    "name": "shapes",
    "duration": 0.5,
    "step": {"dt": 0.005},
    "bodies": [
        {"name": "ground", "type": "static", "shapes": [{"type": "plane"}]},
        {"name": "hills, low", "type": "static", "position": [0, 0, -2], "shapes": [
            {"type": "height_field", "size": [4, 4], "heights": [[0, 0.1, 0], [0.1, 0.3, 0], [0, 0, 0]]}]},
        {"name": "box \"1\"", "position": [0, 0, 1], "angular_velocity": [1, 2, 0],
         "shapes": [{"type": "box", "size": [0.4, 0.3, 0.2]}]},
        {"position": [2, 0, 1], "velocity": [0, 1, 0], "shapes": [{"type": "sphere", "radius": 0.2}]},
        {"name": "pill", "position": [4, 0, 1],
         "shapes": [{"type": "capsule", "radius": 0.1, "length": 0.5},
                    {"type": "cylinder", "radius": 0.2, "length": 0.1, "position": [0, 0, 0.5]}]},
        {"name": "wedge", "position": [6, 0, 0.1], "shapes": [
            {"type": "convex", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}]},
    ],
}
FRAMES = 31  # 0.5 s at 60 per second, and the start


def python_with(module):
    """This Python, or Debian's, which python3-numpy and python3-vtk9 are for."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return python
    raise AssertionError(f"no Python with {module}: tools/install_dependencies.sh test installs it")


def says(module, program, *arguments):
    """The JSON that a Python program prints."""
    command = [python_with(module), "-c", "import json, sys\n" + program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


READ_VTK = """
import os, xml.etree.ElementTree as tree
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
import vtkmodules.vtkCommonCore as core
errors = []
folder = os.path.dirname(sys.argv[1])
parts = []
for entry in tree.parse(sys.argv[1]).getroot().iter("DataSet"):
    reader = vtkXMLPolyDataReader()
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(1))
    reader.SetFileName(os.path.join(folder, entry.get("file")))
    reader.Update()
    data = reader.GetOutput()
    body = data.GetCellData().GetArray("body")
    force = data.GetPointData().GetArray("force [N]")
    box = [i for i in range(data.GetNumberOfCells())
           if entry.get("name") == "bodies" and body.GetValue(i) == 2]
    lowest = min((data.GetPoint(data.GetCell(i).GetPointId(k))[2] for i in box for k in range(3)),
                 default=None)
    total = sum(force.GetComponent(i, 2) for i in range(data.GetNumberOfPoints())) if force else 0
    parts.append([entry.get("name"), float(entry.get("timestep")), data.GetNumberOfPoints(),
                  data.GetNumberOfPolys(), data.GetNumberOfVerts(), lowest, total])
print(json.dumps([len(errors), parts]))
"""

VALIDATE_GLTF = """
const validator = require(process.argv[2]);
const bytes = new Uint8Array(require("fs").readFileSync(process.argv[3]));
validator.validateBytes(bytes, {maxIssues: 0}).then((report) => console.log(JSON.stringify(report)));
"""


def gltf_validator():
    """The folder of npm's gltf-validator, or None."""
    for folder in (ROOT / "viewer/node_modules", pathlib.Path(os.environ.get("NODE_PATH", "/nowhere"))):
        if (folder / "gltf-validator").is_dir():
            return folder / "gltf-validator"
    return None


class ConvertTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.recording = cls.folder / "run.cairn"
        (cls.folder / "scene.json").write_text(json.dumps(SCENE))
        runner = cls("test_converting_needs_a_recording_and_an_ending")
        result = runner.data("run", cls.folder / "scene.json", "--record", cls.recording)
        cls.final = {body["name"]: body for body in result["bodies"]}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def convert(self, ending):
        out = self.folder / f"out{ending}"
        self.run_cairn("convert", self.recording, out)
        return out

    def test_converting_needs_a_recording_and_an_ending(self):
        self.refuses("convert", self.recording, self.folder / "out.txt", code=USAGE, saying=".pvd")
        self.refuses("convert", self.folder / "scene.json", self.folder / "out.csv", code=INVALID,
                     saying="no recording")
        self.refuses("convert", self.recording, self.folder / "no/out.glb", code=INVALID,
                     saying="cannot be written")

    def test_csv_has_the_poses_of_all_bodies(self):
        with open(self.convert(".csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), FRAMES)
        for name in ("box \"1\"", "hills, low", "wedge"):
            for k, axis in enumerate("xyz"):
                value = float(rows[-1][f"body.{name}.position.{axis} [m]"])
                # half a quantum of the recording
                self.assertAlmostEqual(value, self.final[name]["position"][k], delta=0.51e-6)
        self.assertIn("body.body 3.velocity.y [m/s]", rows[0])
        self.assertAlmostEqual(float(rows[-1]["time [s]"]), 0.5, delta=1e-12)

    def test_npz_has_the_same_numbers(self):
        table, archive = self.convert(".csv"), self.convert(".npz")
        answer = says(
            "numpy",
            "import csv, numpy as np\n"
            "archive = np.load(sys.argv[2])\n"
            "with open(sys.argv[1], newline='') as file:\n"
            "    rows = list(csv.reader(file))\n"
            "names = [f'{n} [{u}]' for n, u in zip(archive['names'], archive['units'])]\n"
            "text = np.array([[float(x) for x in row] for row in rows[1:]])\n"
            "same = all((archive[n] == text[:, i]).all() for i, n in enumerate(archive['names']))\n"
            "print(json.dumps([names == rows[0], bool(same), list(text.shape)]))",
            table, archive,
        )
        self.assertEqual(answer[:2], [True, True])
        self.assertEqual(answer[2][0], FRAMES)

    def test_paraview_files_are_read_by_vtk(self):
        errors, parts = says("vtkmodules", READ_VTK, self.convert(".pvd"))
        self.assertEqual(errors, 0)
        self.assertEqual(len(parts), 2 * FRAMES)
        bodies = [part for part in parts if part[0] == "bodies"]
        contacts = [part for part in parts if part[0] == "contacts"]
        self.assertGreater(bodies[0][3], 100)  # triangles
        self.assertEqual(bodies[0][2:4], bodies[-1][2:4])
        self.assertAlmostEqual(bodies[-1][1], 0.5, delta=1e-12)
        # The box starts with its lowest corner 0.1 m below its centre, and falls to the ground.
        self.assertAlmostEqual(bodies[0][5], 0.9, delta=1e-6)
        self.assertAlmostEqual(bodies[-1][5], 0.0, delta=1e-3)
        self.assertEqual(contacts[0][4], 0)
        self.assertGreater(contacts[-1][4], 0)
        self.assertGreater(contacts[-1][6], 0.0)  # what is on the ground is held up

    def test_glb_is_a_well_formed_animation(self):
        data = self.convert(".glb").read_bytes()
        magic, version, length, size, kind = struct.unpack("<4sIII4s", data[:20])
        self.assertEqual((magic, version, length, kind), (b"glTF", 2, len(data), b"JSON"))
        scene = json.loads(data[20 : 20 + size])
        self.assertEqual([node["name"] for node in scene["nodes"]][1:4],
                         ["ground", "hills, low", "box \"1\""])
        moving = {channel["target"]["node"] for channel in scene["animations"][0]["channels"]}
        self.assertEqual(moving, {3, 4, 5, 6})  # all but the ground and the hills
        times = scene["accessors"][scene["animations"][0]["samplers"][0]["input"]]
        self.assertEqual(times["count"], FRAMES)
        self.assertAlmostEqual(times["max"][0], 0.5, delta=1e-6)

    def test_glb_has_no_error_or_warning_by_khronos_validator(self):
        validator, node = gltf_validator(), shutil.which("node")
        if validator is None or node is None:
            self.skipTest("npm's gltf-validator is not installed")
        script = self.folder / "validate.cjs"
        script.write_text(VALIDATE_GLTF)
        done = subprocess.run([node, script, validator, self.convert(".glb")],
                              capture_output=True, text=True, check=True)
        issues = json.loads(done.stdout)["issues"]
        self.assertEqual((issues["numErrors"], issues["numWarnings"]), (0, 0), issues["messages"][:5])


if __name__ == "__main__":
    unittest.main()
