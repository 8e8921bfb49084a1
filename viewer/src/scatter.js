// scatter.js - one point per run on two logarithmic axes: what accuracy costs.
import uPlot from "uplot";
import {decadeAxis, decades} from "./axes.js";

const RADIUS = 5; // of a point [px]

const rangeOf = (values) => decades(Math.min(...values), Math.max(...values));

export class Scatter {
    // points: [{label, x, y, color}]; those that are not positive have no place on these axes
    constructor(box, {title, points}) {
        this.box = box;
        this.points = points.filter(({x, y}) => x > 0 && y > 0);
        const style = getComputedStyle(document.documentElement);
        const axis = {stroke: style.getPropertyValue("--quiet"), grid: {stroke: style.getPropertyValue("--line"), width: 0.5},
                      ticks: {show: false}, font: "11px system-ui"};
        const [xRange, yRange] = this.points.length === 0 ? [[0.1, 1], [0.1, 1]]
            : [rangeOf(this.points.map(({x}) => x)), rangeOf(this.points.map(({y}) => y))];
        const sorted = [...this.points].sort((a, b) => a.x - b.x);
        this.plot = new uPlot({
            title, width: 300, height: 150, cursor: {show: false}, legend: {show: false},
            scales: {x: {time: false, distr: 3, range: () => xRange}, y: {distr: 3, range: () => yRange}},
            axes: [{...axis, ...decadeAxis(6), size: 26}, {...axis, ...decadeAxis(6), size: 44}],
            series: [{}, {stroke: "transparent", points: {show: false}}],
            hooks: {draw: [(self) => this.draw(self)]},
        }, [sorted.map(({x}) => x), sorted.map(({y}) => y)], box);
    }

    draw(plot) {
        const {ctx} = plot;
        const text = getComputedStyle(document.documentElement).getPropertyValue("--text");
        ctx.save();
        ctx.font = `600 ${11 * devicePixelRatio}px system-ui`;
        ctx.textBaseline = "middle";
        for (const {label, x, y, color} of this.points) {
            const left = plot.valToPos(x, "x", true), top = plot.valToPos(y, "y", true);
            ctx.fillStyle = color;
            ctx.beginPath();
            ctx.arc(left, top, RADIUS * devicePixelRatio, 0, 2 * Math.PI);
            ctx.fill();
            ctx.fillStyle = text;
            ctx.fillText(label, left + (RADIUS + 4) * devicePixelRatio, top);
        }
        ctx.restore();
    }

    resize() {
        if (this.box.clientWidth > 0) {
            this.plot.setSize({width: this.box.clientWidth, height: Math.max(this.box.clientHeight - 22, 60)});
        }
    }

    destroy() {
        this.plot.destroy();
    }
}
