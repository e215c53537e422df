# SPDX-License-Identifier: Apache-2.0
"""Peers for outputs: TCP and HTTP servers that keep the lines they were sent and can misbehave."""
import gzip
import http.server
import json
import socket
import struct
import threading

from waiting import free_port


class TcpSink:
    """Keeps complete lines in the order in which they came. Down, it refuses; it can reset, stall, or end politely."""

    def __init__(self, up=True, receive_buffer=0):
        self.port = free_port()
        self.receive_buffer = receive_buffer
        self.lines = []              # of all connections
        self.connections = 0         # so far
        self.reading = threading.Event()
        self.reading.set()
        self._reset_after = None     # bytes, of the next connection that gets so far
        self._lock = threading.Lock()
        self._listener, self._open = None, []
        if up:
            self.up()

    def up(self):
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if self.receive_buffer:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_buffer)
        self._listener.bind(("127.0.0.1", self.port))
        self._listener.listen(64)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()
        return self

    def down(self, reset=True):
        """Stops listening and breaks every connection: with a reset, or in order."""
        listener, self._listener = self._listener, None
        if listener:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        self.break_connections(reset)

    def break_connections(self, reset=True):
        with self._lock:
            connections, self._open = self._open, []
        for connection in connections:
            _end(connection, reset)

    def reset_after(self, size):
        """The connection that first has received `size` more bytes is reset; bytes behind them are lost."""
        self._reset_after = size

    def texts(self, key="log"):
        return [record.get(key) for record in self.records()]

    def records(self):
        return [json.loads(line) for line in list(self.lines)]

    def close(self):
        self.reading.set()
        self.down()

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with self._lock:
                self._open.append(connection)
                self.connections += 1
            threading.Thread(target=self._read, args=(connection,), daemon=True).start()

    def _read(self, connection):
        rest, size = b"", 0
        try:
            while True:
                self.reading.wait()
                part = connection.recv(1 << 16)
                if not part:
                    break
                size += len(part)
                *lines, rest = (rest + part).split(b"\n")
                with self._lock:
                    self.lines += lines
                if self._reset_after is not None and size >= self._reset_after:
                    self._reset_after = None
                    _end(connection, reset=True)
                    return
        except OSError:
            pass
        with self._lock:
            if connection in self._open:
                self._open.remove(connection)
        connection.close()


def _end(connection, reset):
    """Closes for good while another thread may wait in recv: the shutdown wakes it, and the last close sends the reset."""
    try:
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RD if reset else socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()


class HttpSink:
    """Keeps the lines of bodies that it answered with 2xx, or stored before it broke the connection.

    `act` says what becomes of a request, by its number from 1: a status, (status, headers), "reset" or "store, reset".
    """

    def __init__(self, up=True, act=lambda number: 200, tls=None, host="127.0.0.1"):
        self.host, self.port, self.act, self.tls = host, free_port(), act, tls
        self.lines = []
        self.requests = []           # (status or word, headers, size)
        self._lock = threading.Lock()
        self._server = None
        if up:
            self.up()

    def up(self):
        sink = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                sink._serve(self)

            def log_message(self, *ignored):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def get_request(self):
                connection, peer = super().get_request()
                sink._open.append(connection)
                return connection, peer

            def finish_request(self, connection, peer):
                if sink.tls:
                    connection = sink.tls.wrap_socket(connection, server_side=True)
                super().finish_request(connection, peer)

            def handle_error(self, *ignored):
                pass

        self._open = []
        self._server = Server((self.host, self.port), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def down(self):
        server, self._server = self._server, None
        if server:
            server.shutdown()
            server.server_close()
            for connection in self._open:
                _end(connection, reset=True)

    close = down

    def texts(self, key="log"):
        return [json.loads(line).get(key) for line in list(self.lines)]

    def _serve(self, request):
        body = request.rfile.read(int(request.headers["Content-Length"]))
        with self._lock:
            act = self.act(len(self.requests) + 1)
            status, headers = act if isinstance(act, tuple) else (act, {})
            self.requests.append((status, request.headers, len(body)))
            if status == "store, reset" or status in range(200, 300):
                self.lines += _opened(body, request.headers.get("Content-Encoding")).splitlines()
        if isinstance(status, str):
            request.close_connection = True
            _end(request.connection, reset=True)
            return
        request.send_response(status)
        for name, value in {**headers, "Content-Length": "0"}.items():
            request.send_header(name, value)
        request.end_headers()


def _opened(body, encoding):
    return gzip.decompress(body) if encoding == "gzip" else body
