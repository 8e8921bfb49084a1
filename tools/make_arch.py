#!/usr/bin/env python3
# make_arch.py - writes the arches of scenes/masonry/ and prints how thin they may be.
#
#     tools/make_arch.py            write the scenes
#     tools/make_arch.py --check    are they as they would be written, and on their sides of the limit?
#
# The geometry and the equations: docs/theory/arch.md. An arch is half a circle of wedges that meet
# at joints, with its middle at RADIUS. Its blocks touch over the whole joint, or over what is left
# of it when a strip is taken from both edges.
import json
import math
import pathlib
import sys

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes" / "masonry"
BLOCKS = 27
RADIUS = 10.0  # [m]
DEPTH = 5.0  # [m]
FRICTION = 0.5
HALF_ANGLE = 0.5 * math.pi / BLOCKS

# Where Solfec puts the outermost contact point: in the middle of a strip of 1/40 of the thickness.
INSET = 1.0 / 80.0

ARCHES = [  # name, thickness over radius, inset, whether it stands
    ("arch-1095", 0.1095, INSET, True),
    ("arch-1094", 0.1094, INSET, False),
    ("arch-edges-1068", 0.1068, 0.0, True),
    ("arch-edges-1066", 0.1066, 0.0, False),
]


class Block:
    """A wedge of unit density; x points away from the middle of the circle, z along the arch."""

    def __init__(self, ratio):
        inner, outer = (radius * math.cos(HALF_ANGLE) for radius in joint_radii(ratio, 0.0))
        slope = math.tan(HALF_ANGLE)
        squares, cubes, fourths = (outer**n - inner**n for n in (2, 3, 4))
        self.area = slope * squares
        self.center = 2.0 / 3.0 * cubes / squares  # distance from the middle of the circle
        self.half_moment = slope**2 * cubes / 6.0  # of the half with z > 0, about z = 0
        radial = 0.5 * slope * fourths - self.area * self.center**2
        along = slope**3 * fourths / 6.0
        across = self.area * DEPTH**2 / 12.0
        self.mass = self.area * DEPTH
        self.inertia = [DEPTH * (across + along), DEPTH * (radial + along), DEPTH * (radial + across)]


def joint_radii(ratio, inset):
    half = 0.5 * ratio * RADIUS * (1.0 - 2.0 * inset)
    return RADIUS - half, RADIUS + half


def joints(block):
    """Angle, weight above and its moment about the vertical axis, from the crown to the floor."""
    weight, moment = 0.5 * block.area, block.half_moment
    for k in range(BLOCKS // 2, -1, -1):
        yield 2 * k * HALF_ANGLE, weight, moment
        weight += block.area
        moment += block.area * block.center * math.cos((2 * k - 1) * HALF_ANGLE)


def margin(ratio, inset, thrust):
    """How much room this horizontal thrust leaves: docs/theory/arch.md (3) and (4)."""
    inner, outer = joint_radii(ratio, inset)
    lowest, highest, grip = -math.inf, math.inf, math.inf
    for angle, weight, moment in joints(Block(ratio)):
        cosine, sine = math.cos(angle), math.sin(angle)
        normal, tangent = thrust * sine + weight * cosine, weight * sine - thrust * cosine
        lowest = max(lowest, inner * normal - moment)
        highest = min(highest, outer * normal - moment)
        grip = min(grip, FRICTION * normal - abs(tangent))
    return min(highest - lowest, RADIUS * grip)


def stands(ratio, inset):
    """The margin is concave in the thrust, so thirds of an interval close in on its largest."""
    low, high = 0.0, 2.0 * BLOCKS * Block(ratio).area
    for _ in range(150):
        left, right = (2 * low + high) / 3, (low + 2 * high) / 3
        if margin(ratio, inset, left) < margin(ratio, inset, right):
            low = left
        else:
            high = right
    return margin(ratio, inset, 0.5 * (low + high)) >= 0.0


def limit(inset):
    thin, thick = 0.05, 0.2
    for _ in range(40):
        middle = 0.5 * (thin + thick)
        thin, thick = (thin, middle) if stands(middle, inset) else (middle, thick)
    return thick


def numbers(values):
    return "[" + ", ".join(repr(value) for value in values) + "]"


def points(block, ratio, inset):
    cosine, sine = math.cos(HALF_ANGLE), math.sin(HALF_ANGLE)
    return [numbers([radius * cosine - block.center, y * 0.5 * DEPTH, z * radius * sine])
            for radius in joint_radii(ratio, inset) for y in (-1, 1) for z in (-1, 1)]


def body(index, block, ratio, inset):
    angle = (2 * index + 1) * HALF_ANGLE
    position = [block.center * math.cos(angle), 0, block.center * math.sin(angle)]
    corners = (",\n" + 16 * " ").join(points(block, ratio, inset))
    return f"""    {{"name": "voussoir {index}", "material": "stone", "position": {numbers(position)},
     "rotation": {{"axis": [0, -1, 0], "radians": {angle!r}}},
     "mass": {block.mass!r},
     "inertia": {numbers(block.inertia)},
     "shapes": [{{"type": "convex", "points": [
                {corners}]}}]}}"""


def scene(ratio, inset):
    block = Block(ratio)
    ground = """    {"name": "ground", "type": "static", "material": "stone", "shapes": [{"type": "plane"}]}"""
    bodies = ",\n".join([ground] + [body(k, block, ratio, inset) for k in range(BLOCKS)])
    return f"""{{
  "cairn": 1,
  "gravity": [0, 0, -9.81],
  "duration": 0.75,
  "step": {{"dt": 0.001}},
  "solver": {{"tolerance": 1e-8}},
  "materials": {{"stone": {{"friction": {FRICTION}}}}},
  "bodies": [
{bodies}
  ]
}}
"""


def is_same(a, b):
    """Sines of other libraries may differ in their last place, so numbers are compared to 1e-12."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(is_same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= 1e-12 * max(1.0, abs(a))
    return a == b


def check():
    failures = 0
    for name, ratio, inset, upright in ARCHES:
        path = SCENES / f"{name}.json"
        if not is_same(json.loads(path.read_text()), json.loads(scene(ratio, inset))):
            print(f"{path}: is not what tools/make_arch.py writes")
            failures += 1
        if stands(ratio, inset) != upright:
            print(f"{path}: statics says otherwise")
            failures += 1
    return 1 if failures else 0


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    for name, ratio, inset, _ in ARCHES:
        (SCENES / f"{name}.json").write_text(scene(ratio, inset))
    for inset in (0.0, INSET):
        print(f"contacts {inset:g} of the thickness from the edges: stands from {limit(inset):.9f} on")
    return 0


if __name__ == "__main__":
    sys.exit(main())
