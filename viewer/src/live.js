// live.js - a scene that runs in the program: pause, step, reset, settings, drag and push.
import * as THREE from "three";
import {sendCommand} from "./source.js";

const DRAG_INTERVAL = 33; // between two places sent of the pointer [ms]

export class Live extends EventTarget {
    // server.settings: {solvers, schemes, solver, scheme, tolerance, gravity}
    constructor(server, timeline, view) {
        super();
        Object.assign(this, {server, timeline, view});
        timeline.isAtEnd = true;
        timeline.addEventListener("toggle", () => this.send({command: timeline.isPlaying ? "run" : "pause"}));
        timeline.addEventListener("step", (event) => event.detail > 0 && timeline.frame === timeline.recording.frameCount - 1 &&
                                                     this.send({command: "step"}));
        view.renderer.domElement.addEventListener("pointerdown", (event) => this.beginDrag(event), {capture: true});
        addEventListener("pointermove", (event) => this.moveDrag(event));
        addEventListener("pointerup", () => this.endDrag());
    }

    async send(command) {
        try {
            const answer = await sendCommand(this.server, command);
            if (!answer.ok) {
                this.dispatchEvent(new CustomEvent("refused", {detail: answer.message}));
            }
            return answer;
        } catch {
            this.dispatchEvent(new CustomEvent("refused", {detail: "The program no longer answers: the run has ended."}));
            return {ok: false};
        }
    }

    addControls(gui) {
        const {settings} = this.server;
        const folder = gui.addFolder("Live");
        const values = {...settings, gravity: settings.gravity[2]};
        const change = (name) => (value) => this.send({command: name, value});
        folder.add(values, "solver", settings.solvers).onChange(change("solver"));
        folder.add(values, "scheme", settings.schemes).onChange(change("scheme"));
        folder.add({exponent: Math.log10(settings.tolerance)}, "exponent", -12, -1, 1).name("tolerance 10^")
            .onFinishChange((exponent) => change("tolerance")(10 ** exponent));
        folder.add(values, "gravity", -20, 20, 0.01).name("gravity z [m/s²]").onFinishChange(change("gravity_z"));
        folder.add({reset: () => this.send({command: "reset"}).then(() => location.reload())}, "reset").name("start again");
    }

    // Shift and the pointer pull a body by a spring between the point that was hit and the pointer.
    beginDrag(event) {
        const hit = event.shiftKey ? this.view.pick(event) : null;
        if (hit === null || hit.body < 0 || this.view.recording.head.bodies[hit.body].type !== "dynamic") {
            return;
        }
        event.stopImmediatePropagation();
        const local = hit.point.clone().applyMatrix4(this.view.placements[hit.body].clone().invert());
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.view.camera.getWorldDirection(new THREE.Vector3()), hit.point);
        this.drag = {body: hit.body, local: local.toArray(), plane, sent: 0};
    }

    moveDrag(event) {
        if (this.drag === undefined || performance.now() - this.drag.sent < DRAG_INTERVAL) {
            return;
        }
        const target = this.view.pick(event).ray.intersectPlane(this.drag.plane, new THREE.Vector3());
        if (target !== null) {
            this.drag.sent = performance.now();
            this.send({command: "drag", body: this.drag.body, point: this.drag.local, target: target.toArray()});
        }
    }

    endDrag() {
        if (this.drag !== undefined) {
            this.drag = undefined;
            this.send({command: "release"});
        }
    }

    // Away from the camera, by one metre per second.
    push(body) {
        const direction = this.view.camera.getWorldDirection(new THREE.Vector3());
        this.send({command: "push", body, velocity: direction.toArray()});
    }
}
