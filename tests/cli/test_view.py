#!/usr/bin/env python3
# test_view.py - `cairn view`: whom its server answers, what it refuses, and that the run goes on.
import http.client
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.parse

from program import CAIRN, INVALID, OK, USAGE, ProgramTest, cairn

MOST_CONNECTIONS = 32  # of the server


class Served:
    """`cairn view` in the background."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([CAIRN, "view", "--no-browser", "--quiet", *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        address = urllib.parse.urlsplit(self.process.stdout.readline().strip())
        self.port = address.port
        self.host = address.netloc
        self.query = address.query

    def ask(self, path, method="GET", headers=None, query=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        target = path + "?" + (self.query if query is None else query)
        connection.putrequest(method, target, skip_host=True)
        for name, value in {"Host": self.host, **(headers or {})}.items():
            connection.putheader(name, value)
        if body is not None or method == "POST":
            connection.putheader("Content-Length", str(len(body or b"")))
        connection.endheaders()
        if body:
            connection.send(body)
        response = connection.getresponse()
        data = response.read() if path != "/stream" else response.read(2000)
        connection.close()
        return response.status, data, dict(response.getheaders())

    def command(self, name, **parameters):
        words = urllib.parse.urlencode({"command": name, **parameters})
        return self.ask("/command", "POST", query=self.query + "&" + words)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


class View(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.server = Served("@stack:2")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def refused(self, status, **question):
        got, data, _ = self.server.ask("/", **question)
        self.assertEqual(got, status)
        return data.decode()

    def test_the_page_comes_with_headers_that_keep_others_out(self):
        status, data, headers = self.server.ask("/")
        self.assertEqual(status, 200)
        self.assertIn(b"<title>Cairn</title>", data)
        self.assertIn(b'"mode": "live"', data)
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Cache-Control"], "no-store")

    def test_another_host_is_refused(self):
        for host in ["evil.example", "evil.example:%d" % self.server.port, "127.0.0.1", ""]:
            self.assertIn("own address", self.refused(403, headers={"Host": host}))

    def test_another_origin_is_refused(self):
        for origin in ["http://evil.example", "null", "https://" + self.server.host]:
            self.assertIn("Only the page", self.refused(403, headers={"Origin": origin}))
        status, _, _ = self.server.ask("/", headers={"Origin": "http://" + self.server.host})
        self.assertEqual(status, 200)

    def test_without_the_token_nothing_is_given(self):
        token = self.server.query
        for query in ["", "token=", token[:-1], token + "0", "token=" + "0" * 32]:
            for path in ["/", "/stream", "/command", "/recording"]:
                status, data, _ = self.server.ask(path, query=query)
                self.assertEqual(status, 403, path)
                self.assertIn(b"token", data)

    def test_there_are_no_files_behind_it(self):
        for path in ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "/recording", "//", "/./"]:
            status, data, _ = self.server.ask(path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"root:", data)

    def test_other_methods_are_refused(self):
        for method in ["PUT", "DELETE", "OPTIONS", "POST"]:
            status, _, _ = self.server.ask("/", method)
            self.assertEqual(status, 404)

    def test_oversized_requests_are_cut_off(self):
        with self.assertRaises((http.client.HTTPException, OSError)):
            self.server.command("push", body="1", velocity="0" * 100000) and None
            self.server.ask("/command", "POST", body=b"x" * 1000000)
        self.assertEqual(self.server.ask("/")[0], 200)

    def test_commands_answer_with_a_sentence(self):
        self.assertIn(b'"ok": true', self.server.command("pause")[1])
        for name, parameters in [("nonsense", {}), ("push", {"body": "99", "velocity": "0 0 1"}),
                                 ("push", {"body": "1", "velocity": "0 nan 1"}), ("drag", {}),
                                 ("tolerance", {"value": "x"}), ("solver", {"value": "\"}<script>"})]:
            self.assertIn(b'"ok": false', self.server.command(name, **parameters)[1])
        self.assertIn(b'"ok": true', self.server.command("run")[1])

    def test_the_stream_begins_like_a_recording(self):
        status, data, _ = self.server.ask("/stream")
        self.assertEqual(status, 200)
        self.assertEqual(data[:8], b"CAIRNREC")
        self.assertEqual(data[16:20], b"HEAD")

    def test_a_hundred_slow_connections_do_not_stop_the_run(self):
        idle = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(100)]
        for one in idle:
            try:
                one.send(b"GET / HTTP/1.1\r\nHost: ")
            except OSError:
                pass  # refused: there are more than the server takes
        self.assertIsNone(self.server.process.poll())
        for one in idle:
            one.close()
        deadline = time.time() + 20
        status = 0
        while status != 200 and time.time() < deadline:
            try:
                status = self.server.ask("/")[0]
            except OSError:
                time.sleep(0.2)
        self.assertEqual(status, 200)

    def test_it_listens_on_this_machine_only(self):
        hexed = "%04X" % self.server.port
        rows = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
        places = [row.split()[1] for row in rows if row.split()[3] == "0A"]
        self.assertEqual([place for place in places if place.endswith(":" + hexed)], ["0100007F:" + hexed])


class ViewUsage(ProgramTest):
    def test_sigterm_ends_it(self):
        self.assertEqual(Served("@stack:2").stop(), 143)

    def test_a_recording_is_served_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "stack.cairn"
            self.data("run", "@stack:2", "--duration", "0.1", "--record", str(path))
            served = Served(str(path))
            self.assertEqual(served.ask("/recording")[1], path.read_bytes())
            self.assertIn(b'"mode": "replay"', served.ask("/")[1])
            served.stop()

    def test_a_wrong_scene_or_port_is_a_sentence(self):
        self.assertEqual(cairn("view", "@nonsense").returncode, INVALID)
        self.assertEqual(cairn("view", "@stack:2", "--port", "99999").returncode, USAGE)

    def test_a_page_is_written_whole_or_not_at_all(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "out.html"
            done = cairn("view", "@stack:2", "--duration", "0.1", "--html", str(page))
            self.assertEqual(done.returncode, OK, done.stderr)
            self.assertIn(b'class="recording"', page.read_bytes())
            missing = pathlib.Path(folder) / "no" / "out.html"
            done = cairn("view", "@stack:2", "--duration", "0.1", "--html", str(missing))
            self.assertEqual(done.returncode, INVALID)
            self.assertIn("cannot be written", done.stderr)
            self.assertEqual([one.name for one in pathlib.Path(folder).iterdir()], ["out.html"])


if __name__ == "__main__":
    unittest.main()
