# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium, spoken to through two pipes in its debugging protocol."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find():
    """The program, or None."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Browser:
    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # its other processes may still write
        there, self.to = os.pipe()
        self.back, here = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
                 "--hide-scrollbars", "--no-first-run", "--disable-extensions", f"--user-data-dir={self.folder.name}", "about:blank"]

        def pipes():
            kept = os.dup(there), os.dup(here)
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        # pylint: disable-next=subprocess-popen-preexec-fn
        self.process = subprocess.Popen([program, *flags], preexec_fn=pipes, pass_fds=(3, 4, there, here), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(here)
        self.rest, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)
        os.close(self.back)
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def message(self):
        while b"\0" not in self.rest:
            part = os.read(self.back, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        wish = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            wish["sessionId"] = self.session
        os.write(self.to, json.dumps(wish).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.events.clear()
        self.call("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def complaints(self):
        """What the console got, and exceptions that nobody caught."""
        texts = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                texts.append(details.get("exception", {}).get("description", details["text"]))
            elif event.get("method") == "Runtime.consoleAPICalled":
                texts.append(f"console.{parameters['type']}: {parameters['args']}")
            elif event.get("method") == "Log.entryAdded":
                texts.append(f"{parameters['entry']['level']}: {parameters['entry']['text']}")
        return texts

    def screenshot(self, file):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        with open(file, "wb") as stream:
            stream.write(base64.b64decode(shot["data"]))
