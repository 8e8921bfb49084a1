// shapes.js - all shapes of a scene as a few instanced meshes, one per kind of geometry.
import * as THREE from "three";

// More instances than this are drawn plainer: fewer facets, and no shadows unless they are asked for.
export const MANY_PARTS = 4000;

// A part is one instance: a geometry placed in the frame of a body. A capsule has three.
function part(geometry, body, position, rotation, scale) {
    const local = new THREE.Matrix4().compose(position, rotation, scale);
    return {geometry, body, local};
}

function vector(list = [0, 0, 0]) {
    return new THREE.Vector3(...list);
}

function quaternion(wxyz = [1, 0, 0, 0]) {
    return new THREE.Quaternion(wxyz[1], wxyz[2], wxyz[3], wxyz[0]);
}

const PARTS_OF = {
    box: (shape, place) => [part("box", shape.body, place.position, place.rotation, vector(shape.size))],
    sphere: (shape, place) => [part("sphere", shape.body, place.position, place.rotation,
                                    new THREE.Vector3().setScalar(shape.radius))],
    cylinder: (shape, place) => [part("cylinder", shape.body, place.position, place.rotation,
                                      new THREE.Vector3(shape.radius, shape.radius, shape.length))],
    capsule: (shape, place) => {
        const cap = new THREE.Vector3().setScalar(shape.radius);
        const half = new THREE.Vector3(0, 0, shape.length / 2).applyQuaternion(place.rotation);
        return [
            part("tube", shape.body, place.position, place.rotation,
                 new THREE.Vector3(shape.radius, shape.radius, shape.length)),
            part("sphere", shape.body, place.position.clone().add(half), place.rotation, cap),
            part("sphere", shape.body, place.position.clone().sub(half), place.rotation, cap),
        ];
    },
    plane: () => [], // drawn by ground.js
};

export function partsOf(shape) {
    const place = {position: vector(shape.position), rotation: quaternion(shape.rotation)};
    if (Number.isInteger(shape.mesh)) {
        return [part(`mesh ${shape.mesh}`, shape.body, place.position, place.rotation, vector([1, 1, 1]))];
    }
    return PARTS_OF[shape.type]?.(shape, place) ?? [];
}

function meshGeometry(mesh) {
    const indexed = new THREE.BufferGeometry();
    indexed.setAttribute("position", new THREE.BufferAttribute(mesh.vertices, 3));
    indexed.setIndex(new THREE.BufferAttribute(mesh.indices, 1));
    const flat = indexed.toNonIndexed();
    flat.computeVertexNormals();
    return flat;
}

// Geometries of unit size along z where they have an axis.
export function makeGeometry(name, meshes, detail) {
    const turned = (geometry) => geometry.rotateX(Math.PI / 2);
    switch (name) {
        case "box": return new THREE.BoxGeometry(1, 1, 1);
        case "sphere": return turned(new THREE.SphereGeometry(1, detail * 2, detail));
        case "cylinder": return turned(new THREE.CylinderGeometry(1, 1, 1, detail * 2));
        case "tube": return turned(new THREE.CylinderGeometry(1, 1, 1, detail * 2, 1, true));
        default: return meshGeometry(meshes[Number(name.slice(5))]);
    }
}

const EDGED = (name) => name === "box" || name === "cylinder" || name.startsWith("mesh");

// Lines along the sharp edges of every instance; they share the placements of the faces.
export function makeEdges(geometry, placements, color) {
    const edges = new THREE.EdgesGeometry(geometry, 25);
    const lines = new THREE.InstancedBufferGeometry();
    lines.setAttribute("position", edges.getAttribute("position"));
    lines.setAttribute("placement", placements);
    lines.instanceCount = placements.count;
    const material = new THREE.ShaderMaterial({
        uniforms: {color: {value: color}, opacity: {value: 0.55}},
        vertexShader: `
            attribute mat4 placement;
            void main() {
                gl_Position = projectionMatrix * modelViewMatrix * placement * vec4(position, 1.0);
            }`,
        fragmentShader: `
            uniform vec3 color;
            uniform float opacity;
            void main() { gl_FragColor = vec4(color, opacity); }`,
        transparent: true, depthWrite: false,
    });
    const object = new THREE.LineSegments(lines, material);
    object.frustumCulled = false;
    return object;
}

export class Shapes {
    // head: of the recording; meshes: [{vertices, indices}]
    constructor(head, meshes) {
        const parts = head.shapes.flatMap(partsOf);
        const detail = parts.length > MANY_PARTS ? 6 : parts.length > 1500 ? 9 : 14; // facets of a round shape
        this.group = new THREE.Group();
        this.sets = [];
        for (const [name, members] of Object.entries(Object.groupBy(parts, (p) => p.geometry))) {
            const geometry = makeGeometry(name, meshes, detail);
            const material = new THREE.MeshStandardMaterial({roughness: 0.85, metalness: 0,
                                                             polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, // behind their edges
                                                             side: name.startsWith("mesh") ? THREE.DoubleSide : THREE.FrontSide});
            const mesh = new THREE.InstancedMesh(geometry, material, members.length);
            mesh.castShadow = mesh.receiveShadow = true;
            mesh.frustumCulled = false;
            mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
            mesh.setColorAt(0, new THREE.Color(1, 1, 1)); // makes the array of colours
            mesh.userData.parts = members;
            const set = {mesh, parts: members, edges: null};
            this.group.add(mesh);
            if (EDGED(name)) {
                set.edges = makeEdges(geometry, mesh.instanceMatrix, new THREE.Color("#20262b"));
                this.group.add(set.edges);
            }
            this.sets.push(set);
        }
        this.box = new THREE.Box3();
        this.matrix = new THREE.Matrix4();
    }

    // placements: Matrix4 per body
    place(placements) {
        for (const {mesh, parts} of this.sets) {
            parts.forEach((one, i) => {
                this.matrix.multiplyMatrices(placements[one.body], one.local);
                this.matrix.toArray(mesh.instanceMatrix.array, 16 * i);
            });
            mesh.instanceMatrix.needsUpdate = true;
            mesh.boundingSphere = null; // rays ask for it anew
        }
    }

    // color(body, out): the colour of a body
    paint(color) {
        const out = new THREE.Color();
        for (const {mesh, parts} of this.sets) {
            parts.forEach((one, i) => mesh.setColorAt(i, color(one.body, out)));
            mesh.instanceColor.needsUpdate = true;
        }
    }

    setWireframe(on) {
        for (const {mesh} of this.sets) {
            mesh.material.wireframe = on;
        }
    }

    setEdgeColor(color) {
        for (const {edges} of this.sets) {
            edges?.material.uniforms.color.value.set(color);
        }
    }

    showEdges(on) {
        for (const {edges} of this.sets) {
            if (edges !== null) {
                edges.visible = on;
            }
        }
    }

    // The box around all instances whose body the filter takes, at the present placements.
    bounds(takes) {
        const box = this.box.makeEmpty();
        const one = new THREE.Box3();
        for (const {mesh, parts} of this.sets) {
            mesh.geometry.computeBoundingBox();
            parts.forEach((p, i) => {
                if (takes(p.body)) {
                    mesh.getMatrixAt(i, this.matrix);
                    box.union(one.copy(mesh.geometry.boundingBox).applyMatrix4(this.matrix));
                }
            });
        }
        return box;
    }

    // The middle one of the diagonals of all parts whose body the filter takes [m]; 0: there is none.
    typicalSize(takes) {
        const sizes = this.sets.flatMap(({mesh, parts}) => {
            mesh.geometry.computeBoundingBox();
            const size = mesh.geometry.boundingBox.getSize(new THREE.Vector3());
            return parts.filter((p) => takes(p.body)).map((p) => size.clone().multiply(new THREE.Vector3().setFromMatrixScale(p.local)).length());
        }).sort((a, b) => a - b);
        return sizes[sizes.length >> 1] ?? 0;
    }

    // Body under the ray and the point that is hit; null: none.
    pick(raycaster) {
        const hits = raycaster.intersectObjects(this.sets.map((set) => set.mesh), false);
        return hits.length === 0
            ? null
            : {body: hits[0].object.userData.parts[hits[0].instanceId].body, point: hits[0].point, distance: hits[0].distance};
    }

    // [geometry, index of the instance, its mesh] of all parts of a body: for its outline.
    instancesOf(body) {
        return this.sets.flatMap(({mesh, parts}) => parts.flatMap((p, i) => p.body === body ? [{mesh, index: i}] : []));
    }
}
