// arrows.js - forces at contacts and joints as arrows, and the friction cone of one contact.
import * as THREE from "three";

const Z = new THREE.Vector3(0, 0, 1);
const SCRATCH = {matrix: new THREE.Matrix4(), turn: new THREE.Quaternion(), foot: new THREE.Vector3(), tip: new THREE.Vector3(),
                 direction: new THREE.Vector3(), scale: new THREE.Vector3()};

export class Arrows {
    constructor(color) {
        const material = new THREE.MeshStandardMaterial({color, roughness: 0.6});
        this.group = new THREE.Group();
        this.capacity = 0;
        this.material = material;
        this.shaft = new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5);
        this.head = new THREE.ConeGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, -0.5);
        this.shafts = this.heads = null;
    }

    reserve(count) {
        if (count <= this.capacity) {
            return;
        }
        this.capacity = Math.max(count, 2 * this.capacity, 64);
        this.group.clear();
        this.shafts?.dispose();
        this.heads?.dispose();
        this.shafts = new THREE.InstancedMesh(this.shaft, this.material, this.capacity);
        this.heads = new THREE.InstancedMesh(this.head, this.material, this.capacity);
        this.shafts.frustumCulled = this.heads.frustumCulled = false;
        this.group.add(this.shafts, this.heads);
    }

    // from, vector: x y z of count arrows one after the other, the vectors in metres on screen; width [m]
    draw(from, vector, count, width) {
        this.reserve(count);
        if (this.shafts === null) {
            return;
        }
        const {matrix, turn, foot, tip, direction, scale} = SCRATCH; // nothing is allocated per arrow
        for (let i = 0; i < count; ++i) {
            foot.fromArray(from, 3 * i);
            direction.fromArray(vector, 3 * i);
            tip.copy(foot).add(direction);
            const length = direction.length();
            const head = Math.min(5 * width, 0.5 * length);
            const thin = Math.min(width, 0.2 * length);
            turn.setFromUnitVectors(Z, direction.divideScalar(length || 1));
            matrix.compose(foot, turn, scale.set(thin, thin, Math.max(length - head, 1e-9)));
            matrix.toArray(this.shafts.instanceMatrix.array, 16 * i);
            matrix.compose(tip, turn, scale.set(2.4 * thin, 2.4 * thin, head));
            matrix.toArray(this.heads.instanceMatrix.array, 16 * i);
        }
        for (const mesh of [this.shafts, this.heads]) {
            mesh.count = count;
            mesh.instanceMatrix.needsUpdate = true;
        }
    }
}

// The set of forces that a contact can carry: half angle atan(mu) about the normal.
export class FrictionCone {
    constructor() {
        const geometry = new THREE.ConeGeometry(1, 1, 48, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
        const fill = new THREE.MeshBasicMaterial({color: "#e69f00", transparent: true, opacity: 0.22,
                                                  side: THREE.DoubleSide, depthWrite: false});
        const rim = new THREE.LineLoop(
            new THREE.BufferGeometry().setFromPoints(
                Array.from({length: 48}, (_, i) => new THREE.Vector3(Math.cos(i * Math.PI / 24), Math.sin(i * Math.PI / 24), 1))),
            new THREE.LineBasicMaterial({color: "#b06f00"}));
        this.group = new THREE.Group();
        this.group.add(new THREE.Mesh(geometry, fill), rim);
        this.group.visible = false;
    }

    // height [m]: of the cone along the normal
    show(point, normal, friction, height) {
        this.group.visible = true;
        this.group.position.copy(point);
        this.group.quaternion.setFromUnitVectors(Z, normal);
        this.group.scale.set(friction * height, friction * height, height);
    }

    hide() {
        this.group.visible = false;
    }
}
