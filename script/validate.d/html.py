#!/usr/bin/python3
"""Opens pages of `pliant run -o x.html` in headless Chromium: are there pictures, do they move, are there no errors?

    html.py PAGE.html [PICTURE.png]

Prints what was measured. Exit code 0: all is well, 1: something is not, 77: no Chromium.
"""
import base64
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

WIDTH, HEIGHT = 480, 320


def pixels(path):
    """Rows of red, green, blue of a PNG file as Chromium writes it: 8 bits, RGB or RGBA, not interlaced."""
    data = open(path, "rb").read()
    at, packed = 8, b""
    while at < len(data):
        (size,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            packed += body
        at += 12 + size
    channels = {2: 3, 6: 4}[color]
    raw, stride, rows = zlib.decompress(packed), width * channels, []
    before = bytearray(stride)
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a = row[i - channels] if i >= channels else 0
            b, c = before[i], before[i - channels] if i >= channels else 0
            if kind == 1:
                row[i] = row[i] + a & 255
            elif kind == 2:
                row[i] = row[i] + b & 255
            elif kind == 3:
                row[i] = row[i] + (a + b) // 2 & 255
            elif kind == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                row[i] = row[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c) & 255
        rows.append([tuple(row[x:x + 3]) for x in range(0, stride, channels)])
        before = row
    return rows


class Browser:
    """Chromium without a window, told what to do by its debugging protocol over two pipes."""

    def __init__(self, program, folder):
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()

        def connect():  # the protocol wants to read from 3 and to write to 4
            os.dup2(to_browser, 13)
            os.dup2(from_browser, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             "--use-angle=swiftshader", "--enable-unsafe-swiftshader", f"--window-size={WIDTH},{HEIGHT}",
             f"--user-data-dir={folder}/profile", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.number, self.waiting, self.complaints, self.session = 0, b"", [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.waiting:
                piece = os.read(self.back, 1 << 20)
                if not piece:
                    raise RuntimeError("Chromium has ended")
                self.waiting += piece
            text, self.waiting = self.waiting.split(b"\0", 1)
            answer = json.loads(text)
            self.listen(answer)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def listen(self, event):
        """Keeps what the page complains about. That a picture is taken makes the driver complain, too: not ours."""
        if event.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            if "GL Driver Message" not in json.dumps(event):
                self.complaints.append(json.dumps(event["params"])[:400])

    def evaluate(self, expression):
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def wait(self, expression, seconds=120):
        end = time.monotonic() + seconds
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise RuntimeError("still not true: " + expression)
            time.sleep(0.2)

    def picture(self, path):
        self.evaluate("window.shown = 0; requestAnimationFrame(() => requestAnimationFrame(() => window.shown = 1)); 0")
        self.wait("window.shown === 1")
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))
        return pixels(path)

    def close(self):
        self.process.kill()
        self.process.wait()


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        print("html: no Chromium is installed: skipped")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        try:
            browser.ask("Page.navigate", url="file://" + os.path.abspath(sys.argv[1]))
            browser.wait("document.body && document.body.dataset.ready > 0 && !!window.pliant")
            frames = browser.evaluate("Number(document.body.dataset.ready)")
            # It plays by itself, pauses at the button, and goes where it is told.
            start = browser.evaluate("pliant.place")
            browser.wait(f"pliant.place !== {start}")
            played = browser.evaluate("pliant.playing")
            browser.evaluate("document.getElementById('play').click()")
            paused = not browser.evaluate("pliant.playing")
            browser.evaluate("pliant.stop(0)")
            first = browser.picture(os.path.join(folder, "first.png"))
            browser.evaluate("pliant.stop(pliant.meta.frames - 1)")
            last = browser.picture(os.path.join(folder, "last.png"))
            browser.evaluate("pliant.orbit.turn(200, 40); pliant.turned = true")
            turned = browser.picture(os.path.join(folder, "turned.png"))
            if len(sys.argv) > 2:
                shutil.copy(os.path.join(folder, "last.png"), sys.argv[2])
        finally:
            browser.close()
    rows = range(0, HEIGHT - 90)  # without the controls at the lower border, which are the same in all pictures

    def different(a, b):
        return sum(max(abs(s - t) for s, t in zip(p, q)) > 24 for y in rows for p, q in zip(a[y], b[y]))

    colorful = sum(max(p) - min(p) > 50 for y in rows for p in last[y])
    print(f"html: {frames} frames, plays: {played}, pauses: {paused}, {colorful} pixels of bodies, "
          f"{different(first, last)} pixels moved, {different(last, turned)} changed by turning, "
          f"{len(browser.complaints)} messages in the console")
    print(*browser.complaints, sep="\n", end="")
    good = played and paused and colorful > 500 and different(first, last) > 500 and different(last, turned) > 500
    return 0 if good and not browser.complaints else 1


sys.exit(main())
