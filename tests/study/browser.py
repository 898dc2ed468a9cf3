#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens the study's report in headless Chromium and looks for what a reader would complain about.

usage: tests/study/browser.py REPORT [SCREENSHOTS]     the page; a folder for pictures of it
       tests/study/browser.py --self-test              pages with one fault each must be refused

Checked on a telephone (360 pixels wide) and on a desk, in light and in dark: nothing on the console,
nothing loaded from elsewhere, no horizontal scrolling, every figure drawn and inside its frame, texts
and curves that stand out from the paper, every link with a target, ids that are unique; and that it
prints. Needs chromium only: it is spoken to through a pipe.
"""
import base64
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import unquote

SIZES = {"phone": (360, 780), "desk": (1280, 900)}
SCHEMES = ("light", "dark")

# Runs in the page; returns a list of complaints.
LOOK = r"""
(() => {
  const bad = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth)
    bad.push(`scrolls sideways: ${root.scrollWidth} pixels in a window of ${root.clientWidth}`);
  const ids = new Map();
  for (const e of document.querySelectorAll("[id]"))
    ids.set(e.id, (ids.get(e.id) || 0) + 1);
  for (const [id, n] of ids) if (n > 1) bad.push(`id ${id} is there ${n} times`);
  for (const a of document.querySelectorAll('a[href^="#"]'))
    if (!ids.has(decodeURIComponent(a.getAttribute("href").slice(1))))
      bad.push(`link to nowhere: ${a.getAttribute("href")}`);
  for (const u of document.querySelectorAll("svg use")) {
    const to = (u.getAttribute("xlink:href") || u.getAttribute("href") || "").slice(1);
    if (!ids.has(to)) bad.push(`a mark of a figure is missing: ${to}`);
  }
  for (const i of document.images)
    if (!i.complete || !i.naturalWidth) bad.push(`image not there: ${i.src}`);

  const light = c => {
    const v = (c.match(/[\d.]+/g) || []).map(Number);
    if (v.length < 3 || v[3] === 0) return null;
    const [r, g, b] = v.map(x => x / 255).map(x =>
      x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const paper = e => {
    for (; e; e = e.parentElement) {
      const l = light(getComputedStyle(e).backgroundColor);
      if (l !== null) return l;
    }
    return 1;
  };
  const seen = new Set();
  const complain = text => { if (!seen.has(text)) { seen.add(text); bad.push(text); } };
  for (const e of document.querySelectorAll("p, li, td, th, h1, h2, h3, a, span, figcaption, code"))
    if (e.textContent.trim() && contrast(light(getComputedStyle(e).color), paper(e)) < 4)
      complain(`faint text: ${e.className || e.tagName} ${getComputedStyle(e).color}`);

  const figures = document.querySelectorAll("figure");
  if (!figures.length) bad.push("no figure at all");
  for (const f of figures) {
    const svg = f.querySelector("svg");
    if (!svg) { // one whose source is missing says so
      if (!f.querySelector(".missing")) bad.push(`${f.id}: has no picture`);
      continue;
    }
    const box = svg.getBoundingClientRect();
    if (box.width < 200 || box.height < 100) bad.push(`${f.id}: ${box.width} x ${box.height} pixels`);
    if (!f.querySelector("figcaption") || f.querySelector("figcaption").textContent.length < 20)
      bad.push(`${f.id}: has no caption`);
    const shapes = svg.querySelectorAll("path, use, polygon, rect:not(defs rect), circle:not(defs circle)");
    if (shapes.length < 10) bad.push(`${f.id}: is empty`);
    const back = paper(f);
    for (const t of svg.querySelectorAll("text")) {
      if (!t.textContent.trim()) continue;
      const b = t.getBoundingClientRect();
      if (b.left < box.left - 1.5 || b.right > box.right + 1.5 || b.top < box.top - 1.5 ||
          b.bottom > box.bottom + 1.5)
        complain(`${f.id}: text is cut: ${t.textContent.trim()}`);
      const size = parseFloat(getComputedStyle(t).fontSize) * box.width / svg.viewBox.baseVal.width;
      if (size < 7) complain(`${f.id}: text of ${size.toFixed(1)} pixels: ${t.textContent.trim()}`);
      if (contrast(light(getComputedStyle(t).fill) ?? 1, back) < 3)
        complain(`${f.id}: faint text ${getComputedStyle(t).fill}`);
    }
    for (const s of svg.querySelectorAll("path:not(.gridline), polygon, use")) {
      if (s.closest("defs")) continue;
      const style = getComputedStyle(s);
      const stroke = s.tagName === "use" ? style.color : style.stroke;
      const l = stroke === "none" ? null : light(stroke);
      // What has the paper's own colour is meant to hide what is below it.
      if (l !== null && l !== back && contrast(l, back) < 1.3) complain(`${f.id}: faint line ${stroke}`);
    }
  }
  return bad;
})()
"""


class Browser:
    """Chromium, spoken to as its developer tools do, over file descriptors 3 and 4."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="ninho-browser-")
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()

        def move():
            os.dup2(to_read, 13)
            os.dup2(back_write, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=move)
        os.close(to_read)
        os.close(back_write)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                return None
            block = os.read(self.back, 1 << 20)
            if not block:
                sys.exit("browser.py: chromium ended (is Debian's chromium installed?)")
            self.buffer += block
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            message = self.message(300)
            if message is None:
                sys.exit(f"browser.py: chromium does not answer {method}")
            if message.get("id") == self.number:
                if "error" in message:
                    sys.exit(f"browser.py: {method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def wait(self, event):
        for _ in range(100000):
            for e in self.events:
                if e["method"] == event:
                    return
            message = self.message(300)
            if message is None:
                sys.exit(f"browser.py: no {event}")
            self.events.append(message)

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()


def complaints_of_events(events, page):
    for event in events:
        method, data = event["method"], event["params"]
        if method == "Runtime.exceptionThrown":
            yield "exception: " + data["exceptionDetails"]["text"]
        elif method == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
            yield "console: " + str(data["args"][0].get("value") if data["args"] else "")
        elif method == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
            yield "console: " + data["entry"]["text"]
        elif method == "Network.requestWillBeSent":
            url = data["request"]["url"]
            if not url.startswith("data:") and unquote(url) != page:
                yield "loads something else: " + url


def broken_links(path):
    text = path.read_text(encoding="utf-8")
    for link in sorted(set(re.findall(r'<a href="([^"#][^"]*)"', text))):
        if re.match(r"[a-z]+:", link):
            continue
        if not (path.parent / link).is_file():
            yield f"link to a file that is not there: {link}"


def look(browser, path, pictures=None):
    """Complaints about one page."""
    page = "file://" + str(path.resolve())
    found = list(broken_links(path))
    for size, (width, height) in SIZES.items():
        for scheme in SCHEMES:
            name = f"{size}, {scheme}"
            browser.events.clear()
            browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                         deviceScaleFactor=1, mobile=size == "phone")
            browser.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": scheme}])
            browser.call("Page.navigate", url=page)
            browser.wait("Page.loadEventFired")
            result = browser.call("Runtime.evaluate", expression=LOOK, returnByValue=True)
            if "exceptionDetails" in result:
                sys.exit("browser.py: " + result["exceptionDetails"]["exception"]["description"])
            found += [f"{name}: {c}" for c in result["result"]["value"]]
            found += [f"{name}: {c}" for c in complaints_of_events(browser.events, page)]
            if pictures:
                take_pictures(browser, pictures / f"{size}-{scheme}", width)
    pdf = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
    if pictures:
        (pictures / "print.pdf").write_bytes(pdf)
    if not pdf.startswith(b"%PDF") or len(pdf) < 5000:
        found.append("does not print")
    return list(dict.fromkeys(found))


def take_pictures(browser, stem, width):
    """The whole page, in pieces that a viewer can show."""
    height = browser.call("Runtime.evaluate", returnByValue=True,
                          expression="document.documentElement.scrollHeight")["result"]["value"]
    piece = 3000
    for i, top in enumerate(range(0, height, piece)):
        shot = browser.call("Page.captureScreenshot", captureBeyondViewport=True, clip={
            "x": 0, "y": top, "width": width, "height": min(piece, height - top), "scale": 1})
        stem.with_name(f"{stem.name}-{i:02}.png").write_bytes(base64.b64decode(shot["data"]))


FIGURE = """<figure id="f"><svg width="300" height="200" viewBox="0 0 300 200">
<text x="20" y="20">text</text>%s%s</svg>
<figcaption>A caption that says what is seen.</figcaption></figure>"""
SHAPES = '<path stroke="black" d="M0,0 L9,9"/>' * 12
GOOD = FIGURE % (SHAPES, "")
FAULTS = {
    "scrolls sideways": GOOD + '<div style="width:1500px;height:9px"></div>',
    "has no picture": GOOD + '<figure id="g"><figcaption>Nothing here, but a caption.</figcaption></figure>',
    "is empty": FIGURE % ("", ""),
    "has no caption": FIGURE.replace("A caption that says what is seen.", "") % (SHAPES, ""),
    "text is cut": FIGURE % (SHAPES, '<text x="290" y="20">much too long</text>'),
    "text of": FIGURE % (SHAPES, '<text x="20" y="60" font-size="5">small</text>'),
    "faint text": FIGURE % (SHAPES, '<text x="20" y="60" fill="#eee">white</text>'),
    "faint line": FIGURE % (SHAPES, '<path stroke="#f4f4f4" d="M0,0 L9,9"/>'),
    "link to nowhere": GOOD + '<a href="#g">there</a>',
    "not there: g.csv": GOOD + '<a href="g.csv">data</a>',
    "is there 2 times": GOOD + '<p id="f">twice</p>',
    "image not there": GOOD + '<img src="data:image/png;base64,AAAA" alt="none">',
    "console: oh": GOOD + "<script>console.error('oh')</script>",
    "exception": GOOD + "<script>nothing()</script>",
    "loads something else": GOOD + '<script src="file:///nonexistent.js"></script>',
    "no figure": "<p>words</p>",
}
FRAME = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>t</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{background:#fff;color:#000;margin:0}</style></head><body>%s</body></html>"""


def self_test():
    browser = Browser()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(FRAME % GOOD, encoding="utf-8")
        for complaint in look(browser, page):
            bad.append(f"a good page: {complaint}")
        for fault, body in FAULTS.items():
            page.write_text(FRAME % body, encoding="utf-8")
            if not any(fault in c for c in look(browser, page)):
                bad.append(f"not noticed: {fault}")
    browser.close()
    for line in bad:
        print(f"browser.py: {line}")
    print(f"browser.py: {len(FAULTS)} faults tried")
    return 1 if bad else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    path = Path(sys.argv[1])
    pictures = None
    if len(sys.argv) == 3:
        pictures = Path(sys.argv[2])
        pictures.mkdir(parents=True, exist_ok=True)
    browser = Browser()
    found = look(browser, path, pictures)
    browser.close()
    for complaint in found:
        print(f"{path}: {complaint}")
    if not found:
        n = path.read_text(encoding="utf-8").count("<figure ")
        print(f"{path}: {n} figures, on a telephone and on a desk, light and dark: no complaint")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
