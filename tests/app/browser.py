"""Pages in headless Chromium, by its DevTools protocol over a pipe: no module but Python's own is needed.

    with Browser() as browser:
        page = browser.open(path)
        page.value("document.title")
        page.complaints        # errors and warnings of the console, exceptions, files that were not there
"""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# Seconds until the browser counts as hanging.
PATIENCE = 300


class Browser:
    """One process; `offline` from the beginning: a page of a folder asks nobody."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours_to_read, theirs_to_write = os.pipe()
        theirs_to_read, ours_to_write = os.pipe()

        def at_three_and_four():  # where Chromium looks for them; by way of others, which may be 3 or 4 themselves
            reading, writing = os.dup(theirs_to_read), os.dup(theirs_to_write)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=at_three_and_four)
        os.close(theirs_to_read)
        os.close(theirs_to_write)
        self.reading, self.writing = ours_to_read, ours_to_write
        self.buffer, self.count, self.pages = b"", 0, {}
        return self

    def __exit__(self, *_):
        os.close(self.writing)
        self.process.terminate()
        self.process.wait()
        os.close(self.reading)
        self.profile.cleanup()

    def call(self, method, session=None, **parameters):
        """What the browser answers; events that come before go to their pages."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def read(self, seconds=PATIENCE):
        """The next message; None where none comes in time."""
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            if not select.select([self.reading], [], [], max(0.0, end - time.monotonic()))[0]:
                if seconds < PATIENCE:
                    return None
                raise TimeoutError(f"no answer from {PROGRAM}")
            data = os.read(self.reading, 1 << 20)
            if not data:
                raise RuntimeError(f"{PROGRAM} has ended")
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(text)
        page = self.pages.get(message.get("sessionId"))
        if page is not None and "method" in message:
            page.note(message["method"], message["params"])
        return message

    def open(self, path, width=1280, height=900, dark=False):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        page.choose_scheme("dark" if dark else "light")
        page.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while not page.is_loaded:
            self.read()
        return page


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session
        self.complaints, self.requests, self.is_loaded = [], [], False

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        """Its browser has time for others."""
        self.call("Page.close")
        del self.browser.pages[self.session]

    def note(self, method, parameters):
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"] + " " + parameters["entry"].get("url", ""))
        elif method == "Page.loadEventFired":
            self.is_loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def choose_scheme(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def value(self, expression):
        """Of JavaScript, as JSON would have it."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def wait_for(self, expression, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"{expression} did not come true; {self.complaints}")
            self.browser.read(seconds=0.1)

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole, **({"clip": self.extent()} if whole else {}))["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def extent(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
