#!/usr/bin/env python3
"""ibscope over HTTP, for many clients: `http_server.py PORT ibscope [OPTION]... [FABRIC]`.

    curl 'localhost:8080/?line=trace+node0001+node0009'    the objects, a line each
One program answers them one after the other, in 0.1 ms or so each.  It may write nothing (--read-only).
"""
import http.server
import json
import subprocess
import sys
import threading
import urllib.parse

LOCK = threading.Lock()
SERVER = subprocess.Popen([sys.argv[2], "--serve", "--read-only", *sys.argv[3:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def answer():
    while "done" not in (o := json.loads(SERVER.stdout.readline())):
        yield o
    yield o


class Handler(http.server.BaseHTTPRequestHandler):
    def log_request(self, *_):
        pass

    def do_GET(self):
        asked = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        with LOCK:
            SERVER.stdin.write(json.dumps({"id": 1, "line": asked.get("line", ["show"])[0].split("\n")[0], "deadline": 60}) + "\n")
            SERVER.stdin.flush()
            objects = list(answer())
        self.send_response(422 if objects[-1]["status"] > 1 else 200)
        self.send_header("Content-Type", "application/jsonl")
        self.end_headers()
        self.wfile.write("".join(json.dumps(o) + "\n" for o in objects).encode())


list(answer())  # what the options asked for
with http.server.ThreadingHTTPServer(("localhost", int(sys.argv[1])), Handler) as served:
    print(served.server_port, flush=True)
    served.serve_forever()
