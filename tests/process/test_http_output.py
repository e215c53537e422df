# SPDX-License-Identifier: Apache-2.0
"""The http output against servers that are busy, broken, slow, dead, or not who they say."""
import http.server
import io
import json
import shutil
import ssl
import struct
import subprocess
import threading
import time

import pytest

from agent import run, tail, to_http
from lines import Verdict, Writer, numbered, put
from waiting import free_port, stays, wait_until

QUICK = {"backoff_base": "20ms", "backoff_cap": "50ms", "linger": "10ms"}


def all_of(sink, count, seconds=20):
    wait_until(lambda: Verdict(count, sink.lines).distinct == count, seconds, lambda: Verdict(count, sink.lines))
    return Verdict(count, sink.lines)


def test_each_line_arrives_once_and_in_order(agent, make_http_sink, logs):
    sink = make_http_sink()
    (logs / "a.log").write_bytes(numbered(0, 50_000))
    agent.configure(tail(logs / "*.log"), to_http(sink)).start()
    assert all_of(sink, 50_000).exactly_once()
    assert sink.requests[0][1]["Content-Type"] == "application/x-ndjson"
    assert all("Expect" not in headers for _, headers, _ in sink.requests)
    wait_until(lambda: agent.delivered() == 50_000)
    assert agent.metric("logweir_output_http_responses_total", code="2xx") == len(sink.requests)


def test_gzip_bodies_arrive(agent, make_http_sink, logs):
    sink = make_http_sink()
    (logs / "a.log").write_bytes(numbered(0, 20_000))
    agent.configure(tail(logs / "*.log"), to_http(sink, compress="gzip", concurrency=3)).start()
    verdict = all_of(sink, 20_000)
    assert not verdict.lost and not verdict.duplicated


def storm(number):
    return {2: 503, 3: (429, {"Retry-After": "1"}), 5: 500, 6: 408}.get(number % 8, 200)


def test_busy_answers_lose_and_repeat_nothing(agent, make_http_sink, logs):
    sink = make_http_sink(act=storm)
    agent.configure(tail(logs / "*.log"), to_http(sink, **QUICK)).start()
    writer = Writer(logs / "a.log", rate=5000)
    wait_until(lambda: writer.written >= 10_000)
    assert all_of(sink, writer.stop()).exactly_once(), Verdict(writer.written, sink.lines)


def test_resets_lose_nothing_and_repeat_only_what_was_stored(agent, make_http_sink, logs):
    sink = make_http_sink(act=lambda number: {2: "reset", 5: "store, reset"}.get(number % 8, 200))
    agent.configure(tail(logs / "*.log"), to_http(sink, **QUICK)).start()
    writer = Writer(logs / "a.log", rate=5000)
    wait_until(lambda: writer.written >= 10_000)
    verdict = all_of(sink, writer.stop())
    stored_twice = sum(status == "store, reset" for status, _, _ in sink.requests)
    assert not verdict.lost and not verdict.disorder, verdict
    assert stored_twice > 0 and verdict.duplicated > 0
    keys = [headers["Idempotency-Key"] for _, headers, _ in sink.requests]
    for (status, headers, size), (_, later, later_size) in zip(sink.requests, sink.requests[1:]):
        if agent.workers == 1 and status != 200:
            assert headers["Idempotency-Key"] == later["Idempotency-Key"] and size == later_size
    assert len(set(keys)) < len(keys)


def test_retry_after_is_waited_for(agent, make_http_sink, logs):
    sink = make_http_sink(act=lambda number: (429, {"Retry-After": "2"}) if number == 1 else 200)
    put(logs / "a.log", "one")
    agent.configure(tail(logs / "*.log"), to_http(sink, **QUICK)).start()
    wait_until(lambda: len(sink.requests) == 1)
    assert stays(lambda: len(sink.requests) == 1, 1.5)
    wait_until(lambda: sink.texts() == ["one"])


def test_a_refused_record_is_a_dead_letter_and_the_rest_goes_on(agent, make_http_sink, logs):
    sink = make_http_sink(act=lambda number: 400 if number == 1 else 200)
    put(logs / "a.log", "bad")
    agent.configure(tail(logs / "*.log"), to_http(sink, **QUICK)).start()
    wait_until(lambda: len(sink.requests) == 1)
    put(logs / "a.log", "good")
    wait_until(lambda: sink.texts() == ["good"])
    wait_until(lambda: agent.metric("logweir_dead_letter_records_total", reason="http_400") == 1)


def test_a_dead_endpoint_is_passed_over(agent, make_http_sink, logs):
    dead, good = make_http_sink(up=False), make_http_sink()
    (logs / "a.log").write_bytes(numbered(0, 5000))
    endpoints = [f"127.0.0.1:{dead.port}", f"127.0.0.1:{good.port}"]
    agent.configure(tail(logs / "*.log"), {**to_http(good), "host": None, "port": None, "endpoints": endpoints})
    agent.conf.write_text(agent.conf.read_text().replace('"host": null,', "").replace('"port": null,', ""))
    agent.start()
    assert all_of(good, 5000).exactly_once()
    assert not agent.metric("logweir_output_retries_total")


def test_an_absent_server_gets_everything_once_it_is_there(agent, make_http_sink, logs):
    sink = make_http_sink(up=False)
    (logs / "a.log").write_bytes(numbered(0, 50_000))
    agent.configure(tail(logs / "*.log"), to_http(sink, queue_bytes="1M", **QUICK)).start()
    wait_until(lambda: agent.metric("logweir_output_retries_total"))
    sink.up()
    assert all_of(sink, 50_000).exactly_once()


@pytest.mark.parametrize("act", [lambda number: 200, storm], ids=["healthy", "busy"])
def test_kill_9_loses_nothing_and_repeats_little(agent, make_http_sink, logs, act):
    sink = make_http_sink(act=act)
    agent.configure(tail(logs / "app.log*"), to_http(sink, **QUICK)).start()
    writer = Writer(logs / "app.log", rate=4000, rotate="rename")
    kills = 5
    for _ in range(kills):
        goal = writer.written + 2800
        wait_until(lambda: writer.written >= goal)
        agent.kill()
        agent.start(ready=False)
    verdict = all_of(sink, writer.stop())
    assert not verdict.lost and not verdict.disorder, verdict
    # Per kill at most 0.1 s of input and one request of each worker, which holds more while the server is busy.
    assert verdict.duplicated <= kills * agent.workers * 4000, verdict


# -- TLS --

@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """ca.crt, and certificates for sink.test: good.pem is signed by it, rogue.pem signs itself."""
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl command to make certificates with")
    folder = tmp_path_factory.mktemp("tls")

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    new = ["-newkey", "rsa:2048", "-nodes"]
    openssl("req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=test root", "-days", "2")
    (folder / "names").write_text("subjectAltName=DNS:sink.test")
    openssl("req", *new, "-keyout", "good.key", "-out", "good.csr", "-subj", "/CN=sink.test")
    openssl("x509", "-req", "-in", "good.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", "good.crt")
    openssl("req", "-x509", *new, "-keyout", "rogue.key", "-out", "rogue.crt", "-subj", "/CN=sink.test", "-days", "2",
            "-addext", "subjectAltName=DNS:sink.test")
    return folder


def context_of(certificates, name, client_ca=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / f"{name}.crt", certificates / f"{name}.key")
    if client_ca:
        context.load_verify_locations(client_ca)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def to_https(sink, certificates, **more):
    return to_http(sink, tls=True, **{"tls.ca_file": str(certificates / "ca.crt"), "tls.vhost": "sink.test", **more})


@pytest.mark.one_worker
def test_tls_with_the_right_authority_and_name(agent, make_http_sink, logs, certificates):
    sink = make_http_sink(tls=context_of(certificates, "good"))
    (logs / "a.log").write_bytes(numbered(0, 5000))
    agent.configure(tail(logs / "*.log"), to_https(sink, certificates)).start()
    assert all_of(sink, 5000).exactly_once()
    assert sink.requests[0][1]["Host"] == f"sink.test:{sink.port}"


@pytest.mark.one_worker
@pytest.mark.parametrize("server, more", [("rogue", {}), ("good", {"tls.vhost": "other.test"})],
                         ids=["unknown authority", "another name"])
def test_tls_sends_nothing_to_a_server_that_is_not_the_one(agent, make_http_sink, logs, certificates, server, more):
    sink = make_http_sink(tls=context_of(certificates, server))
    put(logs / "a.log", "secret")
    agent.configure(tail(logs / "*.log"), to_https(sink, certificates, **QUICK, **more)).start()
    wait_until(lambda: agent.metric("logweir_output_retries_total") >= 2)
    assert not sink.requests and "certificate" in agent.log()
    sink.tls = context_of(certificates, "good")
    if not more:
        wait_until(lambda: sink.texts() == ["secret"])


@pytest.mark.one_worker
def test_tls_shows_our_own_certificate(agent, make_http_sink, logs, certificates):
    sink = make_http_sink(tls=context_of(certificates, "good", client_ca=certificates / "ca.crt"))
    put(logs / "a.log", "one")
    own = {"tls.crt_file": str(certificates / "good.crt"), "tls.key_file": str(certificates / "good.key")}
    agent.configure(tail(logs / "*.log"), to_https(sink, certificates, **own)).start()
    wait_until(lambda: sink.texts() == ["one"])


@pytest.mark.one_worker
def test_verification_may_be_switched_off(agent, make_http_sink, logs, certificates):
    sink = make_http_sink(tls=context_of(certificates, "rogue"))
    put(logs / "a.log", "one")
    agent.configure(tail(logs / "*.log"), to_http(sink, tls=True, **{"tls.verify": False})).start()
    wait_until(lambda: sink.texts() == ["one"])


@pytest.mark.one_worker
def test_a_missing_ca_file_is_told_at_the_start(agent, make_http_sink, logs):
    agent.configure(tail(logs / "*.log"), to_http(make_http_sink(), tls=True, **{"tls.ca_file": "/nowhere/ca.crt"}))
    agent.start(ready=False)
    assert agent.ended() != 0
    assert "/nowhere/ca.crt" in agent.log()


@pytest.mark.one_worker
def test_secrets_stay_out_of_the_printed_plan(agent, logs, make_http_sink):
    agent.configure(tail(logs / "*.log"), to_http(make_http_sink(), http_user="me", http_passwd="hushhush"))
    result = run("check", "-c", agent.conf)
    assert result.returncode == 0 and "hushhush" not in result.stdout + result.stderr


@pytest.mark.one_worker
@pytest.mark.parametrize("server, agent_says, works", [
    ({"least": "TLSv1_3"}, {"tls.max_version": "TLSv1.2"}, False),
    ({"most": "TLSv1_2"}, {"tls.min_version": "TLSv1.3"}, False),
    ({"most": "TLSv1_2"}, {"tls.min_version": "TLSv1.2", "tls.max_version": "TLSv1.2"}, True),
    ({"most": "TLSv1_2", "ciphers": "ECDHE-RSA-AES128-GCM-SHA256"}, {"tls.ciphers": "ECDHE-RSA-AES256-GCM-SHA384"},
     False),
    ({"most": "TLSv1_2", "ciphers": "ECDHE-RSA-AES128-GCM-SHA256"}, {"tls.ciphers": "ECDHE-RSA-AES128-GCM-SHA256"},
     True),
], ids=["too old for it", "too old for us", "agreed", "no cipher in common", "a cipher in common"])
def test_versions_and_ciphers_are_as_asked(agent, make_http_sink, logs, certificates, server, agent_says, works):
    context = context_of(certificates, "good")
    context.minimum_version = getattr(ssl.TLSVersion, server.get("least", "TLSv1_2"))
    context.maximum_version = getattr(ssl.TLSVersion, server.get("most", "TLSv1_3"))
    if "ciphers" in server:
        context.set_ciphers(server["ciphers"])
    sink = make_http_sink(tls=context)
    put(logs / "a.log", "one")
    agent.configure(tail(logs / "*.log"), to_https(sink, certificates, **QUICK, **agent_says)).start()
    if works:
        wait_until(lambda: sink.texts() == ["one"])
    else:
        wait_until(lambda: agent.metric("logweir_output_retries_total") >= 2)
        assert not sink.requests


# -- ids, MessagePack, tokens --

def test_ids_are_different_and_the_same_after_a_restart(agent, make_http_sink, logs):
    first = make_http_sink(act=lambda number: "store, reset")
    (logs / "a.log").write_bytes(numbered(0, 2000))
    agent.configure(tail(logs / "*.log"), to_http(first, record_id_key="id", json_date_key=False, **QUICK)).start()
    wait_until(lambda: len(first.lines) >= 2000)
    agent.kill()  # nothing was ever answered: all goes out again
    before = {record["log"]: record["id"] for record in map(json.loads, list(first.lines))}
    first.act = lambda number: 200
    first.lines.clear()
    agent.start()
    assert all_of(first, 2000)
    after = {record["log"]: record["id"] for record in map(json.loads, list(first.lines))}
    assert len(set(after.values())) == 2000
    assert before == after


def test_the_same_body_has_the_same_key_after_a_restart(agent, make_http_sink, logs):
    sink = make_http_sink(act=lambda number: "store, reset")
    put(logs / "a.log", "one", "two")
    agent.configure(tail(logs / "*.log"), to_http(sink, json_date_key=False, **QUICK)).start()
    wait_until(lambda: sink.texts()[:2] == ["one", "two"])
    agent.kill()
    before = {headers["Idempotency-Key"] for _, headers, _ in sink.requests}
    sink.act = lambda number: 200
    sink.requests.clear()
    agent.start()
    wait_until(lambda: agent.delivered() == 2)
    assert {headers["Idempotency-Key"] for _, headers, _ in sink.requests} <= before


class Raw:
    """A server that keeps bodies as they are."""

    def __init__(self, answer=lambda request, body: (200, b"")):
        self.bodies, self.headers = [], []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, text = answer(self, body)
                outer.headers.append(self.headers)
                outer.bodies.append(body)
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *ignored):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def make_raw():
    made = []

    def make(*arguments):
        made.append(Raw(*arguments))
        return made[-1]
    yield make
    for one in made:
        one.close()


def test_messagepack_says_the_same_as_json_to_another_reader(agent, make_raw, logs):
    msgpack = pytest.importorskip("msgpack", reason="needs python3-msgpack; scripts/deps installs it")
    sink = make_raw()
    objects = [
        {"u": 18446744073709551615, "i": -9223372036854775808, "d": 0.1, "t": True, "f": False, "n": None},
        {"text": "päckchen \U0001F4E6 \"\\\n\t\u0000", "": [], "o": {}, "deep": [[[{"a": [1, -1, 1.5]}]]]},
        {f"k{i}": "v" * i for i in range(300)},
        {"long": ["x" * 70000] * 3, "many": list(range(-70000, 70000, 7))},
    ]
    (logs / "a.log").write_text("".join(json.dumps(one) + "\n" for one in objects))
    agent.configure(tail(logs / "*.log", parser="j"),
                    to_http(sink, format="msgpack", record_id_key="id"),
                    parsers=[{"name": "j", "format": "json"}]).start()
    wait_until(lambda: agent.delivered() == len(objects))
    assert sink.headers[0]["Content-Type"] == "application/msgpack"
    events = [event for body in sink.bodies for event in msgpack.Unpacker(io.BytesIO(body), raw=False,
                                                                          strict_map_key=True)]
    assert [{k: v for k, v in record.items() if k != "id"} for _, record in events] == objects
    assert len({record["id"] for _, record in events}) == len(objects)
    for (stamp, metadata), _ in events:
        assert metadata == {} and stamp.code == 0 and len(stamp.data) == 8
        seconds, nanoseconds = struct.unpack(">II", stamp.data)
        assert abs(seconds - time.time()) < 3600 and nanoseconds < 10**9


def test_tokens_are_fetched_and_renewed(agent, make_raw, logs):
    good = []

    def issue(request, body):
        good.append(f"token-{len(good)}")
        return 200, json.dumps({"access_token": good[-1], "token_type": "Bearer", "expires_in": 3600}).encode()

    issuer = make_raw(issue)
    sink = make_raw(lambda request, body: (200 if request.headers["Authorization"] == f"Bearer {good[-1]}" else 401, b""))
    put(logs / "a.log", "one")
    agent.configure(tail(logs / "*.log"), to_http(sink, **QUICK, **{
        "oauth2.enable": True, "oauth2.token_url": f"http://127.0.0.1:{issuer.port}/token", "oauth2.client_id": "me",
        "oauth2.client_secret": "hushhush"})).start()
    wait_until(lambda: agent.delivered() == 1)
    good.append("revoked all others")
    put(logs / "a.log", "two")
    wait_until(lambda: agent.delivered() == 2)
    assert b"grant_type=client_credentials" in issuer.bodies[0] and b"hushhush" not in issuer.bodies[0]
    assert "hushhush" not in agent.log() and "token-" not in agent.log()
    result = run("check", "-c", agent.conf)
    assert result.returncode == 0 and "hushhush" not in result.stdout + result.stderr
