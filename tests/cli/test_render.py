#!/usr/bin/env python3
# test_render.py - `cairn render`: pictures with a known content, the same bytes every time.
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

from program import INVALID, OK, USAGE, ProgramTest, cairn


def read_png(path):
    """Width, height and rows of RGB triples of a PNG without interlacing."""
    data = pathlib.Path(path).read_bytes()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    raw, rows, before = zlib.decompress(packed), [], bytearray(3 * width)
    for y in range(height):
        kind, line = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for i in range(len(line)):
            a, b, c = line[i - 3] if i >= 3 else 0, before[i], before[i - 3] if i >= 3 else 0
            paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[i] = (line[i] + [0, a, b, (a + b) // 2, paeth][kind]) & 255
        rows.append([tuple(line[3 * x:3 * x + 3]) for x in range(width)])
        before = line
    return width, height, rows


class Render(ProgramTest):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def draw(self, name, *arguments):
        path = self.folder / name
        done = cairn("render", *arguments, "--output", str(path), "--quiet")
        self.assertEqual(done.returncode, OK, done.stderr)
        return path

    def test_a_box_is_where_it_is(self):
        path = self.draw("box.png", "@stack:1", "--time", "0.01", "--size", "160x120", "--camera", "front", "--no-title",
                         "--no-forces")
        width, height, rows = read_png(path)
        self.assertEqual((width, height), (160, 120))
        middle, corner = rows[60][80], rows[4][4]
        self.assertGreater(max(abs(a - b) for a, b in zip(middle, corner)), 30)  # the box, the sky

    def test_the_same_frame_has_the_same_bytes(self):
        pictures = [self.draw(f"{i}.png", "@stack:3", "--time", "0.1", "--size", "320x180").read_bytes() for i in range(2)]
        self.assertEqual(pictures[0], pictures[1])

    def test_forces_and_title_can_be_left_out(self):
        arguments = ["@stack:3", "--time", "0.1", "--size", "320x180"]
        whole = self.draw("a.png", *arguments).read_bytes()
        self.assertNotEqual(whole, self.draw("b.png", *arguments, "--no-forces").read_bytes())
        self.assertNotEqual(whole, self.draw("c.png", *arguments, "--no-title").read_bytes())

    def test_a_film_has_its_length(self):
        path = self.draw("film.mp4", "@stack:2", "--duration", "0.5", "--size", "64x48")
        shown = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=nb_frames,width,height", "-of", "csv=p=0",
                                str(path)], capture_output=True, text=True, check=True)
        self.assertEqual(shown.stdout.strip(), "64,48,16")  # 0.5 s at 30 a second, both ends

    def test_wrong_options_are_sentences(self):
        for arguments, words in [(["--output", "a.jpg"], "must end in .png"),
                                 (["--output", "a.png", "--size", "0x5"], "WIDTHxHEIGHT"),
                                 (["--output", "a.png", "--camera", "above"], "expected corner"),
                                 (["--output", "a.png", "--movie"], "must end in"), ([], "must end in")]:
            done = cairn("render", "@stack:1", *arguments)
            self.assertEqual(done.returncode, USAGE, arguments)
            self.assertIn(words, done.stderr)
        done = cairn("render", "@stack:1", "--duration", "0.01", "--frame", "99", "--output", str(self.folder / "a.png"))
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("there is no frame 99", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
