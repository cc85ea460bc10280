"""Chromium without a window, driven through its debugging pipe: needs the browser and nothing else."""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import time

from checks import skip
from patience import patience

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38}


class Browser:
    """One page. What the page logs as an error, or throws, is collected in `errors`. Which functions of its scripts ran in any
    page of this process is in `calls`: by place in the script (characters, from its beginning), name and number of calls."""

    calls = {}

    def __init__(self, profile, size=(1400, 900), language="en-US"):
        program = os.environ.get("MIGRATION_BROWSER") or next((found for name in NAMES if (found := shutil.which(name))), None)
        if program is None:
            skip("there is no Chromium; on Debian: apt-get install chromium")
        from_us, self.commands = os.pipe()
        self.answers, to_us = os.pipe()

        def give_pipes():
            # 3 and 4 are where the browser expects them, wherever they are now.
            high = os.dup2(from_us, 30), os.dup2(to_us, 31)
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking", "--hide-scrollbars", f"--lang={language}",
             f"--window-size={size[0]},{size[1]}", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=give_pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(from_us)
        os.close(to_us)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.errors = []
        self.requests = []
        target = next(target for target in self.call("Target.getTargets")["targetInfos"] if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Profiler"):
            self.call(f"{domain}.enable")
        self.call("Profiler.startPreciseCoverage", callCount=True, detailed=False)
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setLocaleOverride", locale=language)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.count_calls()
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        deadline = time.monotonic() + patience(60)
        while True:
            answer = self.next_message(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def next_message(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.answers, 1 << 20) if ready else b""
            if not chunk:
                raise RuntimeError("the browser gives no answer")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        self.note(message)
        return message

    def note(self, message):
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.errors.append(str([argument.get("value", argument.get("description")) for argument in parameters["args"]]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.errors.append(f"a dialog: {parameters['message']}")

    def count_calls(self):
        for script in self.call("Profiler.takePreciseCoverage")["result"]:
            if not script["url"].startswith(("file:", "http:")):
                continue  # what tests evaluate
            for function in script["functions"]:
                place = function["ranges"][0]
                key = place["startOffset"], place["endOffset"]
                name, calls = Browser.calls.get(key, (function["functionName"], 0))
                Browser.calls[key] = name, calls + place["count"]

    def open(self, place):
        """A file, or an address."""
        self.count_calls()
        self.call("Page.navigate", url=place if isinstance(place, str) else place.as_uri())
        self.wait_for("document.documentElement?.dataset.ready")

    def js(self, expression):
        """The value of an expression; of a promise, what it gives."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return result["result"].get("value")

    def holds(self, expression):
        """Whether it is true of the page; not while that is replaced by the next."""
        try:
            return self.js(expression)
        except RuntimeError as error:
            if "navigated or closed" not in str(error):
                raise
            return False

    def wait_for(self, expression, seconds=30):
        deadline = time.monotonic() + patience(seconds)
        while not self.holds(expression):
            if time.monotonic() > deadline:
                raise RuntimeError(f"in vain waited for {expression}")
            time.sleep(0.02)

    def press(self, keys):
        """Single characters one after the other, or one named key."""
        for key in [keys] if keys in KEYS else keys:
            code = KEYS.get(key, ord(key.upper()) if len(key) == 1 and key.isalnum() else 0)
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def click(self, selector):
        self.js(f"document.querySelector({json.dumps(selector)}).click()")

    def frames(self, count=2):
        self.js(f"new Promise((done) => {{ let left = {count}; const next = () => left-- ? requestAnimationFrame(next) : done(true); next(); }})")

    def screenshot(self, path, scale=1):
        self.frames()
        size = self.js("({width: innerWidth, height: innerHeight})")
        clip = {"x": 0, "y": self.js("scrollY"), **size, "scale": scale}
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png", clip=clip)["data"]))
