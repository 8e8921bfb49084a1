// ghost.js - the bodies of another run as outlines: where they would be.
import * as THREE from "three";
import {makeEdges, makeGeometry, partsOf} from "./shapes.js";

const ROUND_FACETS = 6; // few enough that the facets of round shapes show as lines

export class Ghost {
    // head, meshes: of the other recording; fixed bodies are left out
    constructor({head, meshes}, color) {
        const parts = head.shapes.filter((shape) => head.bodies[shape.body].type !== "static").flatMap(partsOf);
        this.group = new THREE.Group();
        this.matrix = new THREE.Matrix4();
        this.sets = Object.entries(Object.groupBy(parts, (part) => part.geometry)).map(([name, members]) => {
            const placements = new THREE.InstancedBufferAttribute(new Float32Array(16 * members.length), 16);
            placements.setUsage(THREE.DynamicDrawUsage);
            this.group.add(makeEdges(makeGeometry(name, meshes, ROUND_FACETS), placements, new THREE.Color(color)));
            return {placements, parts: members};
        });
    }

    // placements: Matrix4 per body
    place(placements) {
        for (const {placements: attribute, parts} of this.sets) {
            parts.forEach((part, i) => {
                this.matrix.multiplyMatrices(placements[part.body], part.local);
                this.matrix.toArray(attribute.array, 16 * i);
            });
            attribute.needsUpdate = true;
        }
    }
}
