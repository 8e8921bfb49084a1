// timeline.js - play, pause, step, speed, loop and the track with its ticks.
import {frameAt} from "./recording.js";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const MISSED = new Set(["not_converged", "positions_missed", "out_of_budget"]);

const element = (id) => document.getElementById(id);

export class Timeline extends EventTarget {
    constructor(recording) {
        super();
        this.recording = recording;
        this.frame = 0;
        this.clock = recording.times[0];
        this.isPlaying = true;
        this.isAtEnd = false; // live: stays at the newest frame
        for (const speed of SPEEDS) {
            element("speed").append(new Option(`${speed}×`, speed, speed === 1, speed === 1));
        }
        element("play").addEventListener("click", () => this.toggle());
        element("back").addEventListener("click", () => this.step(-1));
        element("forward").addEventListener("click", () => this.step(1));
        element("scrub").addEventListener("input", () => {
            this.pause();
            this.seek(Number(element("scrub").value));
        });
        element("track").addEventListener("click", (event) => this.jumpToMissed(event));
        new ResizeObserver(() => this.drawTicks()).observe(element("track"));
        this.grew();
        this.showPlaying();
    }

    grew() {
        element("scrub").max = this.recording.frameCount - 1;
        this.drawTicks();
    }

    toggle() {
        if (!this.isPlaying && this.frame === this.recording.frameCount - 1 && !this.isAtEnd) {
            this.seek(0);
        }
        this.isPlaying = !this.isPlaying;
        this.showPlaying();
        this.dispatchEvent(new Event("toggle"));
    }

    pause() {
        if (this.isPlaying) {
            this.isPlaying = false;
            this.showPlaying();
            this.dispatchEvent(new Event("toggle"));
        }
    }

    showPlaying() {
        element("play").setAttribute("aria-pressed", this.isPlaying);
    }

    step(by) {
        this.pause();
        this.dispatchEvent(new CustomEvent("step", {detail: by}));
        this.seek(this.frame + by);
    }

    changeSpeed(by) {
        const select = element("speed");
        select.selectedIndex = Math.min(Math.max(select.selectedIndex + by, 0), SPEEDS.length - 1);
    }

    seek(frame) {
        const {times, frameCount} = this.recording;
        this.frame = Math.min(Math.max(frame, 0), frameCount - 1);
        this.clock = times[this.frame];
        element("scrub").value = this.frame;
        element("time").textContent = `${times[this.frame].toFixed(3)} / ${times[frameCount - 1].toFixed(3)} s`;
        this.dispatchEvent(new Event("frame"));
    }

    frameAt(time) {
        return frameAt(this.recording.times, time);
    }

    // elapsed [s]: since the last call
    advance(elapsed) {
        const {times, frameCount} = this.recording;
        if (this.isAtEnd) {
            if (this.isPlaying && this.frame !== frameCount - 1) {
                this.seek(frameCount - 1);
            }
            return;
        }
        if (!this.isPlaying) {
            return;
        }
        const clock = this.clock + elapsed * Number(element("speed").value);
        if (clock >= times[frameCount - 1]) {
            if (element("loop").checked && frameCount > 1) {
                this.seek(0);
            } else {
                this.seek(frameCount - 1);
                this.pause();
            }
            return;
        }
        const frame = this.frameAt(clock);
        if (frame !== this.frame) {
            this.seek(frame);
        }
        this.clock = clock;
    }

    // ---- ticks ----

    place(time) { // share of the track; the thumb of the slider is 16 pixels wide
        const {times, frameCount} = this.recording;
        const width = element("track").clientWidth;
        const share = (time - times[0]) / (times[frameCount - 1] - times[0] || 1);
        return 8 + share * (width - 16);
    }

    drawTicks() {
        const canvas = element("ticks");
        const ratio = devicePixelRatio;
        const {clientWidth: width, clientHeight: height} = element("track");
        canvas.width = width * ratio;
        canvas.height = height * ratio;
        const context = canvas.getContext("2d");
        context.scale(ratio, ratio);
        const style = getComputedStyle(document.documentElement);
        const strong = this.recording.events.filter((event) => MISSED.has(event.kind));
        const soft = this.recording.events.filter((event) => !MISSED.has(event.kind)).slice(0, 5000);
        const draw = (events, color, from, to, thickness) => {
            context.fillStyle = style.getPropertyValue(color);
            for (const event of events) {
                context.fillRect(this.place(event.time) - thickness / 2, from, thickness, to - from);
            }
        };
        draw(soft.filter((event) => event.kind.endsWith("begin")), "--accent", 0, 5, 1);
        draw(soft.filter((event) => event.kind.endsWith("end") || event.kind === "joint_broke"), "--quiet", height - 5, height, 1);
        draw(strong, "--bad", 0, height, 2);
    }

    jumpToMissed(event) {
        const x = event.clientX - element("track").getBoundingClientRect().left;
        const missed = this.recording.events.find((one) => MISSED.has(one.kind) && Math.abs(this.place(one.time) - x) < 4);
        if (missed !== undefined) {
            this.pause();
            this.seek(this.frameAt(missed.time));
            this.dispatchEvent(new CustomEvent("missed", {detail: missed}));
        }
    }
}
