// format.js - reads recording files; their layout is docs/recording.md.
import {unzlibSync} from "fflate";
import {decompress as zstd} from "fzstd";

const MAGIC = "CAIRNREC";
const VERSION = 2;
const HEADER = 16;       // bytes before the first chunk
const CHUNK_HEADER = 32; // bytes before the stored bytes of a chunk
const BODY_COLUMNS = 14; // position 3, rotation 4, velocity 3, angular velocity 3, island 1
const CONTACT_COLUMNS = 12;

const CRC_TABLE = Uint32Array.from({length: 256}, (_, n) => {
    for (let k = 0; k < 8; ++k) {
        n = n & 1 ? 0xEDB88320 ^ (n >>> 1) : n >>> 1;
    }
    return n >>> 0;
});

export function crc32(...parts) {
    let crc = 0xFFFFFFFF;
    for (const bytes of parts) {
        for (let i = 0; i < bytes.length; ++i) {
            crc = CRC_TABLE[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
        }
    }
    return (crc ^ 0xFFFFFFFF) >>> 0;
}

const text = (bytes) => new TextDecoder().decode(bytes);
const view = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const size = (data, at) => data.getUint32(at, true) + 2 ** 32 * data.getUint32(at + 4, true);

export class FormatError extends Error {}

export function checkHeader(bytes) {
    if (bytes.length < HEADER || text(bytes.subarray(0, 8)) !== MAGIC) {
        throw new FormatError("This is not a recording of Cairn: it does not begin with CAIRNREC.");
    }
    const version = view(bytes).getUint32(8, true);
    if (version !== VERSION) {
        throw new FormatError(`This recording has version ${version} of the format; this page reads version ${VERSION}. Open it with the cairn that recorded it, or record the run again.`);
    }
    return HEADER;
}

// The chunk at an offset: {kind, codec, stored, next}. null: it is cut off there, or damaged.
export function readChunk(bytes, at) {
    if (at + CHUNK_HEADER > bytes.length) {
        return null;
    }
    const head = bytes.subarray(at, at + CHUNK_HEADER);
    const data = view(head);
    const [storedSize, rawSize] = [size(data, 8), size(data, 16)];
    const next = at + CHUNK_HEADER + Math.ceil(storedSize / 8) * 8;
    if (next > bytes.length) {
        return null;
    }
    const stored = bytes.subarray(at + CHUNK_HEADER, at + CHUNK_HEADER + storedSize);
    if (crc32(head.subarray(0, 24), stored) !== data.getUint32(24, true)) {
        return null;
    }
    return {kind: text(head.subarray(0, 4)), codec: data.getUint32(4, true), stored, rawSize, next};
}

export function unpack(chunk) {
    if (chunk.codec === 0) {
        return chunk.stored;
    }
    if (chunk.codec === 1) {
        return zstd(chunk.stored, new Uint8Array(chunk.rawSize));
    }
    if (chunk.codec === 2) {
        return unzlibSync(chunk.stored, {out: new Uint8Array(chunk.rawSize)});
    }
    throw new FormatError(`A chunk is compressed by codec ${chunk.codec}; this page reads 0 (none), 1 (zstd) and 2 (zlib).`);
}

export function readJson(chunk) {
    return JSON.parse(text(unpack(chunk)));
}

export function readMeshes(head, bytes) {
    const data = bytes.slice(); // aligned
    return head.meshes.map(({vertices, triangles, offset}) => ({
        vertices: new Float32Array(data.buffer, offset, 3 * vertices),
        indices: new Uint32Array(data.buffer, offset + 12 * vertices, 3 * triangles),
    }));
}

// Takes numbers from raw bytes one array after the other.
class Cursor {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;
    }

    take(length) {
        const part = this.bytes.slice(this.at, this.at + length); // a copy is aligned
        this.at += length;
        return part.buffer;
    }

    u32(count) { return new Uint32Array(this.take(4 * count)); }
    f64(count) { return new Float64Array(this.take(8 * count)); }
    u64(count) { return new BigUint64Array(this.take(8 * count)); }
    u8(count) { return new Uint8Array(this.take(count)); }

    // n numbers of four bytes, stored as planes of equal significance
    planes(count) {
        const b = this.bytes, at = this.at, out = new Int32Array(count);
        for (let i = 0; i < count; ++i) {
            out[i] = b[at + i] | b[at + count + i] << 8 | b[at + 2 * count + i] << 16 | b[at + 3 * count + i] << 24;
        }
        this.at += 4 * count;
        return out;
    }

    floats(count) { return new Float32Array(this.planes(count).buffer); }
}

// What plots and the timeline need of a chunk of frames; bodies and contacts come with readFrames().
export function readSummary(raw) {
    const cursor = new Cursor(raw);
    const [count, bodies, joints, scalarCount, contactCount, freshCount, contactEvery] = cursor.u32(8);
    const changeCounts = [...cursor.u32(CONTACT_COLUMNS)];
    const quanta = cursor.f64(4);
    const time = cursor.f64(count), step = cursor.u64(count);
    cursor.u64(count); // hashes
    const scalars = cursor.f64(scalarCount * count);
    const worst = cursor.u32(count);
    return {count, bodies, joints, scalarCount, contactCount, freshCount, contactEvery: Math.max(contactEvery, 1), changeCounts, quanta, time, step, scalars, worst, end: cursor.at};
}

function readBodies(cursor, {bodies, count, quanta}) {
    const coded = cursor.planes(BODY_COLUMNS * bodies * count);
    const columns = [[3, quanta[0]], [4, quanta[1]], [3, quanta[2]], [3, quanta[3]]];
    const place = [];
    columns.forEach(([width], k) => {
        for (let c = 0; c < width; ++c) {
            place.push([k, c, width]);
        }
    });
    const out = columns.map(([width]) => new Float32Array(width * bodies * count));
    const island = new Int32Array(bodies * count);
    let at = 0;
    for (let column = 0; column < BODY_COLUMNS; ++column) {
        const isIsland = column === BODY_COLUMNS - 1;
        const [kind, component, width] = isIsland ? [0, 0, 1] : place[column];
        const target = isIsland ? island : out[kind];
        const quantum = isIsland ? 1 : columns[kind][1];
        for (let body = 0; body < bodies; ++body) {
            let q = 0;
            for (let f = 0; f < count; ++f) {
                const z = coded[at++];
                q = (q + ((z >>> 1) ^ -(z & 1))) | 0;
                target[(f * bodies + body) * width + component] = q * quantum;
            }
        }
    }
    return {position: out[0], rotation: out[1], velocity: out[2], angularVelocity: out[3], island};
}

// Integers in the order of floats, and back (docs/recording.md, "Contacts").
const unzigzag = (z) => (z >>> 1) ^ -(z & 1);

// Contacts of all frames; starts: of each frame. Each takes over what did not change from its source in the frame before.
function readContacts(cursor, {contactCount: count, freshCount, changeCounts}, starts) {
    const sources = cursor.planes(count);
    const masks = cursor.u8(2 * count);
    const fresh = [cursor.planes(freshCount), cursor.planes(freshCount)];
    const changes = changeCounts.map((changed) => cursor.planes(changed));
    const places = new Uint32Array(CONTACT_COLUMNS);
    const bodyA = new Int32Array(count), bodyB = new Int32Array(count);
    const codes = new Int32Array(CONTACT_COLUMNS * count); // column by column within a contact
    let born = 0;
    for (let f = 0; f + 1 < starts.length; ++f) {
        let next = f === 0 ? 0 : starts[f - 1];
        for (let i = starts[f]; i < starts[f + 1]; ++i) {
            const at = CONTACT_COLUMNS * i;
            if (sources[i] === 1) {
                bodyA[i] = fresh[0][born];
                bodyB[i] = fresh[1][born++];
            } else {
                const source = next + (sources[i] === 0 ? 0 : sources[i] - 1);
                if (source >= starts[f]) {
                    throw new FormatError("The contacts of this recording contradict themselves.");
                }
                bodyA[i] = bodyA[source];
                bodyB[i] = bodyB[source];
                const from = CONTACT_COLUMNS * source;
                for (let k = 0; k < CONTACT_COLUMNS; ++k) {
                    codes[at + k] = codes[from + k];
                }
                next = source + 1;
            }
            const mask = masks[i] | masks[count + i] << 8;
            for (let k = 0, bits = mask; bits !== 0; ++k, bits >>= 1) {
                if (bits & 1) {
                    codes[at + k] += unzigzag(changes[k][places[k]++]); // an Int32Array wraps around
                }
            }
        }
    }
    for (let i = 0; i < codes.length; ++i) {
        if (codes[i] < 0) {
            codes[i] = -codes[i] | 0x80000000;
        }
    }
    const numbers = new Float32Array(codes.buffer);
    const gather = (first, width) => {
        const out = new Float32Array(width * count);
        for (let i = 0; i < count; ++i) {
            for (let c = 0; c < width; ++c) {
                out[width * i + c] = numbers[CONTACT_COLUMNS * i + first + c];
            }
        }
        return out;
    };
    return {bodyA, bodyB, point: gather(0, 3), normal: gather(3, 3), force: gather(6, 3), gap: gather(9, 1), friction: gather(10, 1), residual: gather(11, 1)};
}

function readJoints(cursor, {joints, count}) {
    const columns = cursor.floats(6 * joints * count);
    const gather = (first) => {
        const out = new Float32Array(3 * joints * count);
        for (let c = 0; c < 3; ++c) {
            for (let j = 0; j < joints; ++j) {
                for (let f = 0; f < count; ++f) {
                    out[(f * joints + j) * 3 + c] = columns[((first + c) * joints + j) * count + f];
                }
            }
        }
        return out;
    };
    return {force: gather(0), torque: gather(3)};
}

function framesFirst(flags, things, count) {
    const out = new Uint8Array(things * count);
    for (let i = 0; i < things; ++i) {
        for (let f = 0; f < count; ++f) {
            out[f * things + i] = flags[i * count + f];
        }
    }
    return out;
}

// All of a chunk, frame after frame: numbers of frame f begin at f times their count per frame.
export function readFrames(raw) {
    const summary = readSummary(raw);
    const {count, bodies, joints} = summary;
    const cursor = new Cursor(raw);
    cursor.at = summary.end;
    cursor.u32(bodies); // hashes of bodies
    const contactStart = cursor.u32(count + 1);
    const body = readBodies(cursor, summary);
    const joint = readJoints(cursor, summary);
    const contacts = readContacts(cursor, summary, contactStart);
    const bodyFlags = framesFirst(cursor.u8(bodies * count), bodies, count);
    const jointFlags = framesFirst(cursor.u8(joints * count), joints, count);
    return {summary, contactStart, body, joint, contacts, bodyFlags, jointFlags};
}

export function readEvents(raw, kinds, names) {
    const cursor = new Cursor(raw);
    const [count] = cursor.u32(2);
    const time = cursor.f64(count), value = cursor.f64(count), kind = cursor.u32(count);
    const a = new Int32Array(cursor.u32(count).buffer), b = new Int32Array(cursor.u32(count).buffer), name = cursor.u32(count);
    return Array.from({length: count}, (_, i) => ({time: time[i], value: value[i], kind: kinds[kind[i]] ?? "", a: a[i], b: b[i],
                                                   name: name[i] > 0 ? names[name[i] - 1] ?? "" : ""}));
}
