// ground.js - planes as a fine grid that fades out, with shadows on it.
import * as THREE from "three";

const HALF = 1; // the quad is scaled to the size of the scene

function gridMaterial() {
    return new THREE.ShaderMaterial({
        uniforms: {color: {value: new THREE.Color()}, cell: {value: 1}, reach: {value: 10}, center: {value: new THREE.Vector3()}},
        vertexShader: `
            varying vec3 local;
            varying vec3 world;
            uniform float reach;
            void main() {
                local = position * reach * 3.0;
                vec4 placed = modelMatrix * vec4(local, 1.0);
                world = placed.xyz;
                gl_Position = projectionMatrix * viewMatrix * placed;
            }`,
        fragmentShader: `
            varying vec3 local;
            varying vec3 world;
            uniform vec3 color, center;
            uniform float cell, reach;
            float lines(float size) {
                vec2 place = local.xy / size;
                vec2 width = fwidth(place);
                vec2 near = abs(fract(place - 0.5) - 0.5) / max(width, vec2(1e-6));
                float dense = max(width.x, width.y);
                return (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.3, 1.0, dense));
            }
            void main() {
                float fade = 1.0 - smoothstep(0.3, 1.0, distance(world, center) / (reach * 3.0));
                float strength = max(0.22 * lines(cell), 0.45 * lines(cell * 10.0));
                gl_FragColor = vec4(color, strength * fade);
            }`,
        transparent: true, depthWrite: false, side: THREE.DoubleSide,
    });
}

export class Ground {
    // planes: [{matrix}] of plane shapes, normal along their z; none: a grid below everything
    constructor(planes) {
        this.group = new THREE.Group();
        this.planes = planes;
        this.quads = planes.map(() => {
            const grid = new THREE.Mesh(new THREE.PlaneGeometry(2 * HALF, 2 * HALF), gridMaterial());
            const shadow = new THREE.Mesh(new THREE.PlaneGeometry(2 * HALF, 2 * HALF),
                                          new THREE.ShadowMaterial({opacity: 0.28}));
            shadow.receiveShadow = true;
            grid.renderOrder = -1;
            grid.frustumCulled = shadow.frustumCulled = false;
            const both = new THREE.Group();
            both.add(shadow, grid);
            both.matrixAutoUpdate = false;
            this.group.add(both);
            return {both, grid, shadow};
        });
    }

    // The grid reaches as far as the scene needs; its origin stays where the plane's is.
    fit(center, radius, cell) {
        this.quads.forEach(({both, grid, shadow}, i) => {
            both.matrix.copy(this.planes[i]);
            both.matrixWorldNeedsUpdate = true;
            grid.material.uniforms.reach.value = Math.max(radius * 4, 1e-3);
            grid.material.uniforms.cell.value = cell;
            grid.material.uniforms.center.value.copy(center);
            shadow.scale.setScalar(radius * 12);
        });
    }

    setColor(color) {
        this.quads.forEach(({grid}) => grid.material.uniforms.color.value.set(color));
    }
}
