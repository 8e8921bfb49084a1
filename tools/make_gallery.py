#!/usr/bin/env python3
# make_gallery.py - writes the scenes of scenes/gallery/, each one a thing worth looking at.
#
#     tools/make_gallery.py            write the scenes
#     tools/make_gallery.py --check    are they as they would be written?
#
# docs/manual/gallery.md says what each of them shows.
import json
import math
import pathlib
import sys

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes" / "gallery"
GROUND = {"name": "ground", "type": "static", "shapes": [{"type": "plane"}], "material": "ground"}
Y = [0, 1, 0]


def number(value):
    return round(float(value), 9) + 0.0


def vector(*values):
    return [number(value) for value in values]


def turned(axis, degrees):
    return {"axis": axis, "degrees": number(degrees)}


def box(name, size, position, material, **more):
    return {"name": name, "position": vector(*position), "shapes": [{"type": "box", "size": vector(*size)}],
            "material": material, **more}


def scene(name, duration, bodies, joints=(), dt=0.002, materials=None, **more):
    return {"cairn": 1, "name": name, "duration": duration, "step": {"dt": dt},
            "materials": {"ground": {"friction": 0.6}, **(materials or {})}, **more, "bodies": bodies,
            **({"joints": list(joints)} if joints else {})}


def arch(name, ratio, duration):
    """Half a circle of 15 wedges; it stands while its thickness is at least 0.1075 of its radius."""
    blocks, radius, depth = 15, 2.0, 0.8
    half = 0.5 * math.pi / blocks
    inner, outer = radius * (1 - ratio / 2), radius * (1 + ratio / 2)
    bodies = [GROUND]
    for i in range(blocks):
        middle = (2 * i + 1) * half
        place = (radius * math.cos(middle), 0, radius * math.sin(middle))
        points = [vector(r * math.cos(side * half) - radius, y, r * math.sin(side * half))
                  for r in (inner, outer) for side in (-1, 1) for y in (-depth / 2, depth / 2)]
        bodies.append({"name": f"voussoir {i + 1}", "position": vector(*place), "rotation": turned([0, -1, 0], math.degrees(middle)),
                       "shapes": [{"type": "convex", "points": points}], "material": "stone"})
    return scene(name, duration, bodies, dt=0.001, materials={"stone": {"friction": 0.6, "density": 2400}})


def card_house():
    """Three storeys of cards that lean on each other at 65 degrees; friction alone holds them."""
    length, thick, depth, lean = 0.09, 0.002, 0.06, math.radians(65)
    bodies = [GROUND]
    foot, high = length * math.cos(lean), length * math.sin(lean)
    rise = thick * math.cos(lean)  # what a card's thickness adds to its height
    for storey in range(3):
        base = storey * (high + rise + thick)
        tents = 3 - storey
        for i in range(tents):
            middle = (i - (tents - 1) / 2) * (2 * foot + 0.012)
            for side in (-1, 1):
                x = middle + side * (foot / 2 + thick * math.sin(lean) / 2)
                bodies.append(box(f"card {len(bodies)}", (length, depth, thick), (x, 0, base + (high + rise) / 2), "card",
                                  rotation=turned(Y, side * math.degrees(lean))))
        for i in range(tents - 1):
            middle = (i - (tents - 2) / 2) * (2 * foot + 0.012)
            bodies.append(box(f"roof {len(bodies)}", (length + 0.004, depth, thick), (middle, 0, base + high + rise + thick / 2), "card"))
    return scene("card house", 1.5, bodies, dt=0.001, materials={"ground": {"friction": 0.9}, "card": {"friction": 0.9, "density": 700}})


def wrecking_ball():
    """A ball of 1000 kg on 20 links of 1 kg each swings into a wall."""
    links, link, top = 20, 0.25, 6.5
    bodies, joints = [GROUND], []
    angle = math.radians(60)
    along = (-math.sin(angle), -math.cos(angle))
    for i in range(links):
        middle = (i + 0.5) * link
        bodies.append({"name": f"link {i + 1}", "position": vector(along[0] * middle, 0, top + along[1] * middle),
                       "rotation": turned(Y, math.degrees(angle)), "mass": 1,
                       "shapes": [{"type": "capsule", "radius": 0.03, "length": link - 0.08}]})
        point = vector(along[0] * i * link, 0, top + along[1] * i * link)
        joints.append({"name": f"pin {i + 1}", "type": "ball", "bodies": ["world" if i == 0 else f"link {i}", f"link {i + 1}"], "point": point})
    end = links * link
    bodies.append({"name": "ball", "position": vector(along[0] * (end + 0.5), 0, top + along[1] * (end + 0.5)), "mass": 1000,
                   "shapes": [{"type": "sphere", "radius": 0.5}]})
    joints.append({"name": "hook", "type": "ball", "bodies": [f"link {links}", "ball"], "point": vector(along[0] * end, 0, top + along[1] * end)})
    for row in range(6):
        for i in range(5):
            shift = 0.25 if row % 2 else 0.0
            bodies.append(box(f"brick {row + 1}.{i + 1}", (0.25, 0.5, 0.4), (0.75, (i - 2) * 0.5 + shift, 0.2 + row * 0.4), "brick"))
    return scene("wrecking ball", 3, bodies, joints, materials={"brick": {"friction": 0.6, "density": 1800}})


def dominoes():
    """A spiral of dominoes; the first is given a push."""
    bodies, angle, radius, count = [GROUND], 0.0, 0.25, 70
    for i in range(count):
        place = (radius * math.cos(angle), radius * math.sin(angle), 0.024)
        first = {}
        if i == 0:  # as if it turned about its lower edge
            first = {"angular_velocity": vector(-8 * math.cos(angle), -8 * math.sin(angle), 0),
                     "velocity": vector(-0.2 * math.sin(angle), 0.2 * math.cos(angle), 0)}
        bodies.append(box(f"domino {i + 1}", (0.024, 0.0075, 0.048), place, "wood", rotation=turned([0, 0, 1], math.degrees(angle)), **first))
        step = 0.02
        angle += step / radius
        radius += 0.0032
    return scene("domino run", 2.5, bodies, dt=0.001, materials={"wood": {"friction": 0.3, "density": 700, "restitution": 0}})


def jenga():
    """A tower of 24 blocks; a rod on rails pushes one of them out."""
    long, wide, high = 0.075, 0.025, 0.015
    bodies = [GROUND]
    for storey in range(8):
        for i in range(3):
            shift = (i - 1) * wide
            place, turn = ((0, shift, 0), 0) if storey % 2 == 0 else ((shift, 0, 0), 90)
            bodies.append(box(f"block {storey + 1}.{i + 1}", (long, wide - 0.0002, high), (place[0], place[1], (storey + 0.5) * high), "wood",
                              rotation=turned([0, 0, 1], turn)))
    z = 4.5 * high
    bodies.append(box("rod", (0.08, 0.01, 0.008), (-0.0785, 0, z), "wood"))
    joints = [{"name": "rail", "type": "slider", "bodies": ["world", "rod"], "point": vector(-0.0785, 0, z), "axis": [1, 0, 0],
               "axes": {"z": {"motor": "velocity", "target": 0.05, "max_force": 20}}}]
    return scene("jenga", 1.5, bodies, joints, materials={"wood": {"friction": 0.35, "density": 600}}, solver={"tolerance": 1e-5})


def column_collapse():
    """A column of 250 grains is let go and spreads."""
    bodies, radius = [GROUND], 0.05
    level, placed = 0, 0
    while placed < 250:
        for i in range(-4, 5):
            for j in range(-4, 5):
                x, y = (i + 0.5 * (level % 2)) * 2.04 * radius, (j + 0.5 * (level % 2)) * 2.04 * radius
                if x * x + y * y < (0.33) ** 2 and placed < 250:
                    placed += 1
                    bodies.append({"name": f"grain {placed}", "position": vector(x, y, radius + level * 1.5 * radius),
                                   "shapes": [{"type": "sphere", "radius": radius}], "material": "sand"})
        level += 1
    return scene("granular column", 1.5, bodies, dt=0.004, materials={"ground": {"friction": 0.5}, "sand": {
        "friction": 0.5, "density": 2600}}, solver={"tolerance": 1e-4, "work_budget": 5e9})


def stewart():
    """A platform on six legs that keeps its load level while the table below it shakes."""
    bodies = [{"name": "table", "type": "dynamic", "position": [0, 0, 0.05], "shapes": [{"type": "cylinder", "radius": 1.1, "length": 0.1}],
               "material": "steel"},
              {"name": "platform", "position": [0, 0, 0.9], "shapes": [{"type": "cylinder", "radius": 0.5, "length": 0.05}], "material": "steel"}]
    joints = [{"name": "shaker", "type": "slider", "bodies": ["world", "table"], "point": [0, 0, 0.05], "axis": [1, 0, 0],
               "motor": "position", "series": "shake", "stiffness": 4e7, "damping": 4e5}]
    for i in range(6):
        corner = 2 * math.pi * (i // 2) / 3
        side = 1 if i % 2 else -1
        foot, head = corner + side * 0.12, corner + side * 0.85
        low, high = vector(math.cos(foot), math.sin(foot), 0.1), vector(0.45 * math.cos(head), 0.45 * math.sin(head), 0.9)
        joints.append({"name": f"leg {i + 1}", "type": "distance", "bodies": ["table", "platform"], "point": low, "point_b": high,
                       "motor": "position", "series": "heave", "stiffness": 2e5, "damping": 6000, "limits": [0.6, 1.6]})
    length = math.dist(joints[1]["point"], joints[1]["point_b"])
    for row in range(3):
        bodies.append(box(f"crate {row + 1}", (0.2, 0.2, 0.2), (0, 0, 1.025 + 0.2 * row), "wood"))
    times = [0.02 * i for i in range(201)]
    shake = [0.08 * math.sin(2 * math.pi * t) * min(t, 1.0) for t in times]
    heave = [length + 0.06 * (1 - math.cos(math.pi * t)) * min(t, 1.0) for t in times]
    series = {"shake": {"times": vector(*times), "values": vector(*shake)}, "heave": {"times": vector(*times), "values": vector(*heave)}}
    return scene("Stewart platform", 4, bodies, joints, materials={"steel": {"friction": 0.5, "density": 2700},
                                                                   "wood": {"friction": 0.5, "density": 500}}, series=series)


def write_all(check):
    scenes = {
        "arch": arch("arch", 0.13, 2),
        "arch-falls": arch("arch that falls", 0.09, 1.6),
        "card-house": card_house(),
        "wrecking-ball": wrecking_ball(),
        "domino-run": dominoes(),
        "jenga": jenga(),
        "granular-column": column_collapse(),
        "stewart-platform": stewart(),
    }
    differ = []
    for name, content in scenes.items():
        text = json.dumps(content, indent=1) + "\n"
        path = SCENES / f"{name}.json"
        if check:
            differ += [] if path.exists() and path.read_text() == text else [name]
        else:
            SCENES.mkdir(exist_ok=True)
            path.write_text(text)
    if differ:
        print(f"not as make_gallery.py writes them: {', '.join(differ)}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(write_all("--check" in sys.argv[1:]))
