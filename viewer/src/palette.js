// palette.js - colours of bodies and of quantities.
import {Color} from "three";

// Okabe and Ito's colours, which people with any colour vision can tell apart, muted a little.
export const BODY_COLORS = ["#4a8fbd", "#d9913c", "#4fa585", "#c9694d", "#8db8d6", "#b97fa3", "#d8ca62", "#6f7fb5"];
// Of lines and points in plots, one per run.
export const LINE_COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5ba8", "#8c6d31",
                            "#3f8f3f", "#b03060", "#607d8b", "#a8a000"];
export const STATIC_COLOR = "#9aa3ab";
export const KINEMATIC_COLOR = "#7d8f6f";

// From dark blue to yellow in even steps of lightness (L* from 15 to 90), for quantities from zero up.
const EVEN = ["#2b1d50", "#2f3d7c", "#2a5f8c", "#26808c", "#2fa084", "#62bd6c", "#a9d351", "#f3e44f"]
    .map((text) => new Color(text));
// From blue through grey to red, for quantities with a sign.
const SIGNED = ["#2a5fb0", "#7ea4d6", "#d9dcdf", "#e0967c", "#b5352b"].map((text) => new Color(text));

function between(table, share, out) {
    const place = Math.min(Math.max(share, 0), 1) * (table.length - 1);
    const low = Math.min(Math.floor(place), table.length - 2);
    return out.copy(table[low]).lerp(table[low + 1], place - low);
}

export function evenColor(share, out) {
    return between(EVEN, share, out);
}

export function signedColor(share, out) { // share 0.5 is zero
    return between(SIGNED, share, out);
}

export function evenGradient() {
    return `linear-gradient(90deg, ${EVEN.map((c) => c.getStyle()).join(", ")})`;
}

export function bodyColor(body, index) {
    if (body.type === "static") {
        return STATIC_COLOR;
    }
    return body.type === "kinematic" ? KINEMATIC_COLOR : BODY_COLORS[index % BODY_COLORS.length];
}

export function desaturate(color) { // for sleeping bodies
    const grey = 0.3 * color.r + 0.59 * color.g + 0.11 * color.b;
    return color.lerp(new Color(grey, grey, grey), 0.7);
}
