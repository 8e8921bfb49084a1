// profile.js - the page of `cairn solve --solver all --html`: performance profiles, and every answer.
import uPlot from "uplot";
import {decadeAxis} from "./axes.js";
import {LINE_COLORS} from "./palette.js";
import {show} from "./units.js";

const COSTS = [
    {key: "time_ratios", title: "time", cell: "seconds", unit: "s"},
    {key: "work_ratios", title: "work", cell: "work", unit: ""},
];

// What `cairn solve` wrote into the page; null: this page shows a run.
export function findProfile() {
    const script = document.getElementById("profile-data");
    return script === null ? null : JSON.parse(script.textContent);
}

// The share of all problems solved within each ratio of a sorted list: a staircase.
export function shares(ratios, at, count) {
    let below = 0;
    return at.map((ratio) => {
        while (below < ratios.length && ratios[below] <= ratio * (1 + 1e-12)) {
            ++below;
        }
        return below / count;
    });
}

const dashOf = (i) => i < LINE_COLORS.length ? undefined : [6, 4];

class ProfilePlot {
    constructor(box, data, {key, title}, isVisible) {
        this.box = box;
        const largest = Math.max(10, ...data.solvers.flatMap((solver) => solver[key]));
        const high = 10 ** Math.ceil(Math.log10(largest));
        // Every ratio that occurs, and one just before it: steps stay upright.
        const steps = [...new Set(data.solvers.flatMap((solver) => solver[key]))].sort((a, b) => a - b);
        const at = [...new Set([1, ...steps.flatMap((ratio) => [ratio / (1 + 1e-9), ratio]), high])].filter((ratio) => ratio >= 1);
        const style = getComputedStyle(document.documentElement);
        const axis = {stroke: style.getPropertyValue("--quiet"), grid: {stroke: style.getPropertyValue("--line"), width: 0.5}, ticks: {show: false}, font: "11px system-ui"};
        this.plot = new uPlot({
            title: `${title}: share of problems solved within a multiple of the least`, width: 500, height: 320,
            cursor: {show: false}, legend: {show: false},
            scales: {x: {time: false, distr: 3, range: () => [1, high]}, y: {range: () => [0, 1]}},
            axes: [{...axis, ...decadeAxis(8), size: 28}, {...axis, size: 46, values: (_, list) => list.map((v) => `${Math.round(100 * v)} %`)}],
            series: [{}, ...data.solvers.map(({solver}, i) => ({label: solver, stroke: LINE_COLORS[i % LINE_COLORS.length], dash: dashOf(i), width: 2, points: {show: false}, show: isVisible(i)}))],
        }, [at, ...data.solvers.map((solver) => shares(solver[key], at, data.problem_count))], box);
        new ResizeObserver(() => this.plot.setSize({width: Math.max(box.clientWidth, 240), height: 320})).observe(box);
    }
}

class ProfilePage {
    constructor(data) {
        this.data = data;
        this.hidden = new Set();
        this.element = document.getElementById("profile");
        this.element.hidden = false;
        document.title = "Solvers – Cairn";
        this.element.innerHTML = `<h1>Solvers on ${data.problem_count} problem${data.problem_count === 1 ? "" : "s"}</h1>
            <p>A curve at ratio r: the share of all problems that the solver solves to the tolerance with at most r times the least cost of all solvers
            there (performance profile of Dolan and Moré). At the left end: how often it is the best; at the right: how many it solves.
            Work is counted in multiplications and is the same on every machine; times are the least of three where they are below 10 ms.</p>
            <div class="solvers" role="group" aria-label="Solvers"></div><div class="profiles"></div>
            <label class="cost">Numbers of the table: <select aria-label="Numbers of the table"></select></label><div class="answers"></div>`;
        this.addSolvers();
        this.restyle();
        this.cost = COSTS[0];
        const select = this.element.querySelector("select");
        select.append(...COSTS.map(({title}, i) => new Option(title, i)));
        select.addEventListener("change", () => { this.cost = COSTS[select.value]; this.makeTable(); });
        this.makeTable();
    }

    addSolvers() {
        this.data.solvers.forEach(({solver, solved, refused}, i) => {
            const label = document.createElement("label");
            label.innerHTML = `<input type="checkbox" checked><i style="background:${LINE_COLORS[i % LINE_COLORS.length]}"></i>`;
            label.append(`${solver} ${solved}/${this.data.problem_count}`);
            label.title = `${solver}: ${solved} solved, ${refused} refused`;
            label.querySelector("input").addEventListener("change", (event) => {
                this.hidden[event.target.checked ? "delete" : "add"](i);
                this.plots.forEach(({plot}) => plot.setSeries(i + 1, {show: event.target.checked}));
                this.makeTable();
            });
            this.element.querySelector(".solvers").append(label);
        });
    }

    restyle() {
        const box = this.element.querySelector(".profiles");
        box.replaceChildren();
        this.plots = COSTS.map((cost) => {
            const place = document.createElement("div");
            box.append(place);
            return new ProfilePlot(place, this.data, cost, (i) => !this.hidden.has(i));
        });
    }

    // A row per problem, a column per solver; the least cost of a row stands out.
    makeTable() {
        const {solvers, problems} = this.data;
        const shown = solvers.map((_, i) => i).filter((i) => !this.hidden.has(i));
        const table = document.createElement("table");
        const head = table.createTHead().insertRow();
        head.append(...["problem", ...shown.map((i) => solvers[i].solver)].map((text) => Object.assign(document.createElement("th"), {textContent: text})));
        const body = table.createTBody();
        for (const {problem, answers} of problems) {
            const row = body.insertRow();
            const name = row.insertCell();
            name.textContent = problem.split("/").at(-1);
            name.title = problem;
            const costs = answers.map((one) => one.outcome === "converged" ? one[this.cost.cell] : Infinity);
            const least = Math.min(...costs);
            for (const i of shown) {
                this.fill(row.insertCell(), answers[i], costs[i], least);
            }
        }
        this.element.querySelector(".answers").replaceChildren(table);
    }

    fill(cell, answer, cost, least) {
        if (answer.outcome === "converged") {
            cell.textContent = show(cost, this.cost.unit);
            cell.className = cost === least ? "best" : "";
        } else {
            cell.textContent = answer.outcome === "refused" ? "–" : answer.outcome.replaceAll("_", " ");
            cell.className = answer.outcome === "refused" ? "refused" : "failed";
        }
        cell.title = `${answer.outcome}, ${answer.iterations} iterations, ${answer.seconds} s, ${answer.work} multiplications, residual ${answer.residual} m/s`;
    }
}

export function showProfile(data) {
    return new ProfilePage(data);
}
