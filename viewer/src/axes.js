// axes.js - logarithmic axes of plots: whole powers of ten, as many as can be read.

// Whole powers of ten around the values from low to high, both positive; at most so many.
export function decades(low, high, most = Infinity) {
    const top = Math.ceil(Math.log10(high) + 1e-9);
    const bottom = Math.max(Math.floor(Math.log10(low)), top - most);
    return [10 ** Math.min(bottom, top - 1), 10 ** top];
}

// Where lines are drawn and numbers written: every power, or every second, third, ... of them.
export function decadeSplits(low, high, most) {
    const bottom = Math.round(Math.log10(low)), top = Math.round(Math.log10(high));
    const stride = Math.ceil((top - bottom) / most);
    return Array.from({length: Math.floor((top - bottom) / stride) + 1}, (_, i) => 10 ** (bottom + i * stride));
}

export function decadeText(value) {
    const power = Math.round(Math.log10(value));
    return Math.abs(power) < 3 ? `${Number(value.toPrecision(1))}` : `1e${power}`;
}

// For uPlot: the parts of an axis that make it one of powers of ten.
export const decadeAxis = (most) => ({filter: (_, list) => list, splits: (_, __, low, high) => decadeSplits(low, high, most), values: (_, list) => list.map(decadeText)});
