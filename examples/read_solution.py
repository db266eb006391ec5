#!/usr/bin/env python3
"""Reads a solution of ggsolve: the value of a position that is given by its fluents.

    python3 examples/read_solution.py tictactoe.ggs '(cell 1 1 x) (cell 1 2 b) ... (control oplayer)'

Written from grammar/solution-format.md alone, with the standard library only; but before Python 3.14, values by rank
need the module zstandard or the program zstd. Prints the layer and a reward for each role (or `endless`, and where play
can be endless the round; of a solution with distances also the plies to the end), or that no reachable state has exactly these fluents.
"""

import bisect
import hashlib
import importlib
import json
import mmap
import os
import struct
import subprocess
import sys

TERMINALS = 16384  # ids below are terminals
BLOCK = 64  # nodes in a block


def terms(text):
    """The terms of a text, each with single blanks: '( cell 1 2 x )' becomes '(cell 1 2 x)'."""
    found, depth = [], 0
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        depth -= word == ")"
        if depth == 0 and word != ")":
            found.append("")
        found[-1] += ("" if word == ")" or found[-1] == "" or found[-1].endswith("(") else " ") + word
        depth += word == "("
    return found


def unpack(frame):
    """The bytes in a Zstandard frame."""
    for module in ("compression.zstd", "zstandard"):  # the first comes with Python 3.14
        try:
            return importlib.import_module(module).decompress(frame)
        except ImportError:
            continue
    try:
        return subprocess.run(["zstd", "-dcq"], input=frame, stdout=subprocess.PIPE, check=True).stdout
    except FileNotFoundError:
        sys.exit("these values need Python 3.14, the module zstandard or the program zstd")


class LayerFile:
    """The file of a layer, read where it lies."""

    def __init__(self, folder, name, identity):
        with open(os.path.join(folder, name), "rb") as file:
            self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, version, self.kind, _, self.levels, self.root, _, self.nodes = self.read("<8s6IQ", 0)
        if magic != b"GGSOLVE\0" or version not in (1, 2, 3):  # those of later format versions say 3
            sys.exit(f"{name} is no file of a solution in format version 1 to 5")
        if identity and self.bytes[40:72] != identity:
            sys.exit(f"{name} is of another solution")
        self.body = 72 if identity else 40
        if self.kind != 2:  # a diagram: by level from the bottom, the first id and the first entry of the directory
            self.first, self.entry = [TERMINALS], [0]
            for count in self.read(f"<{self.levels}I", self.body):
                self.first.append(self.first[-1] + count)
                self.entry.append(self.entry[-1] + (count + BLOCK - 1) // BLOCK)

    def read(self, fields, start):
        return struct.unpack_from(fields, self.bytes, start)

    def bits(self, start, bit, width):
        """`width` bits from a bit behind a byte on."""
        start += bit // 8
        return int.from_bytes(self.bytes[start : start + 9], "little") >> bit % 8 & (1 << width) - 1

    def level(self, node):
        """0 is the top; terminals are below all levels."""
        return self.levels if node < TERMINALS else self.levels - bisect.bisect_right(self.first, node)

    def children(self, node):
        """The nodes for a false and a true variable."""
        from_bottom = self.levels - 1 - self.level(node)
        block, index = divmod(node - self.first[from_bottom], BLOCK)
        directory = self.body + 4 * self.levels
        lo_base, hi_base, last = self.read("<IIQ", directory + 16 * (self.entry[from_bottom] + block))
        lo, hi, start = last & 63, last >> 6 & 63, directory + 16 * self.entry[-1] + (last >> 12)
        return lo_base + self.bits(start, index * (lo + hi), lo), hi_base + self.bits(start, index * (lo + hi) + lo, hi)

    def path(self, levels):
        """In a set, the terminal (0: it is not in the set) and the nodes left for their second child on the way."""
        node, next_level, path = self.root, 0, []
        while node != 0 and not any(levels[next_level : self.level(node)]):  # a level that is skipped is false
            if node < TERMINALS:
                return node, path
            next_level = self.level(node) + 1
            path += [node] if levels[next_level - 1] else []
            node = self.children(node)[levels[next_level - 1]]
        return 0, path

    def value(self, levels):
        """In a diagram of values, a level that is skipped does not matter."""
        node = self.root
        while node >= TERMINALS:
            node = self.children(node)[levels[self.level(node)]]
        return node

    def ranked_value(self, path):
        """In a file of values by rank, which the path among the states gives."""
        states, number, log, size = self.read("<QIIQ", self.body)
        directory, rank = self.body + 24 + 4 * number, 0
        data = directory + 16 * ((self.nodes + BLOCK - 1) // BLOCK)
        for node in path:
            block, index = divmod(node - TERMINALS, BLOCK)
            least, last = self.read("<QQ", directory + 16 * block)
            rank += least + self.bits(data + (last >> 6), index * (last & 63), last & 63)
        block, index = divmod(rank, 1 << log)
        ends = len(self.bytes) - 32 - 8 * (-(-states >> log))
        start, end = (self.read("<Q", ends + 8 * b)[0] if b >= 0 else 0 for b in (block - 1, block))
        codes, width = self.bytes[data + size + start : data + size + end], (number - 1).bit_length()
        if len(codes) < (min(1 << log, states - (block << log)) * width + 7) // 8:
            codes = unpack(codes)
        code = int.from_bytes(codes, "little") >> index * width & (1 << width) - 1
        return self.read("<I", self.body + 24 + 4 * code)[0]


def settled(folder, manifest, levels, identity):
    """The value of a state among all of them, and the round that settled it."""
    record, number = manifest.get("settled") or {"rounds_files": []}, 0
    terminals = [LayerFile(folder, file["name"], identity).path(levels)[0] for file in record["rounds_files"]]
    if manifest["phase"] != "complete" and 0 in (terminals or [0]):
        sys.exit("this state is not solved yet")
    value, _ = LayerFile(folder, record["outcomes_file"]["name"], identity).path(levels)
    if value > len(manifest["rewards"]):
        return "endless"
    for terminal in reversed(terminals):
        number = number * record["base"] + terminal - 1
    text = worth(manifest, manifest["rewards"][value - 1]) + f", round {number}"
    if record.get("plies_file"):
        return text + f", {LayerFile(folder, record['plies_file']['name'], identity).path(levels)[0] - 1} plies to the end"
    return text


def worth(manifest, rewards):
    return ", ".join(f"{role} {reward}" for role, reward in zip(manifest["roles"], rewards))


def meaning(manifest, layer, value):
    """What a value id of a layer stands for."""
    if not manifest.get("distances"):
        return worth(manifest, manifest["rewards"][value - 1])
    # The ids go to the ends of the layers, from the last one to the first.
    ends = [(last["layer"], end["rewards"]) for last in reversed(manifest["layers"]) for end in last["ends"]]
    end, rewards = ends[value - 1]
    return f"{worth(manifest, rewards)}, {end - layer} plies to the end"


def main(folder, fluents):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        text = file.read()
    manifest = json.loads(text)
    if manifest["format"] != "ggsolve solution" or manifest["version"] not in (1, 2, 3, 4, 5):
        sys.exit("not a solution of ggsolve in format version 1 to 5")
    if hashlib.sha256(text.replace(manifest["checksum"], "0" * 64, 1).encode()).hexdigest() != manifest["checksum"]:
        sys.exit("manifest.json is damaged")
    identity, values_identity = None, None  # before format version 3, files do not say which solution they are of
    if manifest["version"] >= 3:
        identity, more = bytes.fromhex(manifest["id"]), " distances" if manifest.get("distances") else ""
        values_identity = hashlib.sha256(f"{manifest['id']} {manifest['opponent_model']}{more}".encode()).digest()
    names, defaults = manifest["variables"], manifest["defaults"]
    for name in sorted(fluents - set(names) - {default["fluent"] for default in defaults}):
        sys.exit(f"unknown fluent {name}")
    levels = [name in fluents for name in names]  # by level, whether its fluent holds
    fits = ((default["fluent"] in fluents) != any(levels[k] for k in default["unless"]) for default in defaults)
    for layer in manifest["layers"] if all(fits) else []:
        found, path = LayerFile(folder, layer["states_file"]["name"], identity).path(levels)
        if found:
            if manifest["algorithm"] == "global":
                sys.exit(print(f"layer {layer['layer']}: {settled(folder, manifest, levels, values_identity)}"))
            if layer["values_file"] is None:
                sys.exit(f"layer {layer['layer']} is not solved yet")
            values = LayerFile(folder, layer["values_file"]["name"], values_identity)
            value = values.value(levels) if values.kind == 1 else values.ranked_value(path)
            sys.exit(print(f"layer {layer['layer']}: {meaning(manifest, layer['layer'], value)}"))
    sys.exit("no reachable state has exactly these fluents")


if __name__ == "__main__":
    main(sys.argv[1], set(terms(" ".join(sys.argv[2:])))) if len(sys.argv) > 2 else sys.exit(__doc__)
