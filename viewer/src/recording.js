// recording.js - a recording in memory: chunks stay packed, those near the frame shown are unpacked.
import {checkHeader, FormatError, readChunk, readEvents, readFrames, readJson, readMeshes, readSummary, unpack} from "./format.js";

const UNPACKED_CHUNKS = 4; // kept at once: a chunk of 10,000 bodies and 60 frames is some 35 MB

// The last of these times that is not after the given one; the first if all are.
export function frameAt(times, time) {
    let low = 0, high = times.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= time + 1e-9) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return Math.max(low, 0);
}

export class Recording {
    constructor() {
        this.head = null;
        this.meshes = [];
        this.events = [];
        this.names = [];
        this.chunks = []; // {chunk, first, count}
        this.times = [];
        this.steps = [];
        this.worst = [];
        this.quanta = [0, 0, 0, 0]; // of positions, rotations, velocities, angular velocities
        this.contactEvery = 1; // contacts are those of every so many frames of a chunk
        this.scalars = []; // per scalar: one number per frame
        this.unpacked = new Map();
        this.isWhole = false; // DONE was read
        this.isDamaged = false;
        this.pending = new Uint8Array(0);
        this.hasHeader = false;
    }

    get frameCount() {
        return this.times.length;
    }

    // More bytes of the file, in order. Calls between() now and then so that the page stays alive.
    async append(bytes, between = async () => {}) {
        const joined = new Uint8Array(this.pending.length + bytes.length);
        joined.set(this.pending);
        joined.set(bytes, this.pending.length);
        let at = 0;
        if (!this.hasHeader) {
            if (joined.length < 16) {
                this.pending = joined;
                return;
            }
            at = checkHeader(joined);
            this.hasHeader = true;
        }
        for (let chunk = readChunk(joined, at); chunk !== null; chunk = readChunk(joined, at)) {
            this.take(chunk);
            at = chunk.next;
            await between(at / joined.length);
        }
        this.pending = joined.slice(at);
    }

    // To be called behind the last append(): says what is wrong with a file that cannot be shown.
    finish() {
        this.isDamaged = this.pending.length > 0;
        if (this.head === null) {
            throw new FormatError("This recording is cut off before its first chunk, or that chunk is damaged. Record the run again.");
        }
        if (this.frameCount === 0) {
            throw new FormatError("This recording has no frames: the run ended before the first was written.");
        }
    }

    take(chunk) {
        switch (chunk.kind) {
            case "HEAD":
                this.head = readJson(chunk);
                this.scalars = this.head.scalars.map(() => []);
                break;
            case "MESH": this.meshes = readMeshes(this.head, unpack(chunk)); break;
            case "TEXT": this.names.push(...readJson(chunk)); break;
            case "EVNT": this.events.push(...readEvents(unpack(chunk), this.head.event_kinds, this.names)); break;
            case "FRMS": this.takeFrames(chunk); break;
            case "DONE": this.isWhole = true; break;
            default: // a kind of a later version
        }
    }

    takeFrames(chunk) {
        const summary = readSummary(unpack(chunk));
        this.quanta = summary.quanta;
        this.contactEvery = summary.contactEvery;
        this.chunks.push({chunk, first: this.frameCount, count: summary.count});
        for (let f = 0; f < summary.count; ++f) {
            this.times.push(summary.time[f]);
            this.steps.push(Number(summary.step[f]));
            this.worst.push(summary.worst[f] > 0 ? this.names[summary.worst[f] - 1] : "");
            this.scalars.forEach((values, s) => values.push(summary.scalars[s * summary.count + f]));
        }
    }

    scalarIndex(name) {
        return this.head.scalars.findIndex((scalar) => scalar.name === name);
    }

    scalar(name, frame) {
        return this.scalars[this.scalarIndex(name)]?.[frame] ?? NaN;
    }

    chunkOf(frame) {
        let low = 0, high = this.chunks.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.chunks[middle].first <= frame) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    unpackChunk(index) {
        let frames = this.unpacked.get(index);
        this.unpacked.delete(index);
        frames ??= readFrames(unpack(this.chunks[index].chunk));
        this.unpacked.set(index, frames); // the latest used is last
        if (this.unpacked.size > UNPACKED_CHUNKS) {
            this.unpacked.delete(this.unpacked.keys().next().value);
        }
        return frames;
    }

    // Everything about one frame; arrays are views that later calls leave alone.
    frame(index) {
        const chunk = this.chunkOf(index);
        const {contactStart, body, joint, contacts, bodyFlags, jointFlags, summary} = this.unpackChunk(chunk);
        const f = index - this.chunks[chunk].first;
        const {bodies, joints} = summary;
        const part = (array, width) => array.subarray(f * width, (f + 1) * width);
        const [from, to] = [contactStart[f], contactStart[f + 1]];
        return {
            index, time: this.times[index], step: this.steps[index],
            position: part(body.position, 3 * bodies), rotation: part(body.rotation, 4 * bodies),
            velocity: part(body.velocity, 3 * bodies), angularVelocity: part(body.angularVelocity, 3 * bodies),
            island: part(body.island, bodies),
            asleep: part(bodyFlags, bodies).map((flag) => flag & 1),
            joints: {force: part(joint.force, 3 * joints), torque: part(joint.torque, 3 * joints),
                     broken: part(jointFlags, joints).map((flag) => flag & 1)},
            contacts: {
                count: to - from, time: this.times[index - f % summary.contactEvery], bodyA: contacts.bodyA.subarray(from, to), bodyB: contacts.bodyB.subarray(from, to),
                point: contacts.point.subarray(3 * from, 3 * to), normal: contacts.normal.subarray(3 * from, 3 * to),
                force: contacts.force.subarray(3 * from, 3 * to), gap: contacts.gap.subarray(from, to),
                friction: contacts.friction.subarray(from, to), residual: contacts.residual.subarray(from, to),
            },
        };
    }

    // Places of a body in the frames up to this one, at most count of them and within its chunk and the one before.
    trail(body, frame, count) {
        const last = this.chunkOf(frame);
        const first = Math.max(frame - count, this.chunks[Math.max(last - 1, 0)].first);
        const places = [];
        for (let i = first; i <= frame; ++i) {
            const {position} = this.frame(i);
            places.push(Array.from(position.subarray(3 * body, 3 * body + 3)));
        }
        return places;
    }

    // One number per frame, chunk by chunk: value(frame). Lets the page breathe between chunks.
    async series(value) {
        const out = new Float64Array(this.frameCount);
        for (const {first, count} of [...this.chunks]) {
            for (let i = first; i < first + count; ++i) {
                out[i] = value(this.frame(i));
            }
            await new Promise((resolve) => setTimeout(resolve));
        }
        return out;
    }
}
