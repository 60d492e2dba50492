#!/usr/bin/env python3
"""Makes movies of the pictures of a run of `bankfull convect`.

Usage: movie_test.py BANKFULL_BINARY [-- arguments of unittest]

Some tests take a stand-in for ffmpeg; those that need it are skipped where it is not there: package ffmpeg.
"""

import os
import pathlib
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
HAS_FFMPEG = shutil.which("ffmpeg") and shutil.which("ffprobe")
SLICES = ("temperature-y", "w-y")
PICTURES = 5

LAYER = f"""\
[domain]
upper = [2, 1, 1]
cells = [16, 1, 8]

[physics]
rayleigh = 1e4
prandtl = 0.71
scaling = "free-fall"

[boundaries]
x = "periodic"
y = "periodic"
z.lower = {{ velocity = "no-slip", temperature = 0.5 }}
z.upper = {{ velocity = "no-slip", temperature = -0.5 }}

[initial]
temperature = "0.5 - z + 0.2*sin(pi*x)*sin(pi*z)"

[time]
cfl = 0.3
steps = 40

[output]
snapshots = {PICTURES}

[[output.slice]]
fields = ["temperature", "w"]
"""

# Stand-ins for ffmpeg.
COPIES = 'for last; do :; done; cat > "${last#file:}"'
FAILS = 'cat > /dev/null; echo "first" >&2; echo "no such codec" >&2; exit 3'
LEAVES = 'echo "no memory" >&2; exit 1'


def size_of(picture):
    """Columns and rows of a PNG file."""
    return struct.unpack(">II", picture.read_bytes()[16:24])


class Movies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        (cls.root / "layer.toml").write_text(LAYER)
        cls.run_case(cls.root, "run")

    @staticmethod
    def run_case(folder, output, *arguments):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        subprocess.run([BINARY, "convect", "layer.toml", "--device", "cpu", "--threads", "1", "--ceiling", "none", "--quiet", "--output", output,
                        *arguments], cwd=folder, env=clean, check=True, timeout=HANGING, stdout=subprocess.DEVNULL)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # No word of a shell.
        self.path = pathlib.Path(shutil.copytree(self.root / "run", self.folder / "100 % 'run'"))

    def stand_in(self, script):
        """PATH with this for ffmpeg."""
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        (tools / "ffmpeg").write_text(f"#!/bin/sh\n{script}\n")
        (tools / "ffmpeg").chmod(0o755)
        return f"{tools}:{os.environ['PATH']}"

    def movie(self, *arguments, path=None, code=0):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        done = subprocess.run([BINARY, "convect", "--movie", self.path, *arguments], env={**clean, "PATH": path or os.environ["PATH"]},
                              cwd=self.folder, capture_output=True, text=True, timeout=HANGING)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def refused(self, *saying, code=2, path=None):
        before = sorted(str(file) for file in self.path.rglob("*.mp4*"))
        message = self.movie(path=path or self.stand_in(COPIES), code=code)
        for part in saying:
            self.assertIn(part, message)
        self.assertEqual(len(message.splitlines()), 1, message)
        self.assertEqual(sorted(str(file) for file in self.path.rglob("*.mp4*")), before)

    def movies(self):
        return sorted(file.name for file in (self.path / "movies").iterdir())

    def test_every_picture_of_each_slice_goes_to_the_encoder(self):
        text = self.movie(path=self.stand_in(COPIES))
        self.assertEqual(self.movies(), [f"{name}.mp4" for name in SLICES])
        for name, line in zip(SLICES, text.splitlines()):
            self.assertTrue(line.startswith("  wrote ") and line.endswith(f"{name}.mp4: 5 pictures, 1 a second"), line)
            columns, rows = size_of(self.path / "slices" / f"{name}-0000.png")
            self.assertEqual((self.path / "movies" / f"{name}.mp4").stat().st_size, PICTURES * columns * rows * 3)

    @unittest.skipUnless(HAS_FFMPEG, "ffmpeg is not there")
    def test_a_movie_shows_the_pictures(self):
        self.movie()
        self.movie()  # in place of the first
        self.assertEqual(self.movies(), [f"{name}.mp4" for name in SLICES])
        for name in SLICES:
            movie = self.path / "movies" / f"{name}.mp4"
            columns, rows = size_of(self.path / "slices" / f"{name}-0000.png")
            told = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=codec_name,width,height,nb_read_frames",
                                   "-of", "csv=p=0", movie], capture_output=True, text=True, check=True, timeout=HANGING).stdout
            width, height = columns + columns % 2, rows + rows % 2
            self.assertEqual(told.strip(), f"h264,{width},{height},{PICTURES}")
            shown = self.pixels("-i", movie).reshape(PICTURES, height, width, 3)[:, :rows, :columns]
            for n, picture in enumerate(sorted((self.path / "slices").glob(f"{name}-*.png"))):
                drawn = self.pixels("-i", picture).reshape(rows, columns, 3)
                self.assertLess(numpy.abs(shown[n].astype(int) - drawn).mean(), 3.0, picture)

    @staticmethod
    def pixels(*source):
        raw = subprocess.run(["ffmpeg", "-loglevel", "error", *source, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                             capture_output=True, check=True, timeout=HANGING).stdout
        return numpy.frombuffer(raw, dtype=numpy.uint8)

    def test_without_ffmpeg_it_says_how_to_get_one(self):
        empty = self.folder / "empty"
        empty.mkdir()
        message = self.movie(path=str(empty), code=2)
        self.assertIn("ffmpeg, which is not in PATH; install it with apt-get install ffmpeg, or where there is one: ffmpeg -framerate 1 -i ", message)
        self.assertEqual(len(message.splitlines()), 1)
        self.assertFalse((self.path / "movies").exists())
        command = shlex.split(message[message.index("ffmpeg -framerate"):])
        if HAS_FFMPEG:
            subprocess.run(command, cwd=self.folder, check=True, capture_output=True, timeout=HANGING)
            self.assertGreater((self.folder / "temperature-y.mp4").stat().st_size, 1000)

    def test_a_dry_run_writes_nothing(self):
        text = self.movie("--dry-run", path=self.stand_in(COPIES))
        self.assertIn("would write", text)
        self.assertFalse((self.path / "movies").exists())

    def test_an_encoder_that_fails(self):
        self.refused("ffmpeg has failed: no such codec", code=1, path=self.stand_in(FAILS))
        self.refused("ffmpeg has failed: no memory", code=1, path=self.stand_in(LEAVES))
        self.assertEqual(self.movies(), [])

    def test_bad_pictures(self):
        picture = self.path / "slices" / "temperature-y-0003.png"
        whole = picture.read_bytes()
        for damaged in (whole[:100], whole[:-40], b"", b"no picture", whole[:200] + bytes(100) + whole[300:]):
            picture.write_bytes(damaged)
            self.refused("temperature-y-0003.png", "libpng", "put the picture back")
        picture.unlink()
        self.refused("temperature-y-0003.png: No such file or directory")
        self.run_case(self.root, str(self.folder / "bare"), "--set", "output.frame=false")
        shutil.copy(self.folder / "bare" / "slices" / picture.name, picture)
        if size_of(picture) != size_of(self.path / "slices" / "temperature-y-0002.png"):  # in programs that draw frames
            self.refused("temperature-y-0003.png is 960 x 480 pixels, and those before it ")

    def test_runs_without_pictures(self):
        (self.path / "slices.csv").write_text("file,time,field,normal,at,least,most\n")
        self.refused("the run has no pictures; run its case with output.snapshots")
        (self.path / "slices.csv").unlink()
        self.refused("the run has no pictures")

    def test_folders_that_are_no_runs(self):
        whole = self.path
        for path, why in ((whole / "slices", "it holds no run"), (whole / "none", "there is no such folder"),
                          (whole / "case.toml", "it is not a folder")):
            self.path = path
            self.assertIn(f"{path}: {why}; name the folder of a run of bankfull convect", self.movie(path=self.stand_in(COPIES), code=2))
        self.path = whole
        os.symlink(self.folder, whole / "movies")
        self.refused("movies in it is not a folder of its own")

    def test_another_run_takes_the_movies_away(self):
        self.movie(path=self.stand_in(COPIES))
        (self.path / "movies" / "w-y.mp4.part-aB3x9Z").write_text("killed")
        (self.path / "movies" / "holiday.mp4").write_text("mine")
        self.run_case(self.root, str(self.path), "--overwrite")
        self.assertEqual(self.movies(), ["holiday.mp4"])
        (self.path / "movies" / "holiday.mp4").unlink()
        self.run_case(self.root, str(self.path), "--overwrite")
        self.assertFalse((self.path / "movies").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
