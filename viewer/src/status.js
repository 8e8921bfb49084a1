// status.js - the bar that always says how wrong the frame is; chips are judged by the tolerance.
import {show} from "./units.js";

// Of a sum of n terms the last digit that counts is n times this share of their size.
const ROUND_OFF = 2 ** -53;

// Beyond this an overlap counts as a missed position: docs/theory/stabilisation.md (12).
function positionLimit({tolerance, dt}) {
    return Math.max(1e-9, 10 * tolerance * dt);
}

// Each chip: a scalar of the recording, what is good and what is still bearable of it, and what to say where a step has no such
// number. The limits are derived in docs/manual/viewer.md, "Colours of the chips".
function chipsFor(head) {
    const {tolerance, slop = 1e-4} = head;
    const pen = positionLimit(head);
    return [
        {label: "residual", scalar: "residual.worst", unit: "m/s", good: tolerance, warn: 100 * tolerance, missing: "not graded"},
        {label: "pen", scalar: "penetration", unit: "m", good: pen, warn: Math.max(slop, pen), missing: "not measured"},
        {label: "energy", scalar: "energy.ledger_error", unit: "", good: 1e4 * ROUND_OFF, warn: 1e6 * ROUND_OFF, missing: "ledger not kept"},
        {label: "missed", scalar: "missed", unit: "", good: 0, warn: 0, missing: ""},
    ];
}

function gradeOf(value, {good, warn}) {
    return Number.isNaN(value) ? "none" : value <= good ? "good" : value <= warn ? "warn" : "bad";
}

// A page of a long run is rounded: it says so.
function roundedTo(recording) {
    const {quanta, contactEvery} = recording;
    const held = contactEvery > 1 ? `contacts of 1 frame in ${contactEvery}, ` : "";
    return quanta[0] > 1.5 * recording.head.position_quantum ? `  ${held}places ±${show(quanta[0] / 2, "m")}, speeds ±${show(quanta[2] / 2, "m/s")}` : "";
}

export class Status extends EventTarget {
    constructor(recording) {
        super();
        this.recording = recording;
        this.chips = chipsFor(recording.head).map((chip) => {
            const button = document.createElement("button");
            button.addEventListener("click", () => this.dispatchEvent(new CustomEvent("plot", {detail: chip.scalar})));
            document.getElementById("chips").append(button);
            return {...chip, button};
        });
        const {head} = recording;
        document.getElementById("scene-name").textContent = head.scene;
        const method = document.getElementById("method");
        method.textContent = `dt ${show(head.dt, "s")}  ${head.scheme}/${head.solver}${roundedTo(recording)}`;
        method.title = method.textContent;
        document.title = `${head.scene} – Cairn`;
    }

    valueOf(scalar, frame) {
        const {recording} = this;
        return scalar === "missed"
            ? recording.scalar("not_converged", frame) + recording.scalar("positions_missed", frame)
            : Math.abs(recording.scalar(scalar, frame));
    }

    show(frame) {
        const time = this.recording.times[frame];
        document.getElementById("clock").textContent = `t ${time.toFixed(3)} s`;
        for (const chip of this.chips) {
            const value = this.valueOf(chip.scalar, frame);
            const has = !Number.isNaN(value);
            chip.button.className = `chip ${gradeOf(value, chip)}`;
            chip.button.textContent = chip.scalar === "missed" ? `${value} missed`
                : has ? `${chip.label} ${show(value, chip.unit)}` : `${chip.label} ${chip.missing}`;
            chip.button.title = chip.scalar === "residual.worst" && has
                ? `worst residual ${value} m/s, tolerance ${this.recording.head.tolerance} m/s; ${this.recording.worst[frame] || "nothing to solve"}`
                : `${chip.scalar}: ${has ? `${value} ${chip.unit}; green up to ${show(chip.good, chip.unit)}, amber up to ${show(chip.warn, chip.unit)}` : chip.missing}. Click to plot it.`;
        }
    }
}
