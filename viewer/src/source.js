// source.js - where recordings come from: this page, the program's server, or a scene that runs.
import {Recording} from "./recording.js";

const BREATH = 30; // the page is busy at most this long at a time [ms]

function breather(report) {
    let last = performance.now();
    return async (share) => {
        if (performance.now() - last > BREATH) {
            report(share);
            await new Promise((resolve) => setTimeout(resolve));
            last = performance.now();
        }
    };
}

function decodeBase64(text) {
    const binary = atob(text.trim());
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; ++i) {
        bytes[i] = binary.charCodeAt(i);
    }
    return bytes;
}

async function readWhole(bytes, report) {
    const recording = new Recording();
    await recording.append(bytes, breather(report));
    recording.finish();
    return recording;
}

// The server that this page came from: {mode, address(path)}; null: it came from a file.
export function findServer() {
    const script = document.getElementById("server");
    if (script === null) {
        return null;
    }
    const token = new URLSearchParams(location.search).get("token") ?? "";
    return {...JSON.parse(script.textContent), address: (path) => `${path}?token=${encodeURIComponent(token)}`};
}

// Those in the page itself: [{name, recording}]
export async function embeddedRecordings(report) {
    const found = [];
    for (const script of document.querySelectorAll("script.recording")) {
        found.push({name: script.dataset.name ?? "", recording: await readWhole(decodeBase64(script.textContent), report)});
    }
    return found;
}

export async function fetchRecording(server, report) {
    const response = await fetch(server.address("recording"));
    if (!response.ok) {
        throw new Error(`The program answered: ${await response.text()}`);
    }
    return readWhole(new Uint8Array(await response.arrayBuffer()), report);
}

// A scene that runs: ready(recording) once there is a frame, grew() when there are more, ended(reason) at last.
export async function followStream(server, {ready, grew, ended}) {
    const recording = new Recording();
    let isReady = false;
    try {
        const response = await fetch(server.address("stream"));
        if (!response.ok) {
            throw new Error(await response.text());
        }
        const reader = response.body.getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
            await recording.append(part.value);
            if (!isReady && recording.frameCount > 0) {
                isReady = true;
                ready(recording);
            } else if (isReady) {
                grew();
            }
        }
        ended("");
    } catch (problem) {
        ended(problem.message);
    }
}

// command: {command: "drag", ...}; numbers, words and lists of numbers
export async function sendCommand(server, command) {
    const parameters = Object.entries(command).map(([key, value]) => `&${key}=${encodeURIComponent(Array.isArray(value) ? value.join(" ") : value)}`);
    const response = await fetch(server.address("command") + parameters.join(""), {method: "POST"});
    return response.json();
}
