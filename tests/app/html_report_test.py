#!/usr/bin/env python3
"""Makes reports of recorded results with `bankfull report`, and opens them in headless Chromium from files as their readers do.

Usage: html_report_test.py BANKFULL_BINARY RESULTS CASES [-- arguments of unittest]
"""

import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import browser
import refusal
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY, RESULTS, CASES = OWN_ARGUMENTS[0], pathlib.Path(OWN_ARGUMENTS[1]), OWN_ARGUMENTS[2]
OK, USAGE = 0, 2
EVIL = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


class Reports(unittest.TestCase, refusal.Refusals):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.enterContext(folder)
        self.path = pathlib.Path(folder.name)
        self.page_file = self.path / "report.html"

    def bankfull(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BANKFULL_")}
        return subprocess.run([BINARY, *map(str, arguments)], cwd=self.path, capture_output=True, text=True, timeout=HANGING,
                              env={**environment, "BANKFULL_CASES": CASES, "BANKFULL_DEVICE": "cpu"})

    def report(self, *arguments):
        result = self.bankfull("report", *arguments)
        self.assertEqual((result.returncode, result.stderr), (OK, ""), result.stdout)
        return result.stdout

    def results(self, pattern):
        files = sorted(RESULTS.glob(pattern))
        self.assertTrue(files, pattern)
        return files

    def data(self):
        text = self.page_file.read_text()
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])

    def changed(self, name, change):
        """A copy of a recorded result in this folder, with changes."""
        document = json.loads((RESULTS / name).read_text())
        change(document)
        (self.path / name).write_text(json.dumps(document))
        return self.path / name


class Files(Reports):
    def test_one_file_and_nothing_else(self):
        out = self.report(*self.results("xeon-*.json"))
        self.assertRegex(out, r"Wrote report\.html: 11 results, ")
        self.assertEqual([path.name for path in self.path.iterdir()], ["report.html"])
        data = self.data()
        self.assertEqual(data["verdict"]["counts"]["verified"], 11)
        self.assertEqual(len(data["machines"]), 1)
        # It asks nobody for anything.
        text = self.page_file.read_text()
        self.assertNotRegex(text, r"<(script|img|link|iframe)[^>]* (src|href)=\"(?!data:)")
        self.assertIn("default-src 'none'", text)

    def test_each_result_once(self):
        self.report(RESULTS / "xeon-himeno-m.json", RESULTS / "xeon-himeno-m.json", RESULTS)
        files = [run["file"] for run in self.data()["runs"]]
        self.assertEqual(files[0], "xeon-himeno-m.json")
        self.assertEqual(files.count("xeon-himeno-m.json"), 1)

    def test_compares_with_a_baseline(self):
        def slower(document):
            for one in document["measurements"]:
                one["timing"] = {**one["timing"], **{name: 2 * one["timing"][name] for name in ("median", "min", "max")},
                                 "samples": [2 * sample for sample in one["timing"]["samples"]]}

        before = self.changed("h200-himeno-xl-fp32.json", slower)
        self.report(RESULTS / "h200-himeno-xl-fp32.json", "--against", before)
        comparisons = self.data()["baseline"]["comparisons"]
        self.assertEqual(len(comparisons), 4)
        for one in comparisons:
            self.assertAlmostEqual(one["ratio"], 2, 5)
            self.assertEqual(one["outcome"], "faster")
            self.assertLess(1.9, one["low"])

    def test_of_a_reproduction(self):
        """Alone, or in a folder beside the results of its commands."""
        (self.path / "paper").mkdir()
        result = self.bankfull("reproduce", "himeno-2010", "table-7", "--rows", "XS", "--quick", "--threads", "1", "--json", "paper/paper.json", "--output", "paper/steps")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertRegex(self.report("paper/paper.json"), r"Wrote report\.html: 0 results, 1 reproduction, ")
        data = self.data()
        self.assertEqual((data["verdict"]["overall"], data["verdict"]["what"], data["runs"]), ("verified", "rows", []))
        paper, = data["papers"]
        row = paper["items"][0]["rows"][0]
        self.assertAlmostEqual(row["ours"], 6.7137e-3, delta=1e-6)
        self.assertEqual([one["value"] for one in row["published"]], [6.714e-3, 6.711e-3, 6.713e-3])
        self.assertRegex(self.report("paper"), r"Wrote report\.html: [1-9]\d* results?, 1 reproduction, ")
        self.assert_refusal(self.bankfull("report", RESULTS / "xeon-himeno-m.json", "--against", "paper/paper.json"), USAGE, ["--against paper/paper.json has no results of runs"])
        self.assert_refusal(self.bankfull("report", "paper/paper.json", "--output", "paper/paper.json"), USAGE, ["one of the results"])

    def test_refusals(self):
        (self.path / "other.json").write_text("{}")
        (self.path / "empty").mkdir()
        result = self.changed("xeon-himeno-m.json", lambda document: None)
        for arguments, words in ((["no.json"], "no.json"), (["other.json"], "other.json is not a result of bankfull"), (["empty"], "empty has no results"),
                                 ([], "required"), ([result, "--output", "no/report.html"], "no/report.html"), ([result, "--output", result], "one of the results"),
                                 ([result, "--against", "gone"], "gone"), ([result, "--output", "empty"], "it is a folder")):
            self.assert_refusal(self.bankfull("report", *arguments), USAGE, [words])
        self.assertFalse(self.page_file.exists())

    def test_what_cannot_be_read_of_a_folder_is_left_out(self):
        """Also by history: one line for each file."""
        folder = self.path / "folder"
        folder.mkdir()
        good = (RESULTS / "xeon-himeno-m.json").read_text()
        (folder / "good.json").write_text(good)
        (folder / "cut.json").write_text(good[:len(good) // 2])
        document = json.loads(good)
        document["measurements"][0]["traffic"]["model"] = 1
        (folder / "type.json").write_text(json.dumps(document))
        what = [f"bankfull: folder/{name} cannot be read as a result of bankfull: {why}; it is left out"
                for name, why in (("cut.json", "it is cut off, or no JSON"), ("type.json", "a part is missing, or of a wrong type"))]
        result = self.bankfull("history", "folder", "--quiet")
        self.assertEqual((result.returncode, result.stderr.splitlines()), (OK, what))
        papers = {"paper.json": '{"schema": "bankfull/reproduction", "schema_version": 1}', "paper-cut.json": '{"schema": "bankfull/reproduction",'}
        for name, text in papers.items():
            (folder / name).write_text(text)
        result = self.bankfull("report", "folder")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual(set(result.stderr.splitlines()), {*what, *(f"bankfull: folder/{name} cannot be read as a reproduction of a paper: {why}; it is left out"
                         for name, why in (("paper-cut.json", "it is cut off, or no JSON"), ("paper.json", "a part is missing, or of a wrong type")))})
        self.assertIn("1 result, ", result.stdout)
        (folder / "good.json").unlink()
        result = self.bankfull("history", "folder")
        self.assertEqual(result.returncode, USAGE)
        self.assertIn("folder has no results of bankfull", result.stderr)

    def test_a_report_that_cannot_be_made_leaves_the_one_before(self):
        self.page_file.write_text("before")
        self.assertEqual(self.bankfull("report", "no.json").returncode, USAGE)
        self.assertEqual(self.page_file.read_text(), "before")


@unittest.skipIf(browser.PROGRAM is None, "no Chromium")
class Pages(Reports):
    def open(self, **how):
        return self.page_of(self.enterContext(browser.Browser()), **how)

    def page_of(self, opened, **how):
        page = opened.open(self.page_file, **how)
        page.wait_for("document.getElementById('end').textContent !== ''")
        return page

    def check(self, page):
        self.assertEqual(page.complaints, [])
        for url in page.requests:
            self.assertTrue(url.startswith(("file://", "data:")), url[:100])

    def sections(self, page):
        return page.value("[...document.querySelectorAll('section')].map((section) => section.id)")

    def assert_draws(self, page):
        """Each chart has a size, marks within its frame, a description and a table of the same numbers."""
        charts = page.value("""charts.map(({ drawing, figure, title }) => {
            const svg = drawing.querySelector('svg');
            const frame = svg.getBoundingClientRect();
            const marks = [...svg.querySelectorAll('path, text')].map((mark) => mark.getBoundingClientRect()).filter(({ width, height }) => width + height > 0);
            return { title, label: drawing.getAttribute('aria-label'), width: frame.width, height: frame.height, marks: marks.length,
                     rows: figure.querySelectorAll('details tbody tr').length,
                     within: marks.every(({ left, right, top, bottom }) => left > frame.left - 2 && right < frame.right + 2 && top > frame.top - 2 && bottom < frame.bottom + 2) }; })""")
        for chart in charts:
            self.assertGreater(chart["width"], 200, chart)
            self.assertGreater(chart["height"], 80, chart)
            self.assertGreater(chart["marks"], 8, chart)
            self.assertGreater(chart["rows"], 0, chart)
            self.assertTrue(chart["within"], chart)
            self.assertGreater(len(chart["label"]), len(chart["title"]) + 20, chart)
        return [chart["title"] for chart in charts]

    def test_of_a_gpu(self):
        self.report(*self.results("h200-*.json"))
        page = self.open()
        self.assertEqual(self.sections(page), ["verdict", "machines", "glance", "history", "roofline", "percent", "memory", "hpcg", "npb", "convection", "results"])
        titles = self.assert_draws(page)
        for title in ("Roofline: NVIDIA H200", "Bandwidth over the working set, fp64", "Latency over the footprint", "HPCG: shares of time", "NPB: operations per second, NVIDIA H200",
                      "Himeno: percent of the ceiling, NVIDIA H200", "Convection: shares of a step's parts"):
            self.assertIn(title, titles)
        self.assertEqual(page.value("document.querySelector('.state').textContent"), "failed")
        self.assertIn("1 of 77 runs failed its verification", page.value("document.querySelector('.sentence').textContent"))
        # Named plateaus, and numbers that are those of the results.
        self.assertIn("memory 324 ns", page.value("charts.find(({ title }) => title.startsWith('Latency')).drawing.textContent"))
        himeno = page.value("charts.find(({ title }) => title.startsWith('Himeno: percent')).figure.querySelector('tbody tr').textContent")
        self.assertIn("himeno XL fp32 tuned99.7 %4.45 TB/s", himeno)
        self.check(page)

    def of_days(self, name, factors):
        """Copies of a recorded result, one for each day, with times multiplied by these factors."""
        folder = self.path / "days"
        folder.mkdir()
        for day, factor in enumerate(factors, start=1):
            document = json.loads((RESULTS / name).read_text())
            document["context"]["date"] = f"2026-11-{day:02}T10:00:00Z"
            document["context"]["system"]["driver"] = {"value": "570" if factor == 1 else "580", "unit": ""}
            for one in document["measurements"]:
                one["timing"].update({key: factor * one["timing"][key] for key in ("median", "min", "max")}, samples=[factor * sample for sample in one["timing"]["samples"]])
            (folder / f"{day}.json").write_text(json.dumps(document))
        return folder

    def test_history(self):
        self.report(self.of_days("h200-himeno-xl-fp32.json", [1, 1, 1, 1, 1.1]))
        page = self.open()
        self.assertIn("history", self.sections(page))
        titles = self.assert_draws(page)
        self.assertIn("History: Himeno, NVIDIA H200", titles)
        self.assertIn("The latest run of 4 is slower", page.value("document.querySelector('#history p').textContent"))
        rows = page.value("[...document.querySelectorAll('#history figure tbody tr')].map((row) => row.textContent)")
        self.assertEqual(len(rows), 4 * 5)
        tuned = [row for row in rows if row.startswith("himeno XL fp32 tuned")]
        self.assertIn("2026-11-01 10:00", tuned[0])
        self.assertIn("90.9 %step: 9.1 % slower", tuned[4])
        self.assertIn("system.driver 570 -> 580", tuned[4])
        self.assertEqual(page.value("document.querySelectorAll('#history .legend button').length"), 4)
        self.check(page)

    def test_history_wants_several_dates(self):
        folder = self.of_days("h200-himeno-xl-fp32.json", [1, 1])
        (folder / "2.json").unlink()
        self.report(folder)
        self.assertEqual(self.data()["histories"], [])
        self.assertNotIn("history", self.sections(self.open()))

    def test_a_paper(self):
        """Published values beside ours, in tables and bars."""
        def row(label, ours, published, unit="GFLOPS", **more):
            return {"row": label, "unit": unit, "published": [{"machine": machine, "value": value, "ratio": ours and value and ours / value} for machine, value in published.items()],
                    "ours": ours, "verdict": "verified" if ours else "not measured", "steps": [], "device": "NVIDIA H200" if ours else "", **more}

        items = [{"item": "table-1", "title": "rates", "note": "a note of the table", "rows": [row("L", 1500.0, {"C1060": 60.0, "C2050": 90.0}), row("XL", 1600.0, {"C1060": 61.0, "C2050": None}),
                                                                                        row("XXL", None, {"C1060": 62.0}, reason="needs 4 ranks"), row("time", 2.5, {"C1060": 5.0}, unit="s", note=EVIL)]},
                 {"item": "figure-1", "title": EVIL, "shows": "a drawing", "instead": "bankfull list", "rows": []},
                 {"item": "table-2", "title": "on four GPUs", "rows": [row("four", None, {}, reason="needs 4 ranks")]}]
        (self.path / "paper.json").write_text(json.dumps({"schema": "bankfull/reproduction", "schema_version": 1, "paper": "himeno-2010", "citation": "Somebody, 2010", "values_from": "its tables",
                                                          "items": items, "steps": [], "context": {}}))
        self.report("paper.json")
        page = self.open()
        self.assertEqual(self.sections(page), ["verdict", "paper-0"])
        self.assertEqual(page.value("document.querySelector('h1').textContent"), "Reproduced: himeno-2010")
        self.assertEqual(self.assert_draws(page), ["himeno-2010, table-1: rates, GFLOPS"])
        text = page.value("document.getElementById('paper-0').textContent")
        for words in ("All 3 rows are verified", "a note of the table", "Not measured: XXL: needs 4 ranks", "a drawing; bankfull list", "None of the 1 rows was measured", "L" + "C1060" + "60 GFLOPS" + "1500 GFLOPS" + "NVIDIA H200" + "25"):
            self.assertIn(words, text)
        self.assertEqual(page.value("[typeof window.hacked, document.querySelectorAll('img').length]"), ["undefined", 0])
        self.check(page)

    def test_labels_of_rooflines_stay_apart(self):
        """No words over words: neither those of kernels nor those of the limits, on any width."""
        opened = self.enterContext(browser.Browser())
        for pattern in ("h200-*.json", "xeon-*.json", "h100x2-*.json"):
            self.report(*self.results(pattern))
            for width in (1280, 800, 600):
                page = self.page_of(opened, width=width)
                labels = page.value("""charts.filter(({ title }) => title.startsWith('Roofline')).map(({ title, drawing }) => [title, [...drawing.querySelectorAll('svg text')].map((text) => {
                    const { left, right, top, bottom } = text.getBoundingClientRect(); return [text.textContent, left, right, top, bottom]; })
                    .filter(([words]) => !/^[\\d./]+( [kMGTP]?FLOPS)?$/.test(words))])""")
                self.assertTrue(labels)
                for title, texts in labels:
                    for n, (one, left, right, top, bottom) in enumerate(texts):
                        for other, *box in texts[n + 1:]:
                            apart = left >= box[1] or right <= box[0] or top >= box[3] - 1 or bottom <= box[2] + 1
                            self.assertTrue(apart, f"{title} at {width}: {one} over {other}")
                if width == 1280:
                    # The best of each benchmark is named, in the chart or below it.
                    self.assertIn("himeno", " ".join(text for _, texts in labels for text, *_ in texts))
                page.close()

    def test_of_processors(self):
        self.report(*self.results("xeon-*.json"))
        page = self.open()
        self.assertEqual(self.sections(page), ["verdict", "machines", "glance", "roofline", "percent", "hpcg", "npb", "scaling", "convection", "results"])
        self.assert_draws(page)
        # Every measurement and every check is in the tables at the end.
        files = self.results("xeon-*.json")
        text = page.value("document.getElementById('results').textContent")
        for document in (json.loads(file.read_text()) for file in files):
            for item in document["measurements"] + document["verification"]:
                self.assertIn(item["name"], text)
        self.check(page)

    def test_of_several_gpus_against_a_baseline(self):
        self.report(*self.results("h100x2-*.json"), "--against", RESULTS / "h100x2-npb-d.json", "--title", "Node 17")
        page = self.open()
        self.assertEqual(page.value("document.querySelector('h1').textContent"), "Node 17")
        self.assertIn("comparison", self.sections(page))
        titles = self.assert_draws(page)
        for title in ("Strong scaling: Himeno, NVIDIA H100 80GB HBM3", "Weak scaling: convection, NVIDIA H100 80GB HBM3", "Ratio of speeds: NVIDIA H100 80GB HBM3, 2 ranks"):
            self.assertIn(title, titles)
        self.check(page)

    def test_on_a_phone_in_both_schemes(self):
        self.report(*self.results("h200-*.json"))
        page = self.open(width=390, height=800)
        self.assert_draws(page)
        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 390)
        page.value("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 390)
        for scheme in ("light", "dark"):
            page.choose_scheme(scheme)
            self.assertEqual(self.poor_contrasts(page), [], scheme)
        self.check(page)

    def poor_contrasts(self, page):
        """Colours of text below 4.5, of curves below 3, of the ground behind them (WCAG 2.1 AA)."""
        return page.value("""(() => {
            const style = getComputedStyle(document.documentElement);
            const light = (name) => { const [r, g, b] = style.getPropertyValue(`--${name}`).trim().match(/[0-9a-f]{2}/g).map((part) => parseInt(part, 16) / 255)
                .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
            const contrast = (a, b) => { const [low, high] = [light(a), light(b)].sort((x, y) => x - y); return (high + 0.05) / (low + 0.05); };
            const texts = ['text', 'faint', 'accent', 'good', 'doubtful', 'bad'].flatMap((name) => ['ground', 'card'].map((ground) => [name, ground, contrast(name, ground), 4.5]));
            const curves = Array.from({ length: curveCount }, (_, n) => [`curve-${n}`, 'card', contrast(`curve-${n}`, 'card'), 3]);
            return [...texts, ...curves].filter(([, , found, least]) => !(found >= least)); })()""")

    def test_charts_follow_the_scheme(self):
        self.report(RESULTS / "xeon-himeno-m.json")
        page = self.open()
        bar = "getComputedStyle(document.querySelector('#percent .drawing path[fill^=\"var(--curve\"]')).fill"
        light = page.value(bar)
        page.choose_scheme("dark")
        self.assertNotEqual(page.value(bar), light)
        self.check(page)

    def press(self, page, key, code):
        for kind in ("keyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

    def test_by_keyboard(self):
        self.report(RESULTS / "xeon-himeno-m.json", RESULTS / "xeon-npb-a.json")
        page = self.open()
        wanted = page.value("[...document.querySelectorAll('a[href], button, summary, [tabindex=\"0\"]')].filter((one) => one.checkVisibility()).length")
        self.assertGreater(wanted, 20)
        seen = []
        for _ in range(wanted):
            self.press(page, "Tab", 9)
            seen.append(page.value("(() => { const one = document.activeElement; return [one.tagName, one.textContent.slice(0, 40), one.getBoundingClientRect().top + scrollY]; })()"))
        self.assertEqual(seen[0][1], "Skip to the report")
        self.assertEqual(seen[-1][0], "SUMMARY")
        # In the order of the page: nothing jumps upwards by more than a row of controls.
        tops = [top for _, _, top in seen[1:]]
        self.assertTrue(all(later > earlier - 60 for earlier, later in zip(tops, tops[1:])), seen)
        # A table opens, and a curve is hidden and shown, without a mouse.
        page.value("document.querySelector('#npb figure summary').focus()")
        self.press(page, "Enter", 13)
        self.assertTrue(page.value("document.querySelector('#npb figure details').open"))
        page.value("document.querySelector('#roofline .legend button').focus()")
        marks = "charts[0].drawing.querySelectorAll('path').length"
        before = page.value(marks)
        self.press(page, "Enter", 13)
        self.assertEqual(page.value("document.querySelector('#roofline .legend button').getAttribute('aria-pressed')"), "false")
        self.assertLess(page.value(marks), before)
        self.press(page, "Enter", 13)
        self.assertEqual(page.value(marks), before)
        self.check(page)

    def test_saves_charts(self):
        self.report(RESULTS / "xeon-himeno-m.json")
        page = self.open(dark=True)
        downloads = self.path / "downloads"
        downloads.mkdir()
        page.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
        page.value("document.querySelector('#percent button.save').click()")
        text = ""
        while not text.rstrip().endswith("</svg>"):  # the browser makes the file before it has written it
            page.browser.read(seconds=0.1)
            text = "".join(file.read_text() for file in downloads.glob("*.svg"))
        self.assertTrue(text.startswith("<svg"), text[:80])
        self.assertIn("himeno M fp32 tuned", text)
        # It stands for itself: light, whatever the page is.
        self.assertNotIn("var(--", text)
        self.assertIn("#1f6feb", text)

    def test_prints(self):
        self.report(*self.results("xeon-*.json"))
        page = self.open(dark=True)
        page.call("Emulation.setEmulatedMedia", media="print")
        self.assertEqual(page.value("getComputedStyle(document.documentElement).getPropertyValue('--card').trim()"), "#ffffff")
        self.assertEqual(page.value("document.getAnimations().length"), 0)
        page.call("Emulation.setEmulatedMedia", media="")
        pdf = base64.b64decode(page.call("Page.printToPDF", printBackground=False)["data"])
        self.assertTrue(pdf.startswith(b"%PDF"))
        self.assertGreater(len(pdf), 50000)
        self.check(page)

    def test_names_are_nothing_but_text(self):
        def evil(document):
            document["context"]["system"]["host"]["value"] = EVIL
            document["context"]["cpu"]["model"]["value"] = EVIL
            document["context"]["command"] = EVIL
            document["workload"] = EVIL
            document["measurements"][0]["name"] = EVIL
            document["verification"][0].update(name=EVIL, source=EVIL, value=1e9, passed=False)
            document["notes"] = [EVIL]

        self.report(self.changed("xeon-himeno-m.json", evil), self.changed("h200-probe.json", lambda document: document["series"][0].update(name=f"{EVIL}, {EVIL}")), "--title", EVIL)
        page = self.open()
        page.value("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        self.assertEqual(page.value("document.querySelector('h1').textContent"), EVIL)
        # Under the pointer too.
        for n in range(page.value("charts.length")):
            page.value(f"""charts[{n}].drawing.scrollIntoView()""")
            box = page.value(f"(({{ left, top, width, height }}) => [left, top, width, height])(charts[{n}].drawing.getBoundingClientRect())")
            for across in (0.5, 0.6):
                page.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + across * box[2], y=box[1] + 0.5 * box[3])
        self.assertEqual(page.value("[typeof window.hacked, document.querySelectorAll('img').length, document.querySelectorAll('script').length]"), ["undefined", 0, 3])
        self.check(page)

    def test_of_a_run_of_convection(self):
        result = self.bankfull("convect", "rayleigh-benard-2d", "--set", "steps=20", "--output", "run", "--ceiling", "none", "--threads", "1")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.report("run")
        page = self.open()
        pictures = page.value("[...document.querySelectorAll('.pictures img')].map((image) => [image.complete && image.naturalWidth > 0, image.alt])")
        self.assertTrue(pictures)
        for is_shown, alt in pictures:
            self.assertTrue(is_shown, alt)
            self.assertIn("in the plane", alt)
        figures = json.loads((self.path / "run" / "run.json").read_text())["measurements"][0]["figures"]
        self.assertIn(f"{figures['nusselt_volume_average']['value']:.3f}"[:4], page.value("document.getElementById('convection').textContent"))
        self.check(page)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
