#!/usr/bin/env python3
"""Opens reports of `bankfull convect` in headless Chromium, from files as their readers do.

Usage: report_test.py BANKFULL_BINARY SCHEMA_OF_REPORTS [-- arguments of unittest]
"""

import json
import pathlib
import shutil
import sys
import time
import unittest

import jsonschema

import browser
import convect_runs
from convect_runs import FAILURE, INTERRUPTED, OK, rows_of
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

SCHEMA = json.loads(pathlib.Path(OWN_ARGUMENTS[1]).read_text())

OK, FAILURE, INTERRUPTED = 0, 1, 5
UNSTABLE = ["--set", "ra=1e9", "--set", "dt=0.1", "--set", "steps=4000"]
TITLE = "a layer <b>of air</b> & \\u201cwater\\u201d </script>"

LAYER = f"""\
title = "{TITLE}"

[domain]
upper = [2, 1, 1]
cells = [16, 8, 8]

[physics]
rayleigh = 1e5
prandtl = 0.71
scaling = "free-fall"

[[scalar]]
name = "salt"
diffusivity = 1e-2

[boundaries]
x = "periodic"
y = "periodic"
z.lower = {{ velocity = "no-slip", temperature = 0.5, salt = {{ flux = 1e-3 }} }}
z.upper = {{ velocity = "no-slip", temperature = -0.5, salt = 0 }}

[initial]
temperature = "0.5 - z"
noise = 1e-2

[time]
dt = 5e-3
steps = 400

[output]
series_every = 4
snapshots = 3

[[output.slice]]
field = "temperature"
normal = "y"

[[output.slice]]
field = "w"
normal = "z"

[statistics]
profiles = "z"
every = 5

[checkpoint]
every = 100
"""


def data_of(folder):
    text = (folder / "report-data.js").read_text()
    return json.loads(text.removeprefix("bankfullReport(").removesuffix(");\n"))


def last_row(folder):
    return rows_of(folder / "series.csv")[-1]


class Folders(convect_runs.Runs):
    case = LAYER

    def start(self, *arguments, **how):
        return super().start(*(() if "--restart" in arguments else ("layer.toml", "--output", "run")), *arguments, **how)

    def start_long(self):
        """A run that goes on until it is stopped, of which there is a report."""
        process = self.start("--set", "steps=100000000", "--set", "output.series_every=20", "--set", "output.snapshots=0")
        deadline = time.monotonic() + HANGING
        while not (self.run_folder / "report-data.js").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        return process

    def rows(self):
        return len((self.run_folder / "series.csv").read_text().splitlines()) - 1

    def data(self):
        found = data_of(self.run_folder)
        jsonschema.Draft7Validator(SCHEMA).validate(found)
        return found

    def assert_is_of_the_series(self, data):
        """Its last row is that of series.csv, to the last digit, and it has all rows."""
        row = last_row(self.run_folder)
        told = data["series"]["last"]
        self.assertEqual(list(told), list(row))
        for name, cell in row.items():
            if told[name] is None:
                self.assertEqual(cell, "", name)
            elif isinstance(told[name], str):
                self.assertEqual(told[name], cell, name)
            else:
                self.assertEqual(told[name], float(cell), name)
        self.assertEqual(data["series"]["rows"], self.rows())


class Data(Folders):
    def test_of_a_run(self):
        out, _ = self.run_convect()
        self.assertIn("report.html", out)
        data = self.data()
        self.assert_is_of_the_series(data)
        self.assertEqual((data["state"], data["progress"]["part"]), ("ended", 1.0))
        self.assertEqual(data["title"], TITLE.encode().decode("unicode_escape"))
        result = json.loads((self.run_folder / "run.json").read_text())
        self.assertEqual(data["result"]["verification"], result["verification"])
        self.assertEqual([(slice["name"], len(slice["files"])) for slice in data["pictures"]], [("temperature-y", 3), ("w-z", 3)])
        for file in (file["file"] for slice in data["pictures"] for file in slice["files"]):
            self.assertTrue((self.run_folder / file).exists(), file)
        self.assertEqual([(profile["axis"], profile["samples"]) for profile in data["profiles"]], [("z", 80)])
        # By rows the averages are nearly those by all looks.
        figures = result["measurements"][0]["figures"]
        for wall in ("lower", "upper", "volume"):
            self.assertAlmostEqual(data["averages"][f"nusselt_{wall}"]["mean"][-1], figures[f"nusselt_{wall}_average"]["value"], 3)

    def test_nobody_wants_one(self):
        out, _ = self.run_convect("--set", "output.report=false")
        self.assertNotIn("report.html", out)
        self.assertEqual(list(self.run_folder.glob("report*")), [])

    def test_goes_with_the_run_that_is_replaced(self):
        self.run_convect("--set", "steps=4")
        self.run_convect("--set", "steps=4", "--set", "output.report=false", "--overwrite")
        self.assertEqual(list(self.run_folder.glob("report*")), [])

    def test_of_a_run_that_failed(self):
        _, err = self.run_convect(*UNSTABLE, code=FAILURE)
        data = self.data()
        self.assertEqual(data["state"], "failed")
        self.assertIn(data["failure"], err)
        self.assert_is_of_the_series(data)

    def test_of_a_run_in_pieces(self):
        self.run_convect("--set", "output.snapshots=0", "--set", "steps=200")
        self.run_convect("--restart", "run", "--set", "steps=400")
        data = self.data()
        self.assert_is_of_the_series(data)
        self.assertEqual(data["series"]["rows"], 101)
        # A state is saved before anything is told of its step.
        self.assertEqual(data["progress"]["part_at_begin"], 196 / 400)
        self.assertEqual(data["profiles"][0]["samples"], 80)
        whole = self.path / "whole"
        self.run_folder.rename(self.path / "pieces")
        self.run_convect("--set", "output.snapshots=0")
        self.run_folder.rename(whole)
        one, other = data_of(self.path / "pieces"), data_of(whole)
        for data in (one, other):
            data["series"]["columns"].pop("ns_per_cell_step")
        self.assertEqual(one["series"]["columns"], other["series"]["columns"])
        self.assertEqual(one["averages"], other["averages"])

    def test_what_cannot_be_written_is_told_once_and_ends_nothing(self):
        brief = ["--set", "steps=4", "--set", "checkpoint.every=0", "--set", "output.snapshots=0", "--overwrite"]
        self.run_convect(*brief)
        limit = (self.run_folder / "report.html").stat().st_size - 1
        for path in self.run_folder.rglob("*"):
            self.assertTrue(path.name == "report.html" or path.stat().st_size <= limit, f"{path.name} is larger than the page")
        _, err = self.run_convect(*brief, limit=limit)
        said = [line for line in err.splitlines() if line.startswith("bankfull: ")]
        self.assertEqual(len(said), 1, err)
        self.assertRegex(said[0], "cannot write .*report.html: File too large; the run continues")
        self.assertTrue((self.run_folder / "run.json").exists())
        self.assertEqual([path.name for path in self.run_folder.glob("report*")], ["report-data.js"])
        self.assertEqual(self.data()["state"], "ended")

    def test_what_took_its_place_stays_and_ends_nothing(self):
        process = self.start_long()
        (self.run_folder / "report-data.js").unlink()
        (self.run_folder / "report-data.js").mkdir()
        (self.run_folder / "report-data.js" / "mine").touch()
        rows = self.rows()
        while self.rows() < rows + 50:
            time.sleep(0.05)
        time.sleep(5)  # twice as long as until the next report
        (self.run_folder / "stop").touch()
        _, err = process.communicate(timeout=HANGING)
        self.assertEqual(process.returncode, INTERRUPTED, err)
        self.assertEqual(err.count("cannot write"), 1, err)
        self.assertRegex(err, "cannot write .*report-data.js: Is a directory; the run continues")
        self.assertTrue((self.run_folder / "run.json").exists())
        self.assertTrue((self.run_folder / "report-data.js" / "mine").exists())


@unittest.skipIf(browser.PROGRAM is None, "no Chromium")
class Pages(Folders):
    def open(self, page, **how):
        opened = browser.Browser()
        self.enterContext(opened)
        return opened.open(page, **how)

    def assert_draws(self, page):
        """Every chart that is shown has a curve of several points within its frame."""
        charts = page.value("""[...document.querySelectorAll('.chart')].map((chart) => {
            const frame = chart.getBoundingClientRect();
            const curves = [...chart.querySelectorAll('.curve')];
            return { label: chart.getAttribute('aria-label'), width: frame.width, height: frame.height,
                     points: curves.map((curve) => Number(curve.dataset.points)),
                     within: curves.every((curve) => { const box = curve.getBBox(); return box.x >= 0 && box.y >= 0 && box.x + box.width <= 560 && box.y + box.height <= 300; }),
                     colours: new Set(curves.map((curve) => getComputedStyle(curve).stroke)).size }; })""")
        self.assertGreater(len(charts), 12)
        for chart in charts:
            self.assertGreater(chart["width"], 100, chart)
            self.assertGreater(chart["height"], 50, chart)
            self.assertTrue(chart["points"], chart)
            self.assertGreater(max(chart["points"]), 5, chart)
            self.assertTrue(chart["within"], chart)
            self.assertEqual(chart["colours"], len(chart["points"]), chart)
        return charts

    def check(self, page):
        self.assertEqual(page.complaints, [])
        for url in page.requests:
            self.assertTrue(url.startswith(("file://", "data:")), url)

    def test_shows_what_the_run_found(self):
        self.run_convect()
        # Copied elsewhere, all of it is there.
        moved = self.path / "else where"
        shutil.copytree(self.run_folder, moved)
        self.run_folder.rename(self.path / "gone")
        page = self.open(moved / "report.html")
        page.wait_for("!document.getElementById('report').hidden")
        charts = self.assert_draws(page)
        for words in ("Nusselt numbers", "Kinetic energy", "temperature: least, mean and greatest", "salt: Sherwood numbers", "Variances: temperature"):
            self.assertTrue(any(words in chart["label"] for chart in charts), words)
        self.assertEqual(page.value("document.querySelector('h1').textContent"), TITLE.encode().decode("unicode_escape"))
        self.assertEqual(page.value("document.querySelectorAll('h1 *').length"), 0)
        verdict = json.loads((moved / "run.json").read_text())["verdict"]
        self.assertEqual(page.value("document.querySelector('.state').textContent"), verdict)
        # Numbers beside charts are those of series.csv.
        row = last_row(moved)
        table = dict(page.value("""[...document.querySelectorAll('figure:not([data-key=averages]) tbody tr')].map(
            (row) => [row.children[0].textContent, row.children[1].textContent])"""))
        for name in ("nusselt_lower", "kinetic_energy", "reynolds", "max_w", "temperature_most", "salt_sherwood_lower"):
            shown = float(table[name.replace("_", " ")].replace("−", "-").replace(",", ""))
            self.assertAlmostEqual(shown, float(row[name]), delta=1e-5 * abs(float(row[name])), msg=name)
        pictures = page.value("[...document.querySelectorAll('.picture img')].map((image) => [image.complete && image.naturalWidth > 0, image.alt])")
        self.assertEqual(len(pictures), 2)
        for is_shown, alt in pictures:
            self.assertTrue(is_shown, alt)
            self.assertIn("at time 2", alt)
        links = page.value("[...document.querySelectorAll('a')].map((link) => link.getAttribute('href'))")
        self.assertIn("run.json", links)
        for link in links:
            self.assertTrue((moved / link).exists(), link)
        self.check(page)

    def test_reader_s_controls(self):
        self.run_convect()
        page = self.open(self.run_folder / "report.html")
        page.wait_for("!document.getElementById('report').hidden")
        energy = "[...document.querySelectorAll('figure')].find((figure) => figure.textContent.startsWith('Kinetic energy'))"
        path = f"{energy}.querySelector('.curve').getAttribute('d')"
        before = page.value(path)
        page.value(f"{energy}.querySelector('input').click()")
        self.assertNotEqual(page.value(path), before)
        page.value(f"{energy}.querySelector('input').click()")
        self.assertEqual(page.value(path), before)
        page.value("setTimeRange([0.5, 1])")
        self.assertNotEqual(page.value(path), before)
        page.value("document.querySelector('.time-range button').click()")
        self.assertEqual(page.value(path), before)
        page.value("{ const select = document.querySelector('select'); select.value = 'divergence'; select.dispatchEvent(new Event('change')); }")
        self.assertIn("divergence", page.value("document.querySelector('select').closest('[data-key=chosen]').querySelector('svg.chart').getAttribute('aria-label')"))
        page.value("{ const slider = document.querySelector('.picture input'); slider.value = 0; slider.dispatchEvent(new Event('input')); }")
        self.assertTrue(page.value("document.querySelector('.picture img').src").endswith("slices/temperature-y-0000.png"))
        # Under the pointer: values of the first row.
        page.value(f"""{{ const drawing = {energy}.querySelector('.drawing'); const box = drawing.getBoundingClientRect();
            drawing.dispatchEvent(new PointerEvent('pointermove', {{ clientX: box.left + 70 / 560 * box.width, clientY: box.top + 50 }})); }}""")
        self.assertIn("at time 0", page.value(f"{energy}.querySelector('caption').textContent"))
        self.check(page)

    def test_in_the_dark_and_on_a_phone(self):
        self.run_convect("--set", "steps=100")
        page = self.open(self.run_folder / "report.html", width=390, height=800)
        page.wait_for("!document.getElementById('report').hidden")
        self.assert_draws(page)
        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 390)
        lightness = """((element, what) => { const [r, g, b] = getComputedStyle(element)[what].match(/[0-9.]+/g).map(Number); return (r + g + b) / 3; })"""
        for scheme, is_light in (("light", True), ("dark", False)):
            page.choose_scheme(scheme)
            ground = page.value(f"{lightness}(document.body, 'backgroundColor')")
            text = page.value(f"{lightness}(document.body, 'color')")
            curve = page.value(f"{lightness}(document.querySelector('.curve'), 'stroke')")
            self.assertEqual(ground > 200, is_light, scheme)
            self.assertEqual(text < 80, is_light, scheme)
            self.assertGreater(abs(curve - ground), 60, scheme)
        self.check(page)

    def test_follows_a_running_run(self):
        process = self.start_long()
        page = self.open(self.run_folder / "report.html")
        page.wait_for("!document.getElementById('report').hidden && latest.series.rows > 10")
        self.assertEqual(page.value("document.querySelector('.state').textContent"), "running")
        page.wait_for("document.body.scrollHeight > 2000")
        page.value("{ document.querySelector('details').open = true; document.body.dataset.same = 'page'; }")
        # Where the reader is: whatever is added above, what is looked at stays in its place.
        seen = "document.querySelector('[data-key=budget]')"
        page.value(f"{seen}.scrollIntoView()")
        top = page.value(f"{seen}.getBoundingClientRect().top")
        rows = page.value("latest.series.rows")
        table = "document.querySelector('figure tbody').textContent"
        before = page.value(table)
        page.wait_for(f"latest.series.rows > {rows}")
        self.assertNotEqual(page.value(table), before)
        self.assertEqual(page.value("[document.querySelector('details').open, document.body.dataset.same]"), [True, "page"])
        self.assertAlmostEqual(page.value(f"{seen}.getBoundingClientRect().top"), top, delta=2)
        (self.run_folder / "stop").touch()
        _, err = process.communicate(timeout=HANGING)
        self.assertEqual(process.returncode, INTERRUPTED, err)
        page.wait_for("latest.state === 'ended'")
        self.assertIn("ended early", page.value("document.querySelector('.state').textContent"))
        self.assertAlmostEqual(page.value(f"{seen}.getBoundingClientRect().top"), top, delta=2)
        self.check(page)

    def test_shows_silence_and_failure(self):
        self.run_convect(*UNSTABLE, code=FAILURE)
        page = self.open(self.run_folder / "report.html")
        page.wait_for("!document.getElementById('report').hidden")
        self.assertEqual(page.value("document.querySelector('.state').textContent"), "failed")
        self.assertIn(data_of(self.run_folder)["failure"], page.value("document.querySelector('.failure').textContent"))
        # As of a run that was killed an hour ago.
        data = data_of(self.run_folder)
        data.update(state="running", failure="", written=int(time.time()) - 3600)
        (self.run_folder / "report-data.js").write_text(f"bankfullReport({json.dumps(data)});\n")
        page = self.open(self.run_folder / "report.html")
        page.wait_for("!document.getElementById('report').hidden")
        self.assertIn("no news since", page.value("document.querySelector('.state').textContent"))
        self.check(page)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
