# tocuda, Apache-2.0.
"""Drives headless Chromium through chromedriver's WebDriver protocol, with the standard library only."""

import base64
import json
import shutil
import subprocess
import time
import urllib.request

ARGUMENTS = ["--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu", "--disable-dev-shm-usage"]
STARTS_WITHIN = 60  # seconds


def why_not():
    """Why there is no browser; empty if there is one."""
    missing = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
    return f"{' and '.join(missing)} not found" if missing else ""


class Browser:
    def __init__(self, folder):
        self.driver = subprocess.Popen(
            [shutil.which("chromedriver"), "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
        )
        self.base = f"http://127.0.0.1:{self.port()}"
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": {
                "binary": shutil.which("chromium"),
                "args": [*ARGUMENTS, f"--user-data-dir={folder}/profile"],
            },
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        try:
            answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        except Exception:
            self.stop()
            raise
        self.session = f"/session/{answer['sessionId']}"

    def port(self):
        """chromedriver prints which port it chose."""
        deadline = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < deadline:
            line = self.driver.stdout.readline()
            if "started successfully on port" in line:
                return int(line.rstrip().rstrip(".").split()[-1])
            if not line and self.driver.poll() is not None:
                break
        self.stop()
        raise RuntimeError("chromedriver did not start")

    def stop(self):
        try:
            if hasattr(self, "session"):
                self.ask("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, data=data, method=method, headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def run(self, script, *arguments):
        return self.ask("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.ask("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, page, width=1440, scheme="light", scripts=True, media=""):
        """Forgets what was logged before."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.devtools("Emulation.setEmulatedMedia", media=media, features=features)
        self.devtools("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.logged("browser"), self.logged("performance")
        self.ask("POST", self.session + "/url", {"url": page.as_uri()})

    def logged(self, kind):
        return self.ask("POST", self.session + "/se/log", {"type": kind})

    def requests(self):
        """The addresses that were asked for since the page was opened."""
        messages = [json.loads(entry["message"])["message"] for entry in self.logged("performance")]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def printed(self):
        """The page as PDF."""
        return base64.b64decode(self.ask("POST", self.session + "/print", {}))
