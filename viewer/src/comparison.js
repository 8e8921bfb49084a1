// comparison.js - runs of one scene side by side: their names, numbers and differences.
import {LINE_COLORS} from "./palette.js";
import {frameAt} from "./recording.js";
import {show} from "./units.js";

// What `cairn compare` wrote into the page; null: this page shows one run.
export function findComparison() {
    const script = document.getElementById("comparison");
    return script === null ? null : JSON.parse(script.textContent);
}

export function columnsFor(count, isNarrow) {
    return isNarrow ? (count > 2 ? 2 : 1) : count <= 2 ? count : count <= 4 ? 2 : count <= 9 ? 3 : 4;
}

const COLUMNS = [
    ["time", (one) => show(one.seconds, "s"), "seconds that the steps took"],
    ["residual", (one) => show(one.residual, "m/s"), "the worst of all steps"],
    ["difference", (one) => show(one.difference.worst ?? NaN, "m"), "of positions to the most accurate run, at worst"],
];

export class Comparison {
    // data: of findComparison(); views: one View3d per variant that was recorded
    constructor(data, views) {
        this.data = data;
        this.views = views;
        this.best = data.most_accurate_index;
        this.hidden = new Set();
        this.share();
        this.addGhosts();
        this.makeTable();
    }

    // The status bar is that of the first run.
    sayWhose() {
        const method = document.getElementById("method");
        method.textContent = `run 1: ${method.textContent}`;
    }

    colorOf(index) {
        return LINE_COLORS[index % LINE_COLORS.length];
    }

    // One camera, one scale of forces and one size for all views.
    share() {
        const [first] = this.views;
        const bounds = this.views.reduce((box, view) => box.union(view.bounds), first.bounds.clone());
        for (const view of this.views) {
            view.bounds = bounds;
            view.forceScale = first.forceScale;
        }
    }

    addGhosts() {
        const best = this.views[this.best];
        this.views.forEach((view) => {
            if (best !== undefined && view !== best && view.placements.length === best.placements.length) {
                view.addGhost(best.recording, this.colorOf(this.best));
            }
        });
    }

    makeTable() {
        const box = document.getElementById("comparison-table");
        box.hidden = false;
        const reason = document.createElement("p");
        reason.textContent = this.data.most_accurate === null ? "No variant reached the end."
            : `Most accurate: ${this.data.most_accurate}; ${this.data.reason}.`;
        const table = document.createElement("table");
        table.createTHead().insertRow().innerHTML = COLUMNS.map(([name, , title]) => `<th title="${title}">${name}</th>`).join("");
        const body = table.createTBody();
        this.data.variants.forEach((variant, i) => this.addRows(body, variant, i));
        box.append(table, reason);
    }

    addRows(body, variant, index) {
        const label = document.createElement("label");
        label.innerHTML = `<input type="checkbox" checked><i style="background:${this.colorOf(index)}"></i><span></span>`;
        label.querySelector("span").textContent = `${index + 1} ${variant.name}${index === this.best ? " ★" : ""}`;
        label.title = variant.stopped === null ? variant.name : `${variant.name} stopped: ${variant.stopped}`;
        label.querySelector("input").disabled = index >= this.views.length;
        label.querySelector("input").addEventListener("change", (event) => this.setVisible(index, event.target.checked));
        const name = body.insertRow().insertCell();
        name.colSpan = COLUMNS.length;
        name.append(label);
        const row = body.insertRow();
        for (const [, text] of COLUMNS) {
            row.insertCell().textContent = text(variant);
        }
    }

    setVisible(index, isVisible) {
        if (isVisible) {
            this.hidden.delete(index);
        } else {
            this.hidden.add(index);
        }
        this.views[index].element.hidden = !isVisible;
        this.layOut();
    }

    layOut() {
        const columns = columnsFor(this.views.length - this.hidden.size, innerWidth < 760);
        document.getElementById("views").style.gridTemplateColumns = `repeat(${Math.max(columns, 1)}, minmax(0, 1fr))`;
    }

    // The line in each view: which variant it is, and how wrong this frame is.
    label(time) {
        this.views.forEach((view, i) => {
            const variant = this.data.variants[i];
            const residual = show(view.recording.scalar("residual.worst", view.frame.index), "m/s");
            const difference = i === this.best ? "the most accurate" : `difference ${show(this.differenceAt(variant, time), "m")}`;
            view.setName(`${i + 1} ${variant.name}`, `residual ${residual}, ${difference}`, this.colorOf(i));
        });
    }

    differenceAt(variant, time) {
        const {times = [], differences = []} = variant;
        return times.length === 0 || time < times[0] ? (differences.length > 0 ? 0 : NaN) : differences[frameAt(times, time)] ?? NaN;
    }

    addPlots(plots) {
        const {variants} = this.data;
        const [main] = this.views;
        const lines = (values) => this.views.map((view, i) => ({label: `${i + 1} ${variants[i].name}`, color: this.colorOf(i), values: values(view.recording, i)}));
        const onMain = (name) => (recording) => main.recording.times.map((time) => recording.scalar(name, frameAt(recording.times, time)));
        const longest = variants.reduce((best, {times = []}) => times.length > best.length ? times : best, []);
        plots.add("residual.worst", {title: "residual", unit: "m/s", isLogarithmic: true, canClose: false, series: lines(onMain("residual.worst"))});
        plots.add("difference", {title: "difference of positions", unit: "m", isLogarithmic: true, canClose: false, times: longest,
                                 series: lines((_, i) => longest.map((_, k) => variants[i].differences?.[k] ?? null))});
        const points = (y) => variants.map((one, i) => ({label: `${i + 1}`, color: this.colorOf(i), x: one.seconds, y: y(one)}));
        plots.addScatter("work-residual", {title: "residual [m/s] over cost [s]", points: points((one) => one.residual)});
        plots.addScatter("work-difference", {title: "difference [m] over cost [s]", points: points((one) => one.difference.worst)});
        plots.add("penetration", {title: "penetration", unit: "m", isLogarithmic: true, canClose: false, series: lines(onMain("penetration"))});
    }
}
