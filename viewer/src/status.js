// status.js - the bar that always says how wrong the frame is; chips are judged by the tolerance.
import {show} from "./units.js";

// Each chip: a scalar of the recording and what is good and what is still bearable of it. Penetration
// is judged by the size of the scene, ledgers (relative) by round-off.
function chipsFor(tolerance, radius) {
    return [
        {label: "residual", scalar: "residual.worst", unit: "m/s", good: tolerance, warn: 100 * tolerance},
        {label: "pen", scalar: "penetration", unit: "m", good: 1e-6 * radius, warn: 1e-3 * radius},
        {label: "energy", scalar: "energy.ledger_error", unit: "", good: 1e-10, warn: 1e-6},
        {label: "missed", scalar: "missed", unit: "", good: 0, warn: 0},
    ];
}

// A page of a long run is rounded: it says so.
function roundedTo(recording) {
    const {quanta} = recording;
    return quanta[0] > 1.5 * recording.head.position_quantum ? `  places ±${show(quanta[0] / 2, "m")}, speeds ±${show(quanta[2] / 2, "m/s")}` : "";
}

export class Status extends EventTarget {
    constructor(recording, radius) {
        super();
        this.recording = recording;
        this.chips = chipsFor(recording.head.tolerance, radius).map((chip) => {
            const button = document.createElement("button");
            button.addEventListener("click", () => this.dispatchEvent(new CustomEvent("plot", {detail: chip.scalar})));
            document.getElementById("chips").append(button);
            return {...chip, button};
        });
        const {head} = recording;
        document.getElementById("scene-name").textContent = head.scene;
        document.getElementById("method").textContent = `dt ${show(head.dt, "s")}  ${head.scheme}/${head.solver}${roundedTo(recording)}`;
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
            const grade = value <= chip.good ? "good" : value <= chip.warn ? "warn" : "bad";
            chip.button.className = `chip ${grade}`;
            chip.button.textContent = chip.scalar === "missed" ? `${value} missed` : `${chip.label} ${show(value, chip.unit)}`;
            chip.button.title = chip.scalar === "residual.worst"
                ? `worst residual ${value} m/s, tolerance ${this.recording.head.tolerance} m/s; ${this.recording.worst[frame] || "nothing to solve"}`
                : `${chip.scalar}: ${value} ${chip.unit}. Click to plot it.`;
        }
    }
}
