# SPDX-License-Identifier: Apache-2.0
"""Writes spools as the grammars of agent/spool/format.h and frame.h say, independently of the code that reads them."""
import struct

VERSION, MARK = 1, 0x1234567890ABCDEF
START = 4096


def hash64(text):
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001b3) % 2**64
    return value


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def label(kind, instance, destination, a, b, c, version=VERSION):
    texts = instance.encode(), destination.encode()
    body = struct.pack("<HHQQQQqQQHHI", version, kind, MARK, a, b, c, 0, hash64(instance), hash64(destination),
                       *map(len, texts), 0) + b"".join(text.ljust(216, b"\0") for text in texts)
    return struct.pack("<QI", 0x006c6f6f7073776c, crc32c(body)) + body


def frame(sequence, lines, wall, tag="t", source=0xAB):
    texts = [line.encode() for line in lines]
    names = tag.encode() + b"log"
    origin = struct.pack("<IIII", len(tag), 3, 0, 0) + names
    position, records = 0, b""
    for text in texts:
        records += struct.pack("<qQQIIHBB", wall, position, 2**64 - 1, len(text), len(text) + 1, 0, 0, 0)
        position += len(text) + 1
    payload = struct.pack("<QI", source, len(origin)) + origin + records + b"".join(texts)
    head = struct.pack("<IQqIIHHI", crc32c(payload), sequence, wall, len(payload), len(texts), VERSION, 0, 0)
    whole = struct.pack("<QI", MARK, crc32c(head)) + head + payload
    return whole + bytes(-len(whole) % 8)


class Spool:
    """One shard with one segment: a frame per list of lines."""

    def __init__(self, root, instance, destination, frames, shard=0, version=VERSION):
        self.folder = root / f"{instance}-{hash64(instance):016x}-{hash64(destination):016x}" / str(shard)
        self.folder.mkdir(parents=True)
        slots = (label(1, instance, destination, n, 1, len(frames) + 1, version) for n in (2, 1))
        (self.folder / "state").write_bytes(b"".join(slot.ljust(START, b"\0") for slot in slots))
        self.segment = self.folder / "0000000000000001.seg"
        content = label(2, instance, destination, 1, 0, 0, version).ljust(START, b"\0")
        self.offsets = []  # of the frames
        for number, lines in enumerate(frames, 1):
            self.offsets.append(len(content))
            content += frame(number, lines, 1_700_000_000_000_000_000 + number)
        self.segment.write_bytes(content + bytes(8192))

    def flip(self, offset):
        content = bytearray(self.segment.read_bytes())
        content[offset] ^= 1
        self.segment.write_bytes(content)
