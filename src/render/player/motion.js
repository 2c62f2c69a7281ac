// The motion: reads what the page carries, and makes positions and normals for any time.

async function inflate(base64) {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Whole numbers, each as its difference to the one before (zigzag: small ones of both signs have small codes), byte 0 of
// all first, then byte 1 and so on.
async function readIntegers(base64) {
  const bytes = await inflate(base64), count = bytes.length / 4, out = new Int32Array(count);
  let last = 0;
  for (let i = 0; i < count; ++i) {
    const code = (bytes[i] | bytes[count + i] << 8 | bytes[2 * count + i] << 16 | bytes[3 * count + i] << 24) >>> 0;
    last += (code >>> 1) ^ -(code & 1);
    out[i] = last;
  }
  return out;
}

class Motion {
  constructor(meta) {
    this.meta = meta;
    this.vertices = meta.vertices;
    this.frames = [];  // Uint16Array: x of all vertices, then y, then z
    this.values = [];  // Uint8Array
    const n = this.vertices;
    this.low = new Float32Array(3 * n);
    this.step = new Float32Array(3 * n);
    for (const body of meta.bodies) {
      for (let axis = 0; axis < 3; ++axis) {
        const from = axis * n + body.first;
        this.low.fill(body.low[axis], from, from + body.count);
        this.step.fill((body.high[axis] - body.low[axis]) / 65535, from, from + body.count);
      }
    }
  }

  async readShape(texts) {
    this.triangles = await readIntegers(texts.triangles);
    this.triangleNormals = await readIntegers(texts.normals);
    this.normalVertex = await readIntegers(texts.vertices);
    const strands = await readIntegers(texts.strands);
    this.strands = [];
    for (let i = 0; i < strands.length;) {
      const count = strands[i + 1];
      this.strands.push({body: strands[i], vertices: strands.subarray(i + 2, i + 2 + count)});
      i += 2 + count;
    }
    this.sides = this.strands.length > 100 ? 5 : 8;
    this.layOut();
  }

  // A chunk has the frames one after another; positions as differences to what was foretold from the frames before:
  // order 1: the same place, order 2: the same velocity.
  async readChunk(base64, order, count) {
    const n = 3 * this.vertices, bytes = await inflate(base64);
    for (let f = 0; f < count; ++f) {
      const frame = new Uint16Array(n), k = this.frames.length;
      const a = k > 0 ? this.frames[k - 1] : null, b = k > 1 && order === 2 ? this.frames[k - 2] : a;
      let beside = 0;
      for (let i = 0; i < n; ++i) {
        const code = bytes[f * n + i] | bytes[(count + f) * n + i] << 8;
        const difference = (code >>> 1) ^ -(code & 1);
        const foretold = a ? (order === 2 ? 2 * a[i] - b[i] : a[i]) : beside;
        frame[i] = beside = (foretold + difference) & 0xffff;
      }
      this.frames.push(frame);
      if (this.meta.values) {
        const v = this.vertices, from = 2 * count * n + f * v, before = k > 0 ? this.values[k - 1] : null;
        const values = new Uint8Array(v);
        for (let i = 0; i < v; ++i) values[i] = (bytes[from + i] + (before ? before[i] : 0)) & 0xff;
        this.values.push(values);
      }
    }
  }

  // Vertices for drawing: one per normal of the surfaces, then the rings of the tubes.
  layOut() {
    const rings = 6, s = this.sides;  // six rings are the two ends
    let count = this.normalVertex.length, corners = this.triangles.length;
    for (const strand of this.strands) {
      strand.first = count;
      count += s * (strand.vertices.length + rings);
      corners += 6 * s * (strand.vertices.length + rings - 1);
    }
    this.drawn = new Float32Array(6 * count);
    this.drawnValues = new Float32Array(count);
    this.colors = new Uint8Array(4 * count);
    this.indices = new Uint32Array(corners);
    this.indices.set(this.triangleNormals);
    const kinds = {cloth: 0, solid: 1, rope: 2};
    const paint = (i, body) => {
      for (let c = 0; c < 3; ++c) this.colors[4 * i + c] = Math.round(255 * body.color[c]);
      this.colors[4 * i + 3] = kinds[body.kind];
    };
    const bodyOf = new Int32Array(this.vertices);
    this.meta.bodies.forEach((body, b) => bodyOf.fill(b, body.first, body.first + body.count));
    this.normalVertex.forEach((vertex, i) => paint(i, this.meta.bodies[bodyOf[vertex]]));
    let corner = this.triangles.length;
    for (const strand of this.strands) {
      const all = strand.vertices.length + rings;
      for (let i = 0; i < all * s; ++i) paint(strand.first + i, this.meta.bodies[strand.body]);
      for (let ring = 0; ring + 1 < all; ++ring) {
        for (let k = 0; k < s; ++k) {
          const a = strand.first + ring * s + k, b = strand.first + ring * s + (k + 1) % s;
          this.indices.set([a, b, b + s, a, b + s, a + s], corner);
          corner += 6;
        }
      }
    }
    const seen = new Set(), edges = [];  // for the wireframe, each edge once
    for (let t = 0; t < this.triangles.length; t += 3) {
      for (let k = 0; k < 3; ++k) {
        const a = this.triangles[t + k], b = this.triangles[t + (k + 1) % 3];
        const name = Math.min(a, b) * this.vertices + Math.max(a, b);
        if (seen.has(name)) continue;
        seen.add(name);
        edges.push(this.triangleNormals[t + k], this.triangleNormals[t + (k + 1) % 3]);
      }
    }
    this.edges = new Uint32Array(edges);
    this.positions = new Float32Array(3 * this.vertices);
  }

  // Fills `drawn` (position and normal) for a place between frames.
  show(place) {
    const last = this.frames.length - 1, i = Math.max(0, Math.min(last, Math.floor(place)));
    const part = Math.max(0, Math.min(1, place - i)), n = this.vertices, x = this.positions;
    const a = this.frames[i], b = this.frames[Math.min(last, i + 1)];
    for (let axis = 0; axis < 3; ++axis) {
      for (let v = 0, k = axis * n; v < n; ++v, ++k) {
        x[3 * v + axis] = this.low[k] + this.step[k] * (a[k] + part * (b[k] - a[k]));
      }
    }
    const d = this.drawn, groups = this.normalVertex;
    for (let g = 0; g < groups.length; ++g) {
      const v = 3 * groups[g];
      d[6 * g] = x[v];
      d[6 * g + 1] = x[v + 1];
      d[6 * g + 2] = x[v + 2];
      d[6 * g + 3] = d[6 * g + 4] = d[6 * g + 5] = 0;
    }
    const t = this.triangles, tn = this.triangleNormals;
    for (let k = 0; k < t.length; k += 3) {
      const p = 3 * t[k], q = 3 * t[k + 1], r = 3 * t[k + 2];
      const ux = x[q] - x[p], uy = x[q + 1] - x[p + 1], uz = x[q + 2] - x[p + 2];
      const vx = x[r] - x[p], vy = x[r + 1] - x[p + 1], vz = x[r + 2] - x[p + 2];
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      for (let c = 0; c < 3; ++c) {
        const g = 6 * tn[k + c];
        d[g + 3] += nx;
        d[g + 4] += ny;
        d[g + 5] += nz;
      }
    }
    for (let g = 0; g < groups.length; ++g) {
      const at = 6 * g + 3, size = Math.hypot(d[at], d[at + 1], d[at + 2]) || 1;
      d[at] /= size;
      d[at + 1] /= size;
      d[at + 2] /= size;
    }
    for (const strand of this.strands) this.showTube(strand);
    if (this.meta.values) this.showValues(i, Math.min(last, i + 1), part);
  }

  showTube(strand) {
    const x = this.positions, d = this.drawn, s = this.sides, radius = this.meta.tube_radius, count = strand.vertices.length;
    const point = i => { const v = 3 * strand.vertices[i]; return [x[v], x[v + 1], x[v + 2]]; };
    let along = unit(minus(point(1), point(0)));
    let across = unit(cross(along, Math.abs(along[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]));
    let out = 6 * strand.first;
    const ring = (center, tilt) => {
      const other = cross(along, across), c = Math.cos(tilt), t = Math.sin(tilt);
      for (let k = 0; k < s; ++k) {
        const angle = 2 * Math.PI * k / s, ca = Math.cos(angle) * c, sa = Math.sin(angle) * c;
        for (let axis = 0; axis < 3; ++axis) {
          const normal = across[axis] * ca + other[axis] * sa + along[axis] * t;
          d[out + axis] = center[axis] + radius * normal;
          d[out + 3 + axis] = normal;
        }
        out += 6;
      }
    };
    for (const tilt of [-1.5, -1.05, -0.52]) ring(point(0), tilt);
    for (let i = 0; i < count; ++i) {
      const here = point(i);
      const before = i > 0 ? unit(minus(here, point(i - 1))) : along;
      const after = i + 1 < count ? unit(minus(point(i + 1), here)) : before;
      const sum = plus(before, after);
      along = Math.hypot(...sum) > 0.1 ? unit(sum) : before;
      across = unit(minus(across, times(along, dot(across, along))));
      ring(here, 0);
    }
    for (const tilt of [0.52, 1.05, 1.5]) ring(point(count - 1), tilt);
  }

  showValues(i, j, part) {
    const a = this.values[i], b = this.values[j], s = this.sides;
    const value = v => (a[v] + part * (b[v] - a[v])) / 255;
    for (let g = 0; g < this.normalVertex.length; ++g) this.drawnValues[g] = value(this.normalVertex[g]);
    for (const strand of this.strands) {
      const count = strand.vertices.length;
      for (let ring = 0; ring < count + 6; ++ring) {
        const of = value(strand.vertices[Math.max(0, Math.min(count - 1, ring - 3))]);
        this.drawnValues.fill(of, strand.first + ring * s, strand.first + (ring + 1) * s);
      }
    }
  }
}
