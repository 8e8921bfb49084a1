# program.py - runs the built cairn and reads what it says.
import json
import os
import subprocess
import unittest

CAIRN = os.environ["CAIRN"]

OK, FAILURE, USAGE, INVALID, NOT_CONVERGED, RESOURCE = range(6)

# Far above what any of these tests takes, sanitizers included.
TIMEOUT_SECONDS = 500  # all of `cairn validate` under sanitizers takes 110 s on an idle machine


def cairn(*arguments, stdin=None, environment=None, folder=None):
    """The finished process: returncode, stdout, stderr."""
    return subprocess.run(
        [CAIRN, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        env={**os.environ, **(environment or {})},
        cwd=folder,
    )


class ProgramTest(unittest.TestCase):
    def run_cairn(self, *arguments, code=OK, **options):
        result = cairn(*arguments, **options)
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stderr}")
        return result

    def data(self, *arguments, code=OK, **options):
        """The JSON the command wrote; NaN and Infinity are no JSON."""
        text = self.run_cairn(*arguments, "--json", code=code, **options).stdout

        def refuse(word):
            self.fail(f"{arguments}: {word} in JSON")

        return json.loads(text, parse_constant=refuse)

    def refuses(self, *arguments, code, saying, **options):
        """The command ends with this code, a sentence on stderr and no data."""
        result = self.run_cairn(*arguments, code=code, **options)
        self.assertEqual(result.stdout, "", "data after a refusal")
        for part in [saying] if isinstance(saying, str) else saying:
            self.assertIn(part, result.stderr)
        return result


# A ball that falls on the ground; dt divides the duration.
FALLING_BALL = {
    "cairn": 1,
    "gravity": [0, 0, -9.81],
    "duration": 0.5,
    "step": {"dt": 0.01},
    "solver": {"name": "nsgs", "tolerance": 1e-10},
    "bodies": [
        {"name": "ground", "type": "static", "shapes": [{"type": "plane", "normal": [0, 0, 1]}]},
        {
            "name": "ball",
            "position": [0, 0, 1],
            "velocity": [1, 0, 0],
            "shapes": [{"type": "sphere", "radius": 0.5}],
        },
    ],
}


def scene(**changes):
    """The falling ball with some keys replaced, as text."""
    return json.dumps({**FALLING_BALL, **changes}, indent=1)


def contact_problem(bodies=1):
    """Point masses of 2 kg (no inertia), one on the other, that slide and fall, as text.

    Friction is 0.5, the free velocity of all (1, 0, -1) m/s. A single body gets a normal impulse of
    2 N s, friction half of it, and leaves with (0.5, 0, 0) m/s.
    """
    axes = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]

    def rows(sign):
        return [[sign * x for x in axis] + [0, 0, 0] for axis in axes]

    blocks = [
        {
            "law": "coulomb",
            "bodies": [i - 1, i],
            "friction": 0.5,
            "rows": [
                {"jacobian_a": a, "jacobian_b": b} if i > 0 else {"jacobian_b": b}
                for a, b in zip(rows(-1), rows(1))
            ],
        }
        for i in range(bodies)
    ]
    body = {"inverse_mass": 0.5, "free_velocity": [1, 0, -1, 0, 0, 0]}
    return json.dumps({"cairn_problem": 1, "bodies": [body] * bodies, "blocks": blocks})
