// view3d.js - the 3-D view of one recording: camera, light, bodies, forces, selection.
import * as THREE from "three";
import {OrbitControls} from "three/examples/jsm/controls/OrbitControls.js";
import {Arrows, FrictionCone} from "./arrows.js";
import {Ghost} from "./ghost.js";
import {Ground} from "./ground.js";
import {MANY_PARTS, Shapes} from "./shapes.js";
import {Painter} from "./painter.js";
import {frameAt} from "./recording.js";
import {niceBelow, show} from "./units.js";

const OUTLINE = {
    vertexShader: `
        uniform vec2 pixel;
        void main() {
            vec4 place = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
            vec4 along = projectionMatrix * modelViewMatrix * vec4(normal, 0.0);
            vec2 shift = length(along.xy) > 0.0 ? normalize(along.xy) : vec2(0.0);
            place.xy += shift * pixel * place.w * 3.0;
            gl_Position = place;
        }`,
    fragmentShader: `uniform vec3 color; void main() { gl_FragColor = vec4(color, 1.0); }`,
};

const FRAME_MARGIN = 1.15; // of the view around all that moves
const MOST_ARROWS = 4000; // drawn at once: of more forces the largest are

// The pose of a body, written out: compose() of three.js needs three objects per body.
function readMatrix(frame, body, out) {
    const p = frame.position, r = frame.rotation, e = out.elements;
    const w = r[4 * body], x = r[4 * body + 1], y = r[4 * body + 2], z = r[4 * body + 3];
    e[0] = 1 - 2 * (y * y + z * z); e[1] = 2 * (x * y + w * z); e[2] = 2 * (x * z - w * y);
    e[4] = 2 * (x * y - w * z); e[5] = 1 - 2 * (x * x + z * z); e[6] = 2 * (y * z + w * x);
    e[8] = 2 * (x * z + w * y); e[9] = 2 * (y * z - w * x); e[10] = 1 - 2 * (x * x + y * y);
    e[12] = p[3 * body]; e[13] = p[3 * body + 1]; e[14] = p[3 * body + 2];
    return out;
}

// The value that this many of the list are above: by a histogram of powers of 2^(1/4), not by sorting.
function thresholdFor(values, count, most) {
    const bins = new Uint32Array(1024);
    const binOf = (value) => value > 0 ? Math.min(Math.max(Math.floor(4 * Math.log2(value)) + 512, 0), 1023) : 0;
    for (let i = 0; i < count; ++i) {
        ++bins[binOf(values[i])];
    }
    let bin = 1023;
    for (let above = bins[bin]; bin > 0 && above + bins[bin - 1] <= most; above += bins[--bin]) {
        // down to the last bin that still fits
    }
    return 2 ** ((bin - 512) / 4);
}

// An array of at least this many numbers.
function grown(array, count) {
    return array !== undefined && array.length >= count ? array : new Float32Array(2 * count);
}

export class View3d extends EventTarget {
    constructor(element, recording, name = "") {
        super();
        this.element = element;
        this.recording = recording;
        this.renderer = new THREE.WebGLRenderer({antialias: true, alpha: true, preserveDrawingBuffer: true});
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        element.append(this.renderer.domElement);
        this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, this.renderer.domElement);
        this.controls.enableDamping = !matchMedia("(prefers-reduced-motion: reduce)").matches;
        this.controls.dampingFactor = 0.12;
        this.controls.addEventListener("change", () => {
            this.isOld = true;
            this.dispatchEvent(new Event("camera"));
        });
        this.isFramed = true; // until somebody moves the camera: then it stays where it is
        this.controls.addEventListener("start", () => { this.isFramed = false; });
        this.options = {contacts: true, force: "total", joints: true, edges: true, shadows: true, wireframe: false,
                        trails: false, color: "body", follow: false, ghost: true};
        this.selection = null;
        this.build(name);
        this.resize();
        new ResizeObserver(() => this.resize()).observe(element);
    }

    // ---- the scene ----

    build(name) {
        const head = this.recording.head;
        this.scene = new THREE.Scene();
        this.shapes = new Shapes(head, this.recording.meshes);
        this.options.shadows = head.shapes.length <= MANY_PARTS;
        this.placements = head.bodies.map(() => new THREE.Matrix4());
        this.painter = new Painter(this.recording);
        this.contactArrows = new Arrows("#c0281c");
        this.jointArrows = new Arrows("#6a3d9a");
        this.cone = new FrictionCone();
        this.dots = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({size: 5, sizeAttenuation: false, color: "#c0281c"}));
        this.dots.frustumCulled = false;
        this.axes = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({color: "#6a3d9a", depthTest: false}));
        this.axes.frustumCulled = false;
        this.trail = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({color: "#0072b2"}));
        this.trail.frustumCulled = false;
        this.outline = new THREE.Group();
        this.scene.add(this.shapes.group, this.contactArrows.group, this.jointArrows.group, this.cone.group, this.dots, this.axes,
                       this.trail, this.outline);
        this.addLights();
        this.frame = this.recording.frame(0);
        this.place();
        this.addGround();
        this.measure();
        this.addOverlays(name);
        this.frameAll(true);
    }

    addLights() {
        this.hemisphere = new THREE.HemisphereLight("#ffffff", "#8b949c", 2.2);
        this.sun = new THREE.DirectionalLight("#fff6e8", 2.1);
        this.sun.castShadow = this.options.shadows;
        this.sun.shadow.mapSize.set(2048, 2048);
        this.sun.shadow.bias = -5e-4;
        this.sun.shadow.radius = 4;
        this.scene.add(this.hemisphere, this.sun, this.sun.target);
    }

    addGround() {
        const planes = this.recording.head.shapes.filter((shape) => shape.type === "plane").map((shape) => {
            const local = new THREE.Matrix4().compose(new THREE.Vector3(...(shape.position ?? [0, 0, 0])),
                new THREE.Quaternion(...[1, 2, 3, 0].map((i) => (shape.rotation ?? [1, 0, 0, 0])[i])), new THREE.Vector3(1, 1, 1));
            const normal = new THREE.Vector3(...(shape.normal ?? [0, 0, 1])).normalize();
            const turn = new THREE.Matrix4().makeRotationFromQuaternion(
                new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal));
            return this.placements[shape.body].clone().multiply(local).multiply(turn);
        });
        if (planes.length === 0) {
            const box = this.shapes.bounds(() => true);
            planes.push(new THREE.Matrix4().makeTranslation(0, 0, box.isEmpty() ? 0 : box.min.z));
        }
        this.ground = new Ground(planes);
        this.scene.add(this.ground.group);
    }

    // What the camera, the light and the arrows are scaled by: moving bodies at three times of the
    // run, and fixed ones that are not much larger than all that moves.
    measure() {
        const {head, frameCount} = this.recording;
        const moving = (body) => head.bodies[body].type !== "static";
        const box = new THREE.Box3();
        for (const share of [0, 0.5, 1]) {
            this.frame = this.recording.frame(Math.floor(share * (frameCount - 1)));
            this.place();
            box.union(this.shapes.bounds(moving));
        }
        const fixed = this.shapes.bounds((body) => !moving(body));
        if (box.isEmpty()) {
            box.copy(fixed);
        } else if (!fixed.isEmpty() && fixed.getSize(new THREE.Vector3()).length() < 2.5 * box.getSize(new THREE.Vector3()).length()) {
            box.union(fixed);
        }
        if (box.isEmpty()) {
            box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
        }
        this.bounds = box;
        this.center = box.getCenter(new THREE.Vector3());
        this.radius = Math.max(0.5 * box.getSize(new THREE.Vector3()).length(), 1e-3);
        this.arrowSize = Math.min(0.2 * this.radius, 1.5 * this.shapes.typicalSize(moving) || Infinity);
        this.forceScale = this.chooseForceScale();
        this.cell = niceBelow(this.radius / 3);
        this.ground.fit(this.center, this.radius, this.cell);
        const sun = new THREE.Vector3(-0.45, -0.6, 1).normalize().multiplyScalar(4 * this.radius);
        this.sun.position.copy(this.center).add(sun);
        this.sun.target.position.copy(this.center);
        Object.assign(this.sun.shadow.camera, {left: -1.6 * this.radius, right: 1.6 * this.radius, top: 1.6 * this.radius,
                                               bottom: -1.6 * this.radius, near: 0.1 * this.radius, far: 10 * this.radius});
        this.sun.shadow.camera.updateProjectionMatrix();
        this.frame = this.recording.frame(0);
        this.place();
    }

    // Newtons that one metre of arrow stands for: the 95th percentile of the contact forces at ten
    // times of the run is a fifth of the scene's radius long, or one and a half bodies, rounded to 1, 2 or 5.
    chooseForceScale() {
        const sizes = [];
        const count = this.recording.frameCount;
        for (let i = 0; i < 10; ++i) {
            const {contacts, joints} = this.recording.frame(Math.floor((i + 0.5) / 10 * count));
            for (const list of [contacts.force, joints.force]) {
                for (let k = 0; k + 2 < list.length; k += 3) {
                    const size = Math.hypot(list[k], list[k + 1], list[k + 2]);
                    if (size > 0) {
                        sizes.push(size);
                    }
                }
            }
        }
        sizes.sort((a, b) => a - b);
        const typical = sizes[Math.floor(0.95 * sizes.length)];
        return typical > 0 ? niceBelow(typical / this.arrowSize * 1.5) : 0;
    }

    addOverlays(name) {
        const add = (className) => {
            const div = document.createElement("div");
            div.className = `overlay ${className}`;
            this.element.append(div);
            return div;
        };
        this.legend = add("legend");
        this.scaleBar = add("scale");
        this.triad = document.createElement("canvas");
        this.triad.className = "overlay triad";
        this.triad.width = this.triad.height = 128;
        this.element.append(this.triad);
        this.nameLine = add("view-name");
        this.setName(name);
    }

    // Which run this is, a note on the frame, and the colour of its lines.
    setName(name, note = "", color = "") {
        const text = `${name}\n${note}`;
        if (text !== this.shownName) {
            this.shownName = text;
            this.nameLine.innerHTML = `${color === "" ? "" : `<i style="background:${color}"></i>`}<b></b><span></span>`;
            this.nameLine.querySelector("b").textContent = name;
            this.nameLine.querySelector("span").textContent = note;
        }
    }

    // Outlines of the same bodies in another run.
    addGhost(recording, color) {
        this.ghost = {shapes: new Ghost(recording, color), recording, placements: this.placements.map(() => new THREE.Matrix4())};
        this.scene.add(this.ghost.shapes.group);
    }

    placeGhost() {
        if (this.ghost !== undefined) {
            const {shapes, recording, placements} = this.ghost;
            shapes.group.visible = this.options.ghost;
            if (this.options.ghost) {
                const frame = recording.frame(frameAt(recording.times, this.frame.time));
                placements.forEach((matrix, body) => readMatrix(frame, body, matrix));
                shapes.place(placements);
            }
        }
    }

    // ---- one frame ----

    place() {
        this.placements.forEach((matrix, body) => readMatrix(this.frame, body, matrix));
        this.shapes.place(this.placements);
    }

    show(frame) {
        const before = this.followed();
        this.frame = frame;
        this.place();
        this.placeGhost();
        const color = this.painter.prepare(this.options.color, frame);
        if (this.painter.isChanged) {
            this.shapes.paint(color);
        }
        this.drawForces();
        this.drawJoints();
        this.drawTrail();
        this.drawSelection();
        this.moveWith(before);
        this.drawLegend();
        this.isOld = true;
    }

    followed() {
        const body = this.options.follow && this.selection?.kind === "body" ? this.selection.index : -1;
        return body < 0 ? null : new THREE.Vector3().setFromMatrixPosition(this.placements[body]);
    }

    moveWith(before) {
        const now = this.followed();
        if (before !== null && now !== null) {
            this.camera.position.add(now).sub(before);
            this.controls.target.add(now).sub(before);
        }
    }

    // The part of the forces on B that is asked for, in metres on screen: all of it, along the normal, or across.
    scaleForces({force, normal, count}) {
        const part = this.options.force, scale = 1 / this.forceScale;
        this.shownForces = grown(this.shownForces, 3 * count);
        this.shownSizes = grown(this.shownSizes, count);
        for (let i = 0; i < count; ++i) {
            const k = 3 * i;
            const along = part === "total" ? 0 : force[k] * normal[k] + force[k + 1] * normal[k + 1] + force[k + 2] * normal[k + 2];
            let square = 0;
            for (let c = k; c < k + 3; ++c) {
                const value = scale * (part === "total" ? force[c] : part === "normal" ? along * normal[c] : force[c] - along * normal[c]);
                this.shownForces[c] = value;
                square += value * value;
            }
            this.shownSizes[i] = Math.sqrt(square);
        }
    }

    drawForces() {
        const {contacts} = this.frame;
        const isOn = this.options.contacts && this.forceScale > 0;
        let shown = 0;
        this.hiddenArrows = 0;
        if (isOn) {
            this.scaleForces(contacts);
            const visible = 1e-3 * this.radius;
            const least = Math.max(visible, contacts.count > MOST_ARROWS ? thresholdFor(this.shownSizes, contacts.count, MOST_ARROWS) : 0);
            this.arrowFeet = grown(this.arrowFeet, 3 * contacts.count);
            for (let i = 0; i < contacts.count; ++i) {
                if (this.shownSizes[i] > least) { // moved to the front of the arrays
                    for (let c = 0; c < 3; ++c) {
                        this.arrowFeet[3 * shown + c] = contacts.point[3 * i + c];
                        this.shownForces[3 * shown + c] = this.shownForces[3 * i + c];
                    }
                    ++shown;
                } else if (this.shownSizes[i] > visible) {
                    ++this.hiddenArrows;
                }
            }
        }
        this.contactArrows.draw(this.arrowFeet, this.shownForces, shown, 0.03 * this.arrowSize);
        this.drawDots(contacts);
    }

    drawDots(contacts) {
        const {geometry} = this.dots;
        this.dots.visible = this.options.contacts;
        if (!this.dots.visible) {
            return;
        }
        if ((geometry.attributes.position?.count ?? 0) < contacts.count) {
            geometry.dispose();
            geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * 2 * contacts.count), 3).setUsage(THREE.DynamicDrawUsage));
        }
        if (contacts.count > 0) {
            geometry.attributes.position.array.set(contacts.point);
            geometry.attributes.position.needsUpdate = true;
        }
        geometry.setDrawRange(0, contacts.count);
    }

    // A short line along the axis of each joint, one between its two points, and the force on its first body when it is
    // large enough to see.
    drawJoints() {
        const {joints: list} = this.recording.head;
        const ends = [];
        const feet = [], arrows = [];
        if (this.options.joints) {
            list.forEach((joint, i) => {
                const body = joint.bodies[0];
                const place = body < 0 ? new THREE.Matrix4() : this.placements[body];
                const point = new THREE.Vector3(...joint.point_a).applyMatrix4(place);
                const axis = new THREE.Vector3(...joint.axis_a).transformDirection(place).multiplyScalar(0.05 * this.radius);
                ends.push(point.clone().sub(axis), point.clone().add(axis));
                const other = joint.bodies[1] < 0 ? new THREE.Matrix4() : this.placements[joint.bodies[1]];
                ends.push(point, new THREE.Vector3(...joint.point_b).applyMatrix4(other)); // ropes, rods and springs
                const vector = new THREE.Vector3().fromArray(this.frame.joints.force, 3 * i).divideScalar(this.forceScale || 1);
                if (this.forceScale > 0 && vector.length() > 0.01 * this.radius) {
                    feet.push(point.x, point.y, point.z);
                    arrows.push(vector.x, vector.y, vector.z);
                }
            });
        }
        this.axes.geometry.setFromPoints(ends);
        this.axes.geometry.setDrawRange(0, ends.length);
        this.jointArrows.draw(feet, arrows, arrows.length / 3, 0.03 * this.arrowSize);
    }

    drawTrail() {
        const body = this.selection?.kind === "body" ? this.selection.index : -1;
        this.trail.visible = this.options.trails && body >= 0;
        if (this.trail.visible) {
            this.trail.geometry.setFromPoints(this.recording.trail(body, this.frame.index, 240).map((p) => new THREE.Vector3(...p)));
        }
    }

    drawSelection() {
        this.outline.clear();
        this.cone.hide();
        if (this.selection?.kind === "body") {
            for (const {mesh, index} of this.shapes.instancesOf(this.selection.index)) {
                this.outline.add(this.outlineOf(mesh, index));
            }
        } else if (this.selection?.kind === "contact" && this.selection.index < this.frame.contacts.count) {
            const {contacts} = this.frame;
            const i = this.selection.index;
            const normal = new THREE.Vector3().fromArray(contacts.normal, 3 * i);
            const force = new THREE.Vector3().fromArray(contacts.force, 3 * i);
            const height = this.forceScale > 0 ? Math.max(force.dot(normal) / this.forceScale, 0.05 * this.radius) : 0.1 * this.radius;
            this.cone.show(new THREE.Vector3().fromArray(contacts.point, 3 * i), normal, contacts.friction[i], height);
        }
    }

    outlineOf(mesh, index) {
        this.outlineMaterial ??= new THREE.ShaderMaterial({...OUTLINE, side: THREE.BackSide,
            uniforms: {color: {value: new THREE.Color("#ff7a1a")}, pixel: {value: new THREE.Vector2()}}});
        const canvas = this.renderer.domElement;
        this.outlineMaterial.uniforms.pixel.value.set(2 / canvas.clientWidth, 2 / canvas.clientHeight);
        const copy = new THREE.Mesh(mesh.geometry, this.outlineMaterial);
        copy.matrixAutoUpdate = false;
        mesh.getMatrixAt(index, copy.matrix);
        copy.frustumCulled = false;
        return copy;
    }

    drawLegend() {
        const force = this.options.contacts && this.forceScale > 0 ? `<div>arrows: 1 m = ${show(this.forceScale, "N")}${this.hiddenArrows > 0 ? `, the largest of ${this.hiddenArrows + this.contactArrows.shafts.count}` : ""}</div>` : "";
        const html = this.painter.legend() + force;
        if (html !== this.shownLegend) {
            this.legend.innerHTML = this.shownLegend = html;
        }
    }

    // ---- what the user does ----

    set(name, value) {
        this.options[name] = value;
        this.shapes.setWireframe(this.options.wireframe);
        this.shapes.showEdges(this.options.edges);
        this.sun.castShadow = this.options.shadows;
        this.show(this.frame);
    }

    select(selection) {
        this.selection = selection;
        this.show(this.frame);
    }

    // What is under the pointer: a contact within ten pixels, else a body.
    pick(event) {
        const box = this.renderer.domElement.getBoundingClientRect();
        const pointer = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
        const ray = new THREE.Raycaster();
        ray.setFromCamera(pointer, this.camera);
        const contact = this.options.contacts ? this.nearestContact(pointer, box) : -1;
        const hit = this.shapes.pick(ray);
        return {contact, body: hit?.body ?? -1, point: hit?.point ?? null, ray: ray.ray};
    }

    nearestContact(pointer, box) {
        const {contacts} = this.frame;
        const place = new THREE.Vector3();
        let best = -1, least = 10;
        for (let i = 0; i < contacts.count; ++i) {
            place.fromArray(contacts.point, 3 * i).project(this.camera);
            const distance = Math.hypot((place.x - pointer.x) * box.width / 2, (place.y - pointer.y) * box.height / 2);
            if (distance < least) {
                [best, least] = [i, distance];
            }
        }
        return best;
    }

    // ---- camera ----

    // From this side, so near that all corners of the box are just in view.
    look(direction, box = this.bounds) {
        const center = box.getCenter(new THREE.Vector3());
        const toward = direction.clone().normalize();
        const right = new THREE.Vector3().crossVectors(this.camera.up, toward).normalize();
        const up = new THREE.Vector3().crossVectors(toward, right);
        const high = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) / FRAME_MARGIN, wide = high * this.camera.aspect;
        let distance = 1e-3;
        for (let i = 0; i < 8; ++i) {
            const corner = new THREE.Vector3(...["x", "y", "z"].map((axis, c) => (i >> c & 1 ? box.max : box.min)[axis])).sub(center);
            distance = Math.max(distance, corner.dot(toward) + Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / high));
        }
        this.controls.target.copy(center);
        this.camera.position.copy(center).addScaledVector(toward, distance);
        this.controls.update();
    }

    frameAll(isFirst = false) {
        this.isFramed = true;
        const direction = isFirst ? new THREE.Vector3(0.75, -1.25, 0.62) : this.camera.position.clone().sub(this.controls.target);
        this.look(direction);
    }

    axisView(axis) {
        this.isFramed = true;
        this.look([new THREE.Vector3(1, 0, 1e-3), new THREE.Vector3(0, -1, 1e-3), new THREE.Vector3(0, -1e-3, 1)][axis]);
    }

    focus(body) {
        const box = this.shapes.bounds((b) => b === body);
        if (!box.isEmpty()) {
            this.isFramed = false;
            this.look(this.camera.position.clone().sub(this.controls.target),
                      box.clone().expandByScalar(Math.max(0.5 * box.getSize(new THREE.Vector3()).length(), 0.02 * this.radius)));
        }
    }

    setTheme(isDark) {
        this.ground.setColor(isDark ? "#ffffff" : "#2c3a45");
        this.shapes.setEdgeColor(isDark ? "#0b0e11" : "#20262b");
        this.hemisphere.intensity = isDark ? 1.7 : 2.2;
        this.isOld = true;
    }

    resize() {
        const {clientWidth: width, clientHeight: height} = this.element;
        if (width > 0 && height > 0) {
            this.renderer.setSize(width, height, false);
            this.camera.aspect = width / height;
            this.camera.updateProjectionMatrix();
            this.isOld = true;
            if (this.isFramed) {
                this.frameAll();
            }
        }
    }

    // Draws only when something has changed: a page at rest costs nothing.
    render() {
        if (!this.controls.update() && !this.isOld) {
            return;
        }
        this.isOld = false;
        const distance = this.camera.position.distanceTo(this.controls.target);
        this.camera.near = Math.max(distance / 500, 1e-4);
        this.camera.far = distance * 20 + 40 * this.radius;
        this.camera.updateProjectionMatrix();
        this.renderer.render(this.scene, this.camera);
        this.drawScaleBar(distance);
        this.drawTriad();
    }

    drawScaleBar(distance) {
        const perPixel = 2 * distance * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) / this.element.clientHeight;
        const length = niceBelow(120 * perPixel);
        const html = `${show(length, "m")}<i style="width:${(length / perPixel).toFixed(1)}px"></i>`;
        if (html !== this.shownScale) {
            this.scaleBar.innerHTML = this.shownScale = html;
        }
    }

    drawTriad() {
        const context = this.triad.getContext("2d");
        const turn = this.camera.quaternion.clone().invert();
        context.clearRect(0, 0, 128, 128);
        context.lineWidth = 4;
        context.font = "600 22px system-ui";
        context.textAlign = "center";
        context.textBaseline = "middle";
        [["x", "#c0392b"], ["y", "#2e8b57"], ["z", "#2f6fb5"]].map(([label, color], i) => {
            const axis = new THREE.Vector3().setComponent(i, 1).applyQuaternion(turn);
            return {label, color, axis};
        }).sort((a, b) => a.axis.z - b.axis.z).forEach(({label, color, axis}) => {
            context.strokeStyle = context.fillStyle = color;
            context.beginPath();
            context.moveTo(64, 64);
            context.lineTo(64 + 40 * axis.x, 64 - 40 * axis.y);
            context.stroke();
            context.fillText(label, 64 + 54 * axis.x, 64 - 54 * axis.y);
        });
    }
}
