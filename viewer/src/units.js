// units.js - numbers for people: three significant digits, SI prefixes, units always.
const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
const PREFIXED = new Set(["m", "N", "J", "m/s", "N m", "s", "W"]); // units a prefix goes well with

function three(value) {
    return Number(value.toPrecision(3)).toString();
}

// "12.3 mN": the number and its unit. Numbers too small for a prefix are written as powers of ten.
export function show(value, unit = "") {
    const [number, full] = split(value, unit);
    return full === "" ? number : `${number} ${full}`;
}

export function split(value, unit = "") {
    const size = Math.abs(value);
    if (!Number.isFinite(value)) {
        return [Number.isNaN(value) ? "–" : "∞", unit];
    }
    if (size === 0) {
        return ["0", unit];
    }
    if (size < 1e-9 || size >= 1e12 || (!PREFIXED.has(unit) && (size < 1e-3 || size >= 1e6))) {
        return [value.toExponential(1), unit];
    }
    if (!PREFIXED.has(unit)) {
        return [three(value), unit];
    }
    const [factor, prefix] = PREFIXES.find(([f]) => size >= f) ?? PREFIXES.at(-1);
    return [three(value / factor), prefix + unit];
}

// The largest of 1, 2, 5 times a power of ten that is not above the value.
export function niceBelow(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return [5, 2, 1].find((digit) => digit * power <= value * (1 + 1e-12)) * power;
}
