// plots.js - plots over time with one cursor.
import uPlot from "uplot";
import {decadeAxis, decades} from "./axes.js";
import {LINE_COLORS} from "./palette.js";
import {Scatter} from "./scatter.js";
import {show} from "./units.js";

const SMALLEST = 1e-30; // on a logarithmic scale; anything below is zero to us

export class Plots extends EventTarget {
    constructor(times) {
        super();
        this.element = document.getElementById("plots");
        this.times = times;
        this.plots = new Map();
        this.scatters = new Map();
        this.clock = 0;
        new ResizeObserver(() => this.resize()).observe(this.element);
    }

    makeBox(key) {
        this.remove(key);
        const box = document.createElement("div");
        box.className = "plot";
        this.element.append(box);
        return box;
    }

    // series: [{label, values, color}]; logarithmic plots leave out what is not positive. times: those of the recording,
    // unless they are given
    add(key, {title, unit, series, isLogarithmic = false, canClose = true, hasKeys = false, times = this.times}) {
        const box = this.makeBox(key);
        const style = getComputedStyle(document.documentElement);
        const axis = {stroke: style.getPropertyValue("--quiet"), grid: {stroke: style.getPropertyValue("--line"), width: 0.5},
                      ticks: {show: false}, font: "11px system-ui", size: 26};
        const plot = new uPlot({
            title: `${title}${unit ? ` [${unit}]` : ""}`,
            width: 300, height: 150, cursor: {drag: {x: false, y: false}}, legend: {show: false},
            scales: {x: {time: false}, y: isLogarithmic ? {distr: 3, range: (_, low, high) => logRange(low, high)} : {range: (_, low, high) => spread(low, high)}},
            axes: [{...axis, values: (_, list) => list.map((v) => `${v} s`)}, {...axis, size: 58, values: (_, list) => list.map((v) => v === null ? "" : show(v)), ...(isLogarithmic ? decadeAxis(6) : {})}],
            series: [{}, ...series.map(({label, color}, i) => ({label, stroke: color ?? LINE_COLORS[i % LINE_COLORS.length], width: 1.5, points: {show: false}}))],
            hooks: {draw: [(self) => this.drawCursor(self)], ready: [(self) => self.over.addEventListener("click", () => this.seek(self))]},
        }, dataOf(times, series, isLogarithmic), box);
        if (hasKeys) {
            addKeys(box.querySelector(".u-title"), plot.series.slice(1));
        }
        if (canClose) {
            const close = document.createElement("button");
            close.className = "close";
            close.textContent = "×";
            close.setAttribute("aria-label", `Remove the plot ${title}`);
            close.addEventListener("click", () => this.remove(key));
            box.append(close);
        }
        this.plots.set(key, {plot, box, times, series, isLogarithmic, def: {title, unit, series, isLogarithmic, canClose, hasKeys, times}});
        this.resize();
    }

    // def: of a Scatter
    addScatter(key, def) {
        const box = this.makeBox(key);
        this.scatters.set(key, {scatter: new Scatter(box, def), box, def});
        this.resize();
    }

    remove(key) {
        const old = this.plots.get(key);
        if (old !== undefined) {
            old.plot.destroy();
            old.box.remove();
            this.plots.delete(key);
            this.resize();
        }
        const scatter = this.scatters.get(key);
        if (scatter !== undefined) {
            scatter.scatter.destroy();
            scatter.box.remove();
            this.scatters.delete(key);
        }
    }

    // New colours: all plots are drawn anew.
    restyle() {
        const order = [...this.element.children];
        for (const [key, {def, box}] of [...this.plots]) {
            this.add(key, def);
            order[order.indexOf(box)] = this.plots.get(key).box;
        }
        for (const [key, {def, box}] of [...this.scatters]) {
            this.addScatter(key, def);
            order[order.indexOf(box)] = this.scatters.get(key).box;
        }
        this.element.append(...order);
    }

    // Live: the arrays have grown.
    refresh() {
        for (const {plot, times, series, isLogarithmic} of this.plots.values()) {
            plot.setData(dataOf(times, series, isLogarithmic));
        }
    }

    seek(plot) {
        this.dispatchEvent(new CustomEvent("seek", {detail: plot.posToVal(plot.cursor.left, "x")}));
    }

    setCursor(time) {
        this.clock = time;
        if (!this.element.hidden) {
            for (const {plot} of this.plots.values()) {
                plot.redraw(false, false);
            }
        }
    }

    drawCursor(plot) {
        const x = plot.valToPos(this.clock, "x", true);
        const {top, height} = plot.bbox;
        plot.ctx.save();
        plot.ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--bad");
        plot.ctx.lineWidth = devicePixelRatio;
        plot.ctx.beginPath();
        plot.ctx.moveTo(x, top);
        plot.ctx.lineTo(x, top + height);
        plot.ctx.stroke();
        plot.ctx.restore();
    }

    resize() {
        for (const {plot, box} of this.plots.values()) {
            if (box.clientWidth > 0) {
                plot.setSize({width: box.clientWidth, height: Math.max(box.clientHeight - 22, 60)});
            }
        }
        for (const {scatter} of this.scatters.values()) {
            scatter.resize();
        }
    }
}

// Which line is which: their names in their colours, behind the title.
function addKeys(title, lines) {
    const keys = document.createElement("span");
    keys.className = "keys";
    for (const line of lines) {
        const key = document.createElement("span");
        key.textContent = line.label;
        key.style.color = typeof line.stroke === "function" ? line.stroke() : line.stroke;
        keys.append(key);
    }
    title?.append(keys);
}

function dataOf(times, series, isLogarithmic) {
    return [times, ...series.map(({values}) => isLogarithmic ? Array.from(values, (v) => v > SMALLEST ? v : null) : withGaps(values))];
}

// Steps without a number are gaps of the line.
function withGaps(values) {
    return values.some(Number.isNaN) ? Array.from(values, (v) => Number.isNaN(v) ? null : v) : values;
}

// Whole powers of ten, one to twelve of them: what is smaller than that share of the largest is out of sight.
function logRange(low, high) {
    if (!(low > 0) || !(high > SMALLEST)) {
        return [1e-12, 1];
    }
    return decades(low, high, 12);
}

// A line that hardly changes is drawn flat, not as its own round-off.
function spread(low, high) {
    if (!Number.isFinite(low) || (low === 0 && high === 0)) {
        return [0, 1];
    }
    const least = Math.max(1e-6 * Math.max(Math.abs(low), Math.abs(high)), 1e-14);
    const pad = Math.max(0.06 * (high - low), least);
    return [low - pad, high + pad];
}
