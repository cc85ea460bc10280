"""Talks to `migrator serve` as browsers do, and as nobody should: over raw sockets.

Broken, slow, oversized and foreign requests are refused or dropped, a person beside them is served, nothing but decisions.json is
written, and what is applied when that is asked for, and Ctrl-C ends it.
"""

import json
import re
import signal
import socket
import struct
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, run_ok, temporary_directory, tool  # noqa: E402
from patience import patience  # noqa: E402

TRAIN = "import torch\nprint(torch.cuda.current_device())\n"
DECISIONS = json.dumps({"schema": "migrator-decisions/1", "decisions": [{"rule": "cuda.renamed", "decision": "accept"}]})


class Server:
    def __init__(self, migrator, work, *options, report="review/report.json", environment=None):
        self.process = subprocess.Popen([migrator, "serve", report, *options], cwd=work, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.head = [self.process.stdout.readline() for _ in range(3)]
        found = re.search(r"http://(127\.0\.0\.1):(\d+)/([0-9a-f]{32})/$", self.head[0])
        self.is_serving = found is not None
        if not self.is_serving:
            return  # it ends by itself, with a message
        host, port, self.token = found.groups()
        self.address = host, int(port)
        self.host = f"{host}:{port}"

    def connect(self):
        return socket.create_connection(self.address, timeout=patience(10))

    def raw(self, data):
        """Sends bytes; all that comes back until the connection ends."""
        with self.connect() as connection:
            try:
                connection.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass
            return everything(connection)

    def request(self, method, name, body="", **headers):
        """(status, headers, body) of a proper request."""
        lines = {"Host": self.host, "Content-Length": len(body), "Content-Type": "application/json", **headers}
        head = "".join(f"{key.replace('_', '-')}: {value}\r\n" for key, value in lines.items() if value is not None)
        answer = self.raw(f"{method} /{self.token}/{name} HTTP/1.1\r\n{head}\r\n{body}".encode()).decode()
        head, _, content = answer.partition("\r\n\r\n")
        first, *rest = head.split("\r\n")
        return int(first.split()[1]), dict(line.split(": ", 1) for line in rest), content

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=patience(20))
        return self.process.returncode, out, err


def everything(connection):
    data = b""
    try:
        while chunk := connection.recv(1 << 16):
            data += chunk
    except ConnectionResetError:
        pass
    return data


@contextmanager
def served(migrator, work, *options):
    server = Server(migrator, work, *options)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()


def status(answer):
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else None


def check_use(checks, server, work):
    code, headers, page = server.request("GET", "")
    checks.equal((code, headers["Content-Type"], headers["Cache-Control"]), (200, "text/html; charset=utf-8", "no-store"), "the page")
    checks.expect("connect-src 'self'" in page and "report-data" in page, "the page is not the report's")
    code, headers, _ = server.request("GET", "decisions.json")
    tag = headers["ETag"]
    checks.equal(code, 200, "decisions before there are any")
    code, headers, _ = server.request("PUT", "decisions.json", DECISIONS, If_Match=tag)
    checks.equal((code, (work / "review/decisions.json").read_text()), (204, DECISIONS), "decisions are saved")
    checks.equal(server.request("PUT", "decisions.json", DECISIONS, If_Match=tag)[0], 412, "decisions over those of another tab")
    checks.equal(server.request("PUT", "decisions.json", "{", If_Match=headers["ETag"])[0], 422, "decisions that are no JSON")
    checks.equal((work / "review/decisions.json").read_text(), DECISIONS, "decisions after refused ones")
    checks.equal(server.request("GET", "", Host="evil.example")[0], 403, "another host")
    checks.equal(server.request("GET", "decisions.json", Origin="http://evil.example")[0], 403, "another origin")
    checks.equal(server.request("GET", "../report.json")[0], 404, "a path out")
    wrong = "0" * 32 if server.token != "0" * 32 else "1" * 32
    for target in ("/", f"/{wrong}/", f"/{server.token.upper()}x/"):
        checks.equal(status(server.raw(f"GET {target} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())), 403, f"without the token: {target}")


def check_hostile(checks, server):
    for data, wanted in ((b"\r\n\r\n", 400), (b"GET / HTTP/2\r\n\r\n", 505), (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400), (b"A" * 100000, 431),
                         (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n", 431), (b"PUT / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
                         (b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501), (b"GET /\0 HTTP/1.1\r\n\r\n", 400)):
        # What comes behind a refusal may cost the connection, never the server.
        checks.expect(status(server.raw(data)) in (wanted, None), f"{data[:40]}: not {wanted}")
    # People who connect and say nothing, or half of something: they hold nobody up, however many they are.
    silent = [server.connect() for _ in range(60)]
    for connection in silent[::2]:
        try:
            connection.sendall(b"GET / HT")
        except OSError:
            pass  # it had to make room
    checks.equal(server.request("GET", "")[0], 200, "the page beside 60 silent connections")
    for connection in silent:
        connection.close()
    with server.connect() as connection:  # leaves before the answer
        connection.sendall(f"GET /{server.token}/ HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
    # Who is gone in the middle of a request or of the page, with a reset or without, ends only their own connection.
    whole = f"GET /{server.token}/ HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode()
    half = f"PUT /{server.token}/decisions.json HTTP/1.1\r\nHost: {server.host}\r\nContent-Length: 90000\r\n\r\n{{".encode()
    for data, read in ((whole[:20], 0), (half, 0), (whole, 0), (whole, 1000), (b"", 0)):
        for reset in (False, True):
            with server.connect() as connection:
                connection.sendall(data)
                connection.recv(read)
                if reset:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            checks.equal(server.request("GET", "")[0], 200, f"the page after a browser that left: {data[:20]}, {read} bytes read, reset: {reset}")
    body = json.dumps({"schema": "migrator-decisions/1", "decisions": [{"rule": f"r{i}", "decision": "reject"} for i in range(60000)]})
    tag = server.request("GET", "decisions.json")[1]["ETag"]
    checks.equal(server.request("PUT", "decisions.json", body, If_Match=tag)[0], 204, f"{len(body)} bytes of decisions")
    # Byte by byte is slow, and right.
    with server.connect() as connection:
        for byte in f"GET /{server.token}/decisions.json HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode():
            connection.sendall(bytes([byte]))
        checks.equal(status(everything(connection)), 200, "a request byte by byte")


def check_apply(checks, migrator, directory):
    """Applies what is saved to the tree that the request names, as `apply` does, and refuses everything else."""
    work = directory / "applying"
    (work / "in").mkdir(parents=True)
    train = work / "in/train.py"
    train.write_text(TRAIN)
    run_ok(checks, migrator, "analyze", "in", "--report", "review", "-q", cwd=work)
    with served(migrator, work) as server:
        code, _, body = server.request("GET", "project.json")
        project = str((work / "in").resolve())
        checks.equal((code, json.loads(body)), (200, {"report": "review/report.json", "decisions": "review/decisions.json", "project": project}), "what is served")
        tag = server.request("GET", "decisions.json")[1]["ETag"]

        def apply(wanted, method="POST", **headers):
            body = wanted if isinstance(wanted, str) else json.dumps(wanted)
            code, _, text = server.request(method, "apply", body, **{"If_Match": tag, **headers})
            return code, text

        for what, status_wanted, answer in (
                ("GET", 405, apply("", method="GET")), ("another origin", 403, apply({"project": project}, Origin="http://evil.example")),
                ("a form", 415, apply({"project": project}, Content_Type="text/plain")), ("no tag", 412, apply({"project": project}, If_Match=None)),
                ("an old tag", 412, apply({"project": project}, If_Match='"0"')), ("no JSON", 422, apply("{")), ("no tree", 422, apply({})),
                ("another key", 422, apply({"project": project, "force": True})), ("another tree", 409, apply({"project": str(work)})),
                ("a copy in the project", 422, apply({"project": project, "output": "in/copy"}))):
            checks.equal((answer[0], train.read_text()), (status_wanted, TRAIN), f"apply: {what}: {answer[1]}")
        checks.equal(sorted(path.name for path in work.iterdir()), ["in", "review"], "after refused requests")
        code, text = apply({"project": project, "output": "copy"})
        checks.expect(code == 200 and "1 changed file in the copy copy" in text.replace("1 file changed", "1 changed file"), f"a copy: {code} {text}")
        checks.expect("torch.npu.current_device" in (work / "copy/train.py").read_text(), "the copy")
        checks.equal(train.read_text(), TRAIN, "the project after a copy")
        code, text = apply({"project": project})
        checks.expect(code == 200 and "Undo    migrator undo review/applied" in text, f"in place: {code} {text}")
        checks.equal(train.read_text(), (work / "copy/train.py").read_text(), "the project after a change in place")
        code, text = apply({"project": project})
        checks.expect(code == 422 and "has changed since the report was made" in text, f"twice: {code} {text}")


def main():
    checks = Checks()
    migrator = tool("migrator")
    with temporary_directory() as directory:
        work = Path(directory)
        (work / "in").mkdir()
        (work / "in/train.py").write_text(TRAIN)
        run_ok(checks, migrator, "analyze", "in", "--report", "review", "-q", cwd=work)
        before = sorted(path.name for path in (work / "review").iterdir())
        with served(migrator, work) as server:
            checks.equal(server.head[1:], ["  Saved   review/decisions.json\n", "  Stop    Ctrl-C\n"], "what is printed")
            check_use(checks, server, work)
            check_hostile(checks, server)
            taken = run(migrator, "serve", "review/report.json", "--port", server.address[1], cwd=work)
            checks.equal((taken.returncode, "cannot be used" in taken.stderr), (2, True), "a port that is taken")
            with socket.socket() as other:
                reached = other.connect_ex(("127.0.0.2", server.address[1])) == 0
            checks.expect(not reached, "another address of this machine is served")
            code, out, err = server.stop()
            checks.equal((code, out, err), (0, "Stopped\n  Next    migrator apply review/report.json --decisions review/decisions.json -o OUT\n", ""), "Ctrl-C")
        with served(migrator, work) as server:
            checks.equal(server.stop(signal.SIGTERM)[0], 0, "SIGTERM")
        checks.equal(sorted(path.name for path in (work / "review").iterdir()), sorted([*before, "decisions.json"]), "files of the report's folder")
        check_apply(checks, migrator, work)
        (work / "review/decisions.json").write_text("{")
        refused = run(migrator, "serve", "review/report.json", cwd=work)
        checks.equal((refused.returncode, "decisions.json" in refused.stderr), (4, True), "decisions that cannot be read")
    checks.finish()


if __name__ == "__main__":
    main()
