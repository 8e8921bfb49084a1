#!/usr/bin/env python3
# make_joint_pictures.py - the pictures of docs/manual/joints.md, one for each type of joint.
#
#     tools/make_joint_pictures.py [FOLDER]     default: docs/manual/joints
#
# Each picture is a list of a few parts: bodies A (blue) and B (orange), the world (hatched), the
# joint's axis (dash-dotted), what is held (black) and what stays free (green arrows).
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

WIDTH, HEIGHT = 260, 150
BLUE, ORANGE, GREEN, INK, GREY = "#9dc3e6", "#f4b183", "#2e7d32", "#222222", "#888888"


def element(name, text="", **attributes):
    words = " ".join(f'{key.replace("_", "-")}="{value}"' for key, value in attributes.items())
    return f"<{name} {words}>{text}</{name}>" if text else f"<{name} {words}/>"


def label(x, y, text, color=INK, size=13, anchor="middle"):
    return element("text", text, x=x, y=y, fill=color, font_size=size, text_anchor=anchor,
                   font_family="sans-serif")


def box(x, y, width, height, color, name="", angle=0):
    turn = {"transform": f"rotate({angle} {x + width / 2:g} {y + height / 2:g})"} if angle else {}
    parts = [element("rect", x=x, y=y, width=width, height=height, rx=5, fill=color, stroke=INK,
                     stroke_width=1.5, **turn)]
    if name:
        parts.append(label(x + width / 2, y + height / 2 + 5, name, size=15))
    return "".join(parts)


def body_a(x, y, width=80, height=36, angle=0):
    return box(x, y, width, height, BLUE, "A", angle)


def body_b(x, y, width=80, height=36, angle=0):
    return box(x, y, width, height, ORANGE, "B", angle)


def line(x1, y1, x2, y2, color=INK, width=1.5, dash=""):
    extra = {"stroke_dasharray": dash} if dash else {}
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=color, stroke_width=width, **extra)


def axis(x1, y1, x2, y2, name="axis", dx=0, dy=-5):
    return line(x1, y1, x2, y2, GREY, 1.2, "9 3 2 3") + label(x2 + dx, y2 + dy, name, GREY, 11)


def head(x, y, angle, color):
    points = [(x, y)]
    for side in (-0.42, 0.42):
        points.append((x - 10 * math.cos(angle + side), y - 10 * math.sin(angle + side)))
    return element("polygon", points=" ".join(f"{px:.1f},{py:.1f}" for px, py in points), fill=color)


def arrow(x1, y1, x2, y2, both=True, color=GREEN):
    angle = math.atan2(y2 - y1, x2 - x1)
    parts = [line(x1, y1, x2, y2, color, 2.4), head(x2, y2, angle, color)]
    if both:
        parts.append(head(x1, y1, angle + math.pi, color))
    return "".join(parts)


# Part of an ellipse, angles in degrees, counted as on the page: clockwise from the right.
def turn(x, y, rx, ry, start=200, end=340, both=True, color=GREEN, back=False):
    first, last = math.radians(start), math.radians(end)
    x1, y1 = x + rx * math.cos(first), y + ry * math.sin(first)
    x2, y2 = x + rx * math.cos(last), y + ry * math.sin(last)
    large = 1 if abs(end - start) > 180 else 0
    parts = [element("path", d=f"M {x1:.1f} {y1:.1f} A {rx} {ry} 0 {large} 1 {x2:.1f} {y2:.1f}",
                     fill="none", stroke=color, stroke_width=2.4)]
    if not back:
        parts.append(head(x2, y2, math.atan2(ry * math.cos(last), -rx * math.sin(last)), color))
    if both or back:
        parts.append(head(x1, y1, math.atan2(-ry * math.cos(first), rx * math.sin(first)), color))
    return "".join(parts)


def dot(x, y, radius=4, color=INK):
    return element("circle", cx=x, cy=y, r=radius, fill=color)


def ring(x, y, radius, color="white"):
    return element("circle", cx=x, cy=y, r=radius, fill=color, stroke=INK, stroke_width=1.5)


def world(x, y, width):
    parts = [line(x, y, x + width, y, INK, 2)]
    parts += [line(x + i, y, x + i - 8, y + 9, INK, 1) for i in range(8, width + 1, 10)]
    return "".join(parts)


def ceiling(x, y, width):
    parts = [line(x, y, x + width, y, INK, 2)]
    parts += [line(x + i - 8, y, x + i, y - 9, INK, 1) for i in range(8, width + 1, 10)]
    return "".join(parts)


def coil(x1, y1, x2, y2, turns=6, radius=8):
    length = math.hypot(x2 - x1, y2 - y1)
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    points = [(0, 0), (length * 0.15, 0)]
    for i in range(2 * turns):
        along = length * (0.15 + 0.7 * (i + 0.5) / (2 * turns))
        points.append((along, radius if i % 2 else -radius))
    points += [(length * 0.85, 0), (length, 0)]
    text = " ".join(f"{x1 + a * ux - s * uy:.1f},{y1 + a * uy + s * ux:.1f}" for a, s in points)
    return element("polyline", points=text, fill="none", stroke=INK, stroke_width=1.8)


# Displacement over time in a small frame.
def graph(x, y, unit):
    parts = [arrow(x, y, x + 62, y, False, INK), arrow(x, y, x, y - 42, False, INK)]
    parts.append(element("polyline", points=f"{x},{y} {x+16},{y-26} {x+32},{y-8} {x+52},{y-32}",
                         fill="none", stroke=GREEN, stroke_width=2))
    parts.append(label(x + 60, y + 13, "t", GREY, 11) + label(x + 16, y - 38, unit, GREY, 11))
    return "".join(parts)


def teeth(x, y, radius, count):
    parts = [element("circle", cx=x, cy=y, r=radius, fill="none", stroke=INK, stroke_width=1.5)]
    for i in range(count):
        a = 2 * math.pi * i / count
        parts.append(line(round(x + radius * math.cos(a), 1), round(y + radius * math.sin(a), 1),
                          round(x + (radius + 5) * math.cos(a), 1),
                          round(y + (radius + 5) * math.sin(a), 1), INK, 3))
    return "".join(parts)


PICTURES = {
    "ball": [body_a(20, 62), body_b(158, 62), line(100, 80, 122, 80, INK, 5), ring(130, 80, 14),
             line(144, 80, 158, 80, INK, 5), dot(130, 80), axis(130, 130, 130, 18, "z", 10, 6),
             turn(130, 42, 22, 8, 150, 390), turn(130, 80, 118, 90, -22, 22),
             arrow(178, 122, 216, 104)],
    "hinge": [body_a(20, 62), body_b(160, 62), line(100, 80, 160, 80, INK, 6),
              box(122, 52, 16, 56, "white"), axis(130, 140, 130, 18, "axis", 20, 8),
              turn(130, 36, 22, 8, 150, 390)],
    "slider": [box(20, 60, 130, 40, BLUE), label(50, 85, "A", size=15), box(110, 66, 120, 28, ORANGE),
               label(190, 85, "B", size=15), axis(8, 80, 250, 80, "axis", -12, -8),
               arrow(150, 118, 220, 118)],
    "cylindrical": [box(20, 56, 110, 48, BLUE), label(50, 85, "A", size=15),
                    box(110, 70, 110, 20, ORANGE), label(180, 85, "B", size=15),
                    axis(8, 80, 252, 80, "axis", -12, -8), arrow(140, 120, 210, 120),
                    turn(232, 80, 8, 24, 130, 400)],
    "universal": [body_a(8, 62), body_b(176, 62), axis(130, 142, 130, 14, "axis", 18, 8),
                  axis(84, 106, 186, 48, "axis_b", 20, 2), line(88, 80, 100, 80, INK, 4),
                  line(100, 48, 100, 112, INK, 4), line(98, 48, 132, 48, INK, 4),
                  line(98, 112, 132, 112, INK, 4), line(130, 48, 130, 112, INK, 4),
                  line(110, 91, 150, 69, INK, 4), line(150, 69, 176, 74, INK, 4),
                  line(110, 91, 150, 102, INK, 4), line(148, 102, 176, 92, INK, 4), dot(130, 80, 5),
                  turn(130, 32, 20, 7, 150, 390), turn(164, 60, 7, 15, 170, 420)],
    "planar": [element("polygon", points="20,120 90,70 250,70 180,120", fill=BLUE, stroke=INK,
                       stroke_width=1.5), label(48, 114, "A", size=15),
               box(112, 62, 60, 30, ORANGE, "B"), axis(142, 62, 142, 12, "axis", 20, 8),
               arrow(60, 104, 100, 104), arrow(190, 108, 214, 90), turn(142, 40, 22, 8, 150, 390)],
    "weld": [body_a(50, 62), body_b(130, 62)] +
            [element("circle", cx=130, cy=y, r=4, fill=INK) for y in (66, 74, 82, 90)],
    "six_axis": [body_a(20, 62, 60), body_b(180, 62, 60), arrow(130, 80, 130, 24, False),
                 arrow(130, 80, 176, 120, False), arrow(130, 80, 84, 120, False),
                 turn(130, 36, 18, 6, 160, 380, False), label(130, 18, "z", GREEN),
                 label(186, 130, "y", GREEN), label(74, 130, "x", GREEN), dot(130, 80)],
    "distance": [body_a(10, 40, 60, 60), body_b(190, 50, 60, 60), line(60, 60, 200, 80, INK, 4),
                 ring(60, 60, 5), ring(200, 80, 5), label(130, 58, "length"),
                 turn(60, 60, 40, 40, 330, 385), turn(200, 80, 40, 40, 150, 205)],
    "rope": [body_a(10, 30, 60, 50), body_b(190, 60, 60, 50),
             element("path", d="M 60 60 C 100 130 150 130 200 85", fill="none", stroke=INK,
                     stroke_width=2), ring(60, 60, 5), ring(200, 85, 5),
             label(130, 134, "at most length")],
    "screw": [box(150, 38, 50, 84, BLUE), label(175, 58, "A", size=15),
              box(40, 68, 200, 24, ORANGE), label(60, 85, "B", size=15)] +
             [line(90 + i, 92, 98 + i, 68, INK, 1.2) for i in range(0, 140, 10)] +
             [axis(12, 80, 254, 80, "axis", -14, -8), arrow(60, 122, 130, 122),
              turn(28, 80, 8, 24, 130, 400)],
    "gear": [teeth(86, 80, 46, 24), teeth(172, 80, 30, 16), ring(86, 80, 14, BLUE),
             ring(172, 80, 14, ORANGE), label(86, 85, "A", size=15), label(172, 85, "B", size=15),
             turn(86, 80, 32, 32, 200, 340, False), turn(172, 80, 22, 22, 200, 340, False, back=True)],
    "rack_and_pinion": [teeth(130, 58, 36, 20), ring(130, 58, 14, BLUE), label(130, 63, "A", size=15),
                        box(40, 100, 180, 22, ORANGE), label(60, 116, "B", size=15)] +
                       [line(50 + i, 95, 50 + i, 100, INK, 3) for i in range(0, 165, 11)] +
                       [turn(130, 58, 25, 25, 200, 340, False), arrow(90, 136, 180, 136)],
    "mimic": [box(20, 20, 220, 24, GREY), box(50, 44, 16, 80, BLUE), box(194, 44, 16, 80, ORANGE),
              label(58, 90, "l", size=13), label(202, 90, "f", size=13), arrow(72, 110, 112, 110, False),
              arrow(188, 110, 148, 110, False), label(130, 100, "q = ratio q + offset", GREEN, 11)],
    "pulley": [ceiling(60, 14, 140), ring(90, 32, 14), ring(170, 32, 14), line(76, 32, 76, 88, INK, 2),
               line(184, 32, 184, 70, INK, 2), line(90, 18, 170, 18, INK, 2),
               body_a(51, 88, 50, 36), body_b(159, 70, 50, 36), arrow(36, 78, 36, 130),
               arrow(226, 60, 226, 114), dot(76, 32, 3), dot(184, 32, 3)],
    "fix_point": [world(90, 122, 80), element("polygon", points="130,92 112,122 148,122",
                                              fill="white", stroke=INK, stroke_width=1.5),
                  body_a(90, 56, 80, 44, -8), dot(130, 92, 5), turn(130, 92, 60, 60, 300, 345),
                  turn(130, 92, 60, 60, 195, 240)],
    "fix_direction": [world(70, 128, 120), ring(115, 119, 8), ring(145, 119, 8),
                      body_a(90, 64, 80, 44), dot(130, 108, 5),
                      axis(130, 64, 130, 20, "axis", 20, 8), arrow(190, 100, 246, 100),
                      turn(130, 90, 70, 60, 205, 245)],
    "set_displacement": [body_a(20, 62), dot(100, 80, 5), arrow(106, 80, 160, 80, False),
                         label(134, 72, "axis", GREY, 11), graph(180, 100, "s")],
    "set_velocity": [body_a(20, 62), dot(100, 80, 5), arrow(106, 80, 160, 80, False),
                     label(134, 72, "axis", GREY, 11), graph(180, 100, "v")],
    "set_acceleration": [body_a(20, 62), dot(100, 80, 5), arrow(106, 80, 160, 80, False),
                         label(134, 72, "axis", GREY, 11), graph(180, 100, "a")],
    "rigid_link": [body_a(10, 40, 60, 60), body_b(190, 50, 60, 60), line(60, 60, 200, 80, INK, 7),
                   ring(60, 60, 6), ring(200, 80, 6), turn(60, 60, 40, 40, 330, 385),
                   turn(200, 80, 40, 40, 150, 205)],
    "spring": [body_a(10, 56, 60, 50), body_b(190, 56, 60, 50), coil(70, 70, 190, 70),
               line(70, 94, 120, 94), line(120, 86, 120, 102), line(114, 86, 150, 86),
               line(114, 102, 150, 102), line(124, 94, 190, 94), arrow(96, 128, 164, 128),
               label(130, 122, "stroke", GREEN, 11)],
}


def picture(name, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}">\n'
            f"<title>{name}</title>\n"
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "manual" / "joints"
    folder.mkdir(parents=True, exist_ok=True)
    for name, parts in PICTURES.items():
        (folder / f"{name}.svg").write_text(picture(name, parts), encoding="utf-8")


if __name__ == "__main__":
    main()
