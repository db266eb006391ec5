#!/usr/bin/env python3
"""Reads a solution of ggsolve: the value of a position that is given by its fluents.

    python3 examples/read_solution.py tictactoe.ggs '(cell 1 1 x) (cell 1 2 b) ... (control oplayer)'

Written from grammar/solution-format.md alone, with the standard library only. Prints the layer and a reward for each
role, or that no reachable state has exactly these fluents.
"""

import bisect
import hashlib
import json
import mmap
import os
import struct
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
        glue = "" if word == ")" or found[-1] in ("",) or found[-1].endswith("(") else " "
        found[-1] += glue + word
        depth += word == "("
    return found


class Manifest:
    """manifest.json, with its checksum looked at."""

    def __init__(self, folder):
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            text = file.read()
        self.fields = json.loads(text)
        if self.fields["format"] != "ggsolve solution" or self.fields["version"] != 1:
            sys.exit("not a solution of ggsolve in format version 1")
        checksum = self.fields["checksum"]
        if hashlib.sha256(text.replace(checksum, "0" * 64, 1).encode()).hexdigest() != checksum:
            sys.exit("manifest.json is damaged")

    def assignment(self, fluents):
        """By level whether its fluent holds; None if the fluents without a level do not fit."""
        levels = [name in fluents for name in self.fields["variables"]]
        for default in self.fields["defaults"]:
            if (default["fluent"] in fluents) == any(levels[level] for level in default["unless"]):
                return None
        return levels

    def unknown(self, fluents):
        """The fluents that the game does not have."""
        known = set(self.fields["variables"]) | {default["fluent"] for default in self.fields["defaults"]}
        return sorted(fluents - known)


class Diagram:
    """The diagram of a layer file, read node by node where it lies."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, version, _, _, self.levels, self.root, _, _ = struct.unpack_from("<8s6IQ", self.bytes)
        if magic != b"GGSOLVE\0" or version != 1:
            sys.exit(f"{path} is no layer of a solution in format version 1")
        counts = struct.unpack_from(f"<{self.levels}I", self.bytes, 40)  # from the bottom level up
        # By level from the bottom: the first id, and the first entry of the directory.
        self.first, self.entry = [TERMINALS], [0]
        for count in counts:
            self.first.append(self.first[-1] + count)
            self.entry.append(self.entry[-1] + (count + BLOCK - 1) // BLOCK)
        self.directory = 40 + 4 * self.levels
        self.data = self.directory + 16 * self.entry[-1]

    def level(self, node):
        """0 is the top; terminals are below all levels."""
        if node < TERMINALS:
            return self.levels
        return self.levels - bisect.bisect_right(self.first, node)

    def children(self, node):
        """The nodes for a false and a true variable."""
        from_bottom = self.levels - 1 - self.level(node)
        block, index = divmod(node - self.first[from_bottom], BLOCK)
        lo_base, hi_base, last = struct.unpack_from(
            "<IIQ", self.bytes, self.directory + 16 * (self.entry[from_bottom] + block)
        )
        lo_width, hi_width, offset = last & 63, last >> 6 & 63, last >> 12
        bit = index * (lo_width + hi_width)
        start = self.data + offset + bit // 8
        word = int.from_bytes(self.bytes[start : start + 9], "little") >> bit % 8
        lo = word & (1 << lo_width) - 1
        hi = word >> lo_width & (1 << hi_width) - 1
        return lo_base + lo, hi_base + hi

    def contains(self, levels):
        """In a set of states, a level that is skipped has to be false."""
        node, next_level = self.root, 0
        while True:
            level = self.level(node)
            if node == 0 or any(levels[next_level:level]):
                return False
            if node < TERMINALS:
                return True
            node, next_level = self.children(node)[levels[level]], level + 1

    def value(self, levels):
        """In a diagram of values, a level that is skipped does not matter."""
        node = self.root
        while node >= TERMINALS:
            node = self.children(node)[levels[self.level(node)]]
        return node


def main(folder, text):
    manifest = Manifest(folder)
    fluents = set(terms(text))
    for name in manifest.unknown(fluents):
        sys.exit(f"unknown fluent {name}")
    levels = manifest.assignment(fluents)
    for layer in manifest.fields["layers"] if levels is not None else []:
        if Diagram(os.path.join(folder, layer["states_file"]["name"])).contains(levels):
            if layer["values_file"] is None:
                sys.exit(f"layer {layer['layer']} is not solved yet")
            value = Diagram(os.path.join(folder, layer["values_file"]["name"])).value(levels)
            rewards = manifest.fields["rewards"][value - 1]
            pairs = (f"{role} {reward}" for role, reward in zip(manifest.fields["roles"], rewards))
            print(f"layer {layer['layer']}: {', '.join(pairs)}")
            return
    sys.exit("no reachable state has exactly these fluents")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], " ".join(sys.argv[2:]))
