// painter.js - the colour of each body: by body, speed, residual, force, island or sleep.
import {Color} from "three";
import {bodyColor, BODY_COLORS, desaturate, evenColor, evenGradient, STATIC_COLOR} from "./palette.js";
import {show} from "./units.js";

export const COLOR_BY = ["body", "speed", "residual", "force", "island", "sleeping"];

const UNITS = {speed: "m/s", residual: "m/s", force: "N"};

export class Painter {
    constructor(recording) {
        this.bodies = recording.head.bodies;
        this.colors = this.bodies.map((body, i) => new Color(bodyColor(body, i)));
        this.values = new Float64Array(this.bodies.length);
        this.most = {speed: 0, residual: 0, force: 0}; // of all frames shown so far: a stable scale
        this.by = null;
        this.asleep = new Uint8Array(this.bodies.length); // as they were painted last
        this.isChanged = true; // else all colours are those of the last frame
    }

    // What the frame says about each body in this quantity.
    measure(by, frame) {
        const {velocity, contacts} = frame;
        this.values.fill(0);
        if (by === "speed") {
            this.values.forEach((_, b) => {
                this.values[b] = Math.hypot(velocity[3 * b], velocity[3 * b + 1], velocity[3 * b + 2]);
            });
            return;
        }
        for (let i = 0; i < contacts.count; ++i) {
            const value = by === "residual" ? contacts.residual[i]
                : Math.hypot(contacts.force[3 * i], contacts.force[3 * i + 1], contacts.force[3 * i + 2]);
            for (const body of [contacts.bodyA[i], contacts.bodyB[i]]) {
                if (body >= 0) {
                    this.values[body] = by === "residual" ? Math.max(this.values[body], value) : this.values[body] + value;
                }
            }
        }
    }

    // Returns the function that gives a body its colour in this frame.
    prepare(by, frame) {
        this.isChanged = by !== "body" || this.by !== "body" || frame.asleep.some((flag, body) => flag !== this.asleep[body]);
        if (this.isChanged) {
            this.asleep.set(frame.asleep);
        }
        this.by = by;
        if (UNITS[by] !== undefined) {
            this.measure(by, frame);
            this.most[by] = this.values.reduce((most, value, b) => this.bodies[b].type === "static" ? most : Math.max(most, value), this.most[by]);
        }
        return (body, out) => this.colorOf(body, frame, out);
    }

    colorOf(body, frame, out) {
        const isFixed = this.bodies[body].type === "static";
        if (this.by === "body" || isFixed) {
            out.copy(this.colors[body]);
        } else if (this.by === "island") {
            out.set(frame.island[body] < 0 ? STATIC_COLOR : BODY_COLORS[frame.island[body] % BODY_COLORS.length]);
        } else if (this.by === "sleeping") {
            out.set(frame.asleep[body] ? "#6d7780" : "#d9913c");
        } else {
            evenColor(this.share(this.values[body]), out);
        }
        return frame.asleep[body] && this.by === "body" ? desaturate(out) : out;
    }

    // Residuals span many powers of ten: twelve of them on a logarithmic scale.
    share(value) {
        const most = this.most[this.by];
        if (most <= 0) {
            return 0;
        }
        return this.by === "residual" ? 1 + Math.log10(Math.max(value / most, 1e-12)) / 12 : value / most;
    }

    legend() {
        if (UNITS[this.by] !== undefined) {
            const most = this.most[this.by];
            const least = this.by === "residual" ? show(most * 1e-12, UNITS[this.by]) : "0";
            return `<div>${this.by}${this.by === "residual" ? " (logarithmic)" : ""}<div class="bar" style="background:${evenGradient()}"></div>` +
                   `<div class="ends"><span>${least}</span><span>${show(most, UNITS[this.by])}</span></div></div>`;
        }
        return this.by === "island" ? "<div>colour: islands</div>"
            : this.by === "sleeping" ? '<div><span style="color:#d9913c">■</span> awake <span style="color:#6d7780">■</span> asleep</div>' : "";
    }
}
