// main.js - the page: finds its data, makes the parts and lets them know of each other.
import GUI from "lil-gui";
import {Comparison, findComparison} from "./comparison.js";
import {Inspector} from "./inspector.js";
import {Live} from "./live.js";
import {COLOR_BY} from "./painter.js";
import {Plots} from "./plots.js";
import {findProfile, showProfile} from "./profile.js";
import {frameAt} from "./recording.js";
import {embeddedRecordings, fetchRecording, findServer, followStream} from "./source.js";
import {Status} from "./status.js";
import {Timeline} from "./timeline.js";
import {View3d} from "./view3d.js";

const element = (id) => document.getElementById(id);
const say = (text) => { element("message").textContent = text; };

// ---- theme ----

function applyTheme(theme) {
    document.documentElement.dataset.theme = theme;
}

function startTheme() {
    const system = matchMedia("(prefers-color-scheme: dark)");
    applyTheme(system.matches ? "dark" : "light");
    system.addEventListener("change", () => {
        applyTheme(system.matches ? "dark" : "light");
        app?.restyle();
    });
    element("theme").addEventListener("click", () => {
        applyTheme(isDark() ? "light" : "dark");
        app?.restyle();
    });
}

const isDark = () => document.documentElement.dataset.theme === "dark";

// ---- the page ----

const KEYS = [
    ["space", "play or pause"], ["← →", "one frame back or forward"], ["[ ]", "slower or faster"], ["Home End", "first or last frame"],
    ["F", "frame the whole scene"], ["1 2 3", "look along x, y or z"], ["double click", "focus a body"], ["G", "follow the selected body"],
    ["C", "contact forces"], ["J", "joints"], ["E", "edges"], ["W", "wireframe"], ["T", "trail of the selected body"], ["P", "plots"],
    ["shift drag", "live: pull a body"], ["X", "live: push the selected body"], ["Esc", "clear the selection"], ["?", "this help"],
];

class App {
    // tracks: [{name, recording}], the first is the one that numbers and plots belong to; comparison: data about them, or null
    constructor(tracks, comparison = null) {
        element("app").hidden = false;
        this.recording = tracks[0].recording;
        this.views = tracks.map(({name, recording}) => this.addView(name, recording));
        this.view = this.views[0];
        this.comparison = comparison === null ? null : new Comparison(comparison, this.views);
        if (this.comparison !== null) {
            this.comparison.layOut();
            this.view.frameAll(true);
            this.shareCamera(this.view);
        }
        this.timeline = new Timeline(this.recording);
        this.status = new Status(this.recording);
        this.comparison?.sayWhose();
        this.inspector = new Inspector(this.recording);
        this.plots = new Plots(this.recording.times);
        this.gui = this.makeTools();
        this.connect();
        this.addPlots();
        this.restyle();
        this.showFrame();
        if (innerWidth < 760) {
            this.togglePlots();
        }
        this.last = performance.now();
        requestAnimationFrame((now) => this.tick(now));
    }

    addView(name, recording) {
        const box = document.createElement("div");
        box.className = "view";
        element("views").append(box);
        const view = new View3d(box, recording, name);
        view.addEventListener("camera", () => this.shareCamera(view));
        return view;
    }

    shareCamera(from) {
        for (const view of this.views ?? []) {
            if (view !== from) {
                view.camera.position.copy(from.camera.position);
                view.controls.target.copy(from.controls.target);
                view.camera.quaternion.copy(from.camera.quaternion);
                view.isOld = true;
            }
        }
    }

    makeTools() {
        const gui = new GUI({container: element("tools"), title: "Show"});
        const {options} = this.view;
        const set = (name) => (value) => this.views.forEach((view) => view.set(name, value));
        this.toggles = {};
        const add = (name, label, ...rest) => {
            this.toggles[name] = gui.add(options, name, ...rest).name(label).onChange(set(name));
        };
        add("color", "colour by", COLOR_BY);
        add("contacts", "contact forces");
        add("force", "part of the force", ["total", "normal", "friction"]);
        add("joints", "joints");
        add("edges", "edges");
        add("shadows", "shadows");
        add("trails", "trail of selection");
        add("wireframe", "wireframe");
        if (this.comparison !== null) {
            add("ghost", "most accurate as outline");
        }
        if (innerHeight < 800) {
            gui.close();
        }
        return gui;
    }

    toggle(name) {
        this.toggles[name].setValue(!this.view.options[name]);
    }

    addPlots() {
        if (this.comparison !== null) {
            this.comparison.addPlots(this.plots);
            return;
        }
        const values = (name) => this.recording.scalars[this.recording.scalarIndex(name)];
        this.plots.add("energy", {title: "energy", unit: "J", canClose: false, hasKeys: true, series: [
            {label: "kinetic", values: values("energy.kinetic")}, {label: "potential", values: values("energy.potential")}]});
        this.plots.add("residual.worst", {title: "residual", unit: "m/s", isLogarithmic: true, canClose: false, series: [{label: "residual", values: values("residual.worst")}]});
        this.plots.add("penetration", {title: "penetration", unit: "m", canClose: false, series: [{label: "penetration", values: values("penetration")}]});
        this.recording.head.scalars.slice(15).forEach(({name, unit}) => { // those that --quantities asked for
            this.plots.add(name, {title: name, unit, series: [{label: name, values: values(name)}]});
        });
    }

    plotScalar(name) {
        const scalar = this.recording.head.scalars.find((one) => one.name === name);
        if (scalar !== undefined && !this.plots.plots.has(name)) {
            const values = this.recording.scalars[this.recording.scalarIndex(name)];
            this.plots.add(name, {title: name, unit: scalar.unit, isLogarithmic: name.includes("error"),
                                  series: [{label: name, values: name.includes("error") ? values.map(Math.abs) : values}]});
        }
        this.togglePlots(true);
    }

    async plotQuantity({label, unit, value}) {
        this.togglePlots(true);
        this.plots.add(label, {title: label, unit, series: [{label, values: await this.recording.series(value)}]});
    }

    connect() {
        this.timeline.addEventListener("frame", () => this.showFrame());
        this.timeline.addEventListener("missed", ({detail}) => this.showMissed(detail));
        this.status.addEventListener("plot", ({detail}) => this.plotScalar(detail === "missed" ? "not_converged" : detail));
        this.plots.addEventListener("seek", ({detail}) => {
            this.timeline.pause();
            this.timeline.seek(this.timeline.frameAt(detail));
        });
        this.inspector.addEventListener("select", ({detail}) => this.select(detail));
        this.inspector.addEventListener("plot", ({detail}) => this.plotQuantity(detail));
        this.inspector.addEventListener("action", ({detail}) => this.act(detail));
        element("plots-toggle").addEventListener("click", () => this.togglePlots());
        element("help-button").addEventListener("click", () => this.help());
        addEventListener("keydown", (event) => this.key(event));
        this.views.forEach((view) => this.connectPointer(view));
        this.connectResize();
    }

    connectPointer(view) {
        const canvas = view.renderer.domElement;
        let start = null;
        canvas.addEventListener("pointerdown", (event) => { start = {x: event.clientX, y: event.clientY}; });
        canvas.addEventListener("pointerup", (event) => {
            if (start !== null && Math.hypot(event.clientX - start.x, event.clientY - start.y) < 4 && !event.shiftKey) {
                const {contact, body} = view.pick(event);
                this.select(contact >= 0 ? {kind: "contact", index: contact} : body >= 0 ? {kind: "body", index: body} : null);
            }
            start = null;
        });
        canvas.addEventListener("dblclick", (event) => {
            const {body} = view.pick(event);
            if (body >= 0) {
                view.focus(body);
            }
        });
    }

    connectResize() {
        const bar = element("resize");
        const set = (height) => { element("plots").style.height = `${Math.min(Math.max(height, 90), innerHeight * 0.6)}px`; };
        bar.addEventListener("pointerdown", (event) => bar.setPointerCapture(event.pointerId));
        bar.addEventListener("pointermove", (event) => bar.hasPointerCapture(event.pointerId) && set(innerHeight - event.clientY));
        bar.addEventListener("keydown", (event) => {
            const by = {ArrowUp: 20, ArrowDown: -20}[event.key];
            if (by !== undefined) {
                set(element("plots").clientHeight + by);
            }
        });
    }

    // ---- what changes ----

    showFrame() {
        const {frame: index, recording} = this.timeline;
        const time = recording.times[index];
        for (const view of this.views) {
            const own = view.recording === recording ? index : frameAt(view.recording.times, time);
            view.show(view.recording.frame(own));
        }
        this.comparison?.label(time);
        this.status.show(index);
        this.inspector.show(this.view.frame);
        this.plots.setCursor(time);
    }

    select(selection) {
        this.views.forEach((view) => view.select(selection));
        this.inspector.select(selection);
    }

    // A step that missed its tolerance: bodies by residual, and the worst contact of that frame.
    showMissed(event) {
        this.toggles.color.setValue("residual");
        const {residual} = this.view.frame.contacts;
        const worst = residual.reduce((best, value, i) => value > (residual[best] ?? -1) ? i : best, -1);
        this.select(event.a >= 0 ? {kind: "body", index: event.a} : worst >= 0 ? {kind: "contact", index: worst} : null);
        element("method").textContent = `${event.kind.replace("_", " ")} at ${event.time.toFixed(4)} s: ${event.name}`;
    }

    act(name) {
        if (name === "focus") {
            this.view.focus(this.view.selection.index);
        } else if (name === "follow") {
            this.views.forEach((view) => view.set("follow", !view.options.follow));
        } else {
            this.select(null);
        }
    }

    togglePlots(on = element("plots").hidden) {
        element("plots").hidden = element("resize").hidden = !on;
        element("plots-toggle").setAttribute("aria-expanded", on);
        this.plots.resize();
    }

    restyle() {
        this.views.forEach((view) => view.setTheme(isDark()));
        this.plots.restyle();
        this.timeline.drawTicks();
    }

    help() {
        const dialog = element("help");
        const rows = KEYS.map(([keys, what]) => `<tr><td><kbd>${keys}</kbd></td><td>${what}</td></tr>`).join("");
        dialog.innerHTML = `<table>${rows}</table><form method="dialog"><button autofocus>close</button></form>`;
        dialog.showModal();
    }

    key(event) {
        if (event.target.matches("input[type=search], select, .lil-gui input") || event.ctrlKey || event.metaKey || element("help").open) {
            return;
        }
        const act = {
            " ": () => this.timeline.toggle(), ArrowLeft: () => this.timeline.step(-1), ArrowRight: () => this.timeline.step(1),
            "[": () => this.timeline.changeSpeed(-1), "]": () => this.timeline.changeSpeed(1),
            Home: () => this.timeline.seek(0), End: () => this.timeline.seek(Infinity),
            f: () => this.view.frameAll(), 1: () => this.view.axisView(0), 2: () => this.view.axisView(1), 3: () => this.view.axisView(2),
            g: () => this.act("follow"), c: () => this.toggle("contacts"), j: () => this.toggle("joints"), e: () => this.toggle("edges"),
            w: () => this.toggle("wireframe"), t: () => this.toggle("trails"), p: () => this.togglePlots(),
            x: () => this.view.selection?.kind === "body" && this.live?.push(this.view.selection.index),
            Escape: () => this.select(null), "?": () => this.help(),
        }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (act !== undefined) {
            event.preventDefault();
            act();
        }
    }

    grew() {
        this.timeline.grew();
        this.plotsAreOld = true;
    }

    tick(now) {
        this.timeline.advance((now - this.last) / 1000);
        this.last = now;
        if (this.plotsAreOld && now - (this.plotted ?? 0) > 200) {
            this.plotsAreOld = false;
            this.plotted = now;
            this.plots.refresh();
        }
        this.views.forEach((view) => view.render());
        requestAnimationFrame((next) => this.tick(next));
    }
}

let app;

function startLive(server) {
    followStream(server, {
        ready: (recording) => {
            say("");
            app = window.cairn = new App([{name: "", recording}]); // for the console, and for tests
            app.live = new Live(server, app.timeline, app.view);
            app.live.addControls(app.gui);
            app.live.addEventListener("refused", ({detail}) => {
                say(detail);
                setTimeout(() => say(""), 4000);
            });
        },
        grew: () => app.grew(),
        ended: (reason) => {
            if (app === undefined) {
                say(reason || "The run ended before its first frame.");
            } else { // it was reset, or its file has changed, or the program has ended
                fetch(location.href).then(() => location.reload(), () => {
                    app.timeline.isAtEnd = false;
                    app.timeline.pause();
                    say("The program has ended. What it sent can still be played.");
                    setTimeout(() => say(""), 4000);
                });
            }
        },
    });
}

async function start() {
    startTheme();
    const profile = findProfile();
    if (profile !== null) {
        app = window.cairn = showProfile(profile);
        return;
    }
    if (document.createElement("canvas").getContext("webgl2") === null) {
        say("This browser has no WebGL 2, which the 3-D view needs. Try another browser, or turn on hardware acceleration.");
        return;
    }
    const server = findServer();
    const report = (share) => say(`Reading ${Math.round(100 * share)} %`);
    try {
        if (server?.mode === "live") {
            say("Waiting for the first frame");
            startLive(server);
            return;
        }
        const tracks = server === null ? await embeddedRecordings(report) : [{name: "", recording: await fetchRecording(server, report)}];
        if (tracks.length === 0) {
            say("This page holds no recording. Make one with: cairn run SCENE --html out.html");
            return;
        }
        say("");
        app = window.cairn = new App(tracks, findComparison());
    } catch (problem) {
        say(problem.message);
        console.error(problem);
    }
}

start();
