// The states of a layer as a diagram, read from the bytes of its file (grammar/solution-format.md). It gives the rank
// of a state, and the state with a rank.

const TERMINALS = 16384;
const BLOCK = 64;

export class Diagram {
  constructor(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const word = (at) => view.getUint32(at, true);
    // Before version 3 the header had no identity.
    let at = word(8) < 3 ? 40 : 72;
    this.levels = word(20);
    this.root = word(24);
    const nodes = word(32);
    this.low = new Uint32Array(nodes);
    this.high = new Uint32Array(nodes);
    this.level = new Uint32Array(nodes);
    const counts = Array.from({ length: this.levels }, (_, index) => word(at + 4 * index));
    at += 4 * this.levels;
    const data = at + 16 * counts.reduce((sum, count) => sum + Math.ceil(count / BLOCK), 0);
    const bits = (from, width) => {
      let value = 0;
      for (let got = 0; got < width;) {
        const shift = (from + got) & 7;
        const take = Math.min(8 - shift, width - got);
        value += ((bytes[(from + got) >>> 3] >>> shift) & ((1 << take) - 1)) * 2 ** got;
        got += take;
      }
      return value;
    };
    let node = 0;
    counts.forEach((count, index) => {
      for (let first = 0; first < count; first += BLOCK, at += 16) {
        const [lowBase, highBase, widths, above] = [word(at), word(at + 4), word(at + 8), word(at + 12)];
        const [lowWidth, highWidth] = [widths & 63, (widths >>> 6) & 63];
        const start = 8 * (data + (widths >>> 12) + above * 2 ** 20);
        for (let inside = 0; inside < Math.min(BLOCK, count - first); inside += 1, node += 1) {
          const from = start + inside * (lowWidth + highWidth);
          this.low[node] = lowBase + bits(from, lowWidth);
          this.high[node] = highBase + bits(from + lowWidth, highWidth);
          this.level[node] = this.levels - 1 - index;
        }
      }
    });
    // Number of states below each node. Children come before their node.
    this.below = new Float64Array(nodes);
    for (node = 0; node < nodes; node += 1) this.below[node] = this.count(this.low[node]) + this.count(this.high[node]);
  }

  /** Number of states below a node or a terminal. */
  count(node) {
    return node < TERMINALS ? node : this.below[node - TERMINALS];
  }

  /** The rank of a state, given as a truth value for each level; null if it is not in the layer. */
  rank(state) {
    let [node, next, rank] = [this.root, 0, 0];
    for (;;) {
      const level = node < TERMINALS ? this.levels : this.level[node - TERMINALS];
      // A level that is skipped is false.
      for (; next < level; next += 1) if (state[next]) return null;
      if (node < TERMINALS) return node ? rank : null;
      const [low, high] = [this.low[node - TERMINALS], this.high[node - TERMINALS]];
      if (state[level]) rank += this.count(low);
      node = state[level] ? high : low;
      next = level + 1;
    }
  }

  /** The state with a rank. */
  state(rank) {
    const state = new Uint8Array(this.levels);
    let [node, left] = [this.root, rank];
    while (node >= TERMINALS) {
      const low = this.low[node - TERMINALS];
      const isLow = left < this.count(low);
      if (!isLow) left -= this.count(low);
      state[this.level[node - TERMINALS]] = isLow ? 0 : 1;
      node = isLow ? low : this.high[node - TERMINALS];
    }
    return state;
  }
}
