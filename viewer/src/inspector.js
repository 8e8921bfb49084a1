// inspector.js - what there is, by name, and the numbers of what is selected.
import {QUANTITIES} from "./quantities.js";
import {bodyColor} from "./palette.js";
import {show, split} from "./units.js";

const MOST_ROWS = 300; // of the list at once; the search finds the others

const element = (id) => document.getElementById(id);

export class Inspector extends EventTarget {
    constructor(recording) {
        super();
        this.recording = recording;
        const {bodies, joints} = recording.head;
        this.rows = [
            ...bodies.map((body, index) => ({kind: "body", index, name: body.name || `body ${index}`, note: body.type, color: bodyColor(body, index)})),
            ...joints.map((joint, index) => ({kind: "joint", index, name: joint.name || `joint ${index}`, note: joint.type, color: "#6a3d9a"})),
        ];
        this.selection = null;
        this.sparks = new Map();
        element("search").addEventListener("input", () => this.list());
        element("tree").addEventListener("click", (event) => this.click(event));
        element("inspector-handle").addEventListener("click", () => {
            const isOpen = element("inspector").classList.toggle("open");
            element("inspector-handle").setAttribute("aria-expanded", isOpen);
        });
        this.list();
        this.show(null);
    }

    list() {
        const wanted = element("search").value.trim().toLowerCase();
        const found = this.rows.filter((row) => row.name.toLowerCase().includes(wanted));
        const items = found.slice(0, MOST_ROWS).map((row) => {
            const item = document.createElement("li");
            item.setAttribute("role", "option");
            item.setAttribute("aria-selected", this.isSelected(row));
            item.tabIndex = 0;
            item.dataset.row = this.rows.indexOf(row);
            item.innerHTML = `<i style="background:${row.color}"></i><span></span>`;
            item.querySelector("span").textContent = row.name;
            item.title = `${row.kind}, ${row.note}`;
            item.addEventListener("keydown", (event) => event.key === "Enter" && this.click(event));
            return item;
        });
        if (found.length > MOST_ROWS || found.length === 0) {
            const note = document.createElement("li");
            note.className = "note";
            note.textContent = found.length === 0 ? "No name contains this." : `and ${found.length - MOST_ROWS} more: search by name`;
            items.push(note);
        }
        element("tree").replaceChildren(...items);
    }

    isSelected(row) {
        return this.selection?.kind === row.kind && this.selection.index === row.index;
    }

    click(event) {
        const row = this.rows[event.target.closest("li")?.dataset.row];
        if (row !== undefined) {
            this.dispatchEvent(new CustomEvent("select", {detail: {kind: row.kind, index: row.index}}));
        }
    }

    title() {
        const {kind, index} = this.selection;
        const {head} = this.recording;
        if (kind === "contact") {
            const {contacts} = this.frame;
            const name = (body) => body < 0 ? "world" : head.bodies[body].name || `body ${body}`;
            return index < contacts.count ? `${name(contacts.bodyA[index])} / ${name(contacts.bodyB[index])}` : "contact";
        }
        return this.rows.find((row) => row.kind === kind && row.index === index).name;
    }

    note() {
        const {kind, index} = this.selection;
        const {head} = this.recording;
        if (kind === "body") {
            const body = head.bodies[index];
            const sleeps = this.frame.asleep[index] ? ", asleep" : "";
            return body.type === "dynamic" ? `${body.type}, ${show(body.mass, "kg")}${sleeps}` : body.type;
        }
        if (kind === "joint") {
            return `${head.joints[index].type}${this.frame.joints.broken[index] ? ", broken" : ""}`;
        }
        const {time} = this.frame.contacts;
        return time === this.frame.time ? "contact point of this frame" : `contact point of t ${time.toFixed(3)} s`;
    }

    // The numbers of the selected thing in this frame. The table is made once per selection.
    show(frame) {
        this.frame = frame;
        if (this.selection === null || frame === null) {
            element("selected").innerHTML = "<p>Click a body, a contact point or a name.</p>";
            return;
        }
        if (this.made !== this.selection) {
            this.make();
        }
        const isGone = this.selection.kind === "contact" && this.selection.index >= frame.contacts.count;
        this.heading.textContent = this.title();
        this.noteLine.textContent = isGone ? "not in this frame" : this.note();
        for (const {quantity, value, unit} of this.cells) {
            const number = isGone ? NaN : quantity.value(frame, this.selection.index);
            [value.textContent, unit.textContent] = split(number, quantity.unit);
            value.title = `${number} ${quantity.unit} – click to copy`;
            value.dataset.full = number;
        }
        for (const [canvas, values] of this.sparks) {
            drawSpark(canvas, values, frame.index);
        }
    }

    make() {
        this.made = this.selection;
        this.sparks.clear();
        const {kind} = this.selection;
        const box = element("selected");
        box.innerHTML = `<h2></h2><p></p><div class="actions"></div><table></table>`;
        this.heading = box.querySelector("h2");
        this.noteLine = box.querySelector("p");
        if (kind === "body") {
            this.addAction("focus", "focus");
            this.addAction("follow", "follow");
        }
        this.addAction("clear", "clear selection");
        this.cells = QUANTITIES[kind].map((quantity) => this.addRow(box.querySelector("table"), quantity));
    }

    addAction(name, label) {
        const button = document.createElement("button");
        button.textContent = label;
        button.addEventListener("click", () => this.dispatchEvent(new CustomEvent("action", {detail: name})));
        element("selected").querySelector(".actions").append(button);
    }

    addRow(table, quantity) {
        const row = table.insertRow();
        row.innerHTML = `<th></th><td></td><td class="unit"></td>`;
        row.cells[0].textContent = quantity.name;
        row.cells[1].addEventListener("click", () => navigator.clipboard?.writeText(row.cells[1].dataset.full));
        if (this.selection.kind !== "contact") { // contacts have no identity from frame to frame
            this.addPlotCell(row.insertCell(), quantity);
        }
        return {quantity, value: row.cells[1], unit: row.cells[2]};
    }

    addPlotCell(cell, quantity) {
        const canvas = document.createElement("canvas");
        const {index, kind} = this.selection;
        const label = `${this.rows.find((row) => row.kind === kind && row.index === index).name}: ${quantity.name}`;
        cell.className = "spark";
        cell.title = `plot ${label}`;
        canvas.width = 112;
        canvas.height = 32;
        canvas.style.cssText = "width:56px;height:16px;display:block";
        cell.append(canvas);
        cell.tabIndex = 0;
        const plot = () => this.dispatchEvent(new CustomEvent("plot", {detail: {label, unit: quantity.unit, value: (frame) => quantity.value(frame, index)}}));
        cell.addEventListener("click", plot);
        cell.addEventListener("keydown", (event) => event.key === "Enter" && plot());
        this.fillSpark(canvas, (frame) => quantity.value(frame, index), this.selection);
    }

    async fillSpark(canvas, value, selection) {
        const values = await this.recording.series(value);
        if (this.selection === selection) {
            this.sparks.set(canvas, values);
            drawSpark(canvas, values, this.frame?.index ?? 0);
        }
    }

    select(selection) {
        this.selection = selection;
        this.list();
        this.show(this.frame);
    }
}

function drawSpark(canvas, values, frame) {
    const context = canvas.getContext("2d");
    const {width, height} = canvas;
    const style = getComputedStyle(document.documentElement);
    let low = Infinity, high = -Infinity;
    for (const value of values) {
        low = Math.min(low, value);
        high = Math.max(high, value);
    }
    const x = (i) => i / Math.max(values.length - 1, 1) * (width - 2) + 1;
    const y = (v) => high - low > 1e-9 * Math.max(Math.abs(high), Math.abs(low)) ? height - 3 - (v - low) / (high - low) * (height - 6) : height / 2;
    context.clearRect(0, 0, width, height);
    context.strokeStyle = style.getPropertyValue("--accent");
    context.lineWidth = 2;
    context.beginPath();
    const stride = Math.max(1, Math.floor(values.length / width));
    for (let i = 0; i < values.length; i += stride) {
        context.lineTo(x(i), y(values[i]));
    }
    context.stroke();
    context.fillStyle = style.getPropertyValue("--bad");
    context.fillRect(x(frame) - 1, 0, 2, height);
}
