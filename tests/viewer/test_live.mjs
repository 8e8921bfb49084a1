// test_live.mjs - a scene that runs while the page watches: pause, step, settings, drag, push, reset.
import {openBrowser, openPage, runCases, serve, waitForApp} from "./browser.mjs";
import assert from "node:assert/strict";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

const folder = mkdtempSync(join(tmpdir(), "cairn-live-"));
const scene = join(folder, "block.json");
const write = (z) => writeFileSync(scene, JSON.stringify({
    cairn: 1, duration: 100, step: {dt: 0.005}, materials: {stone: {friction: 0.5, density: 1000}},
    bodies: [
        {name: "ground", type: "static", shapes: [{type: "plane", normal: [0, 0, 1]}], material: "stone"},
        {name: "block", position: [0, 0, z], shapes: [{type: "box", size: [1, 1, 1]}], material: "stone"},
    ]}));
write(0.5);
const server = await serve(scene);
const browser = await openBrowser();
const page = await openPage(browser, server.address);
await waitForApp(page);

const frames = () => page.evaluate(() => cairn.recording.frameCount);
const height = () => page.evaluate(() => cairn.recording.frame(cairn.recording.frameCount - 1).position[5]);
const send = (command) => page.evaluate((one) => cairn.live.send(one), command);
const settle = () => page.waitForTimeout(700);

await runCases({
    "new frames arrive": async () => {
        const before = await frames();
        await page.waitForFunction((count) => cairn.recording.frameCount > count + 5, before, {timeout: 30000});
    },
    "pause stops them, step adds to them": async () => {
        await page.locator("#play").click();
        await settle();
        const before = await frames();
        await settle();
        assert.equal(await frames(), before);
        await page.evaluate(() => cairn.timeline.seek(Infinity));
        for (let i = 0; i < 4; ++i) { // four steps of 5 ms are more than a frame
            await send({command: "step"});
        }
        await page.waitForFunction((count) => cairn.recording.frameCount > count, before, {timeout: 10000});
    },
    "the solver changes while it runs, and an unknown one is refused": async () => {
        assert.equal((await send({command: "solver", value: "pgs"})).ok, true);
        const answer = await send({command: "solver", value: "nonsense"});
        assert.equal(answer.ok, false);
        assert.match(answer.message, /no such solver/);
        assert.equal((await send({command: "tolerance", value: "1e-6"})).ok, true);
        assert.equal((await send({command: "tolerance", value: "-1"})).ok, false);
        assert.equal((await send({command: "scheme", value: "moreau"})).ok, true);
    },
    "a spring lifts the block, and it falls when released": async () => {
        await page.locator("#play").click();
        assert.equal((await send({command: "drag", body: 1, point: [0, 0, 0.5], target: [0, 0, 4]})).ok, true);
        await page.waitForFunction(() => cairn.recording.frame(cairn.recording.frameCount - 1).position[5] > 1.5, null, {timeout: 30000});
        await send({command: "release"});
        await page.waitForFunction(() => cairn.recording.frame(cairn.recording.frameCount - 1).position[5] < 0.7, null, {timeout: 30000});
    },
    "a push moves it": async () => {
        const before = await frames();
        assert.equal((await send({command: "push", body: 1, velocity: [0, 0, 5]})).ok, true);
        // In any frame since: a busy machine may not look while the block is up.
        await page.waitForFunction((first) => {
            for (let i = first; i < cairn.recording.frameCount; ++i) {
                if (cairn.recording.frame(i).position[5] > 1) {
                    return true;
                }
            }
            return false;
        }, before, {timeout: 30000});
    },
    "no gravity, no fall": async () => {
        assert.equal((await send({command: "gravity_z", value: 0})).ok, true);
    },
    "a changed file starts again": async () => {
        write(3);
        await page.waitForFunction(() => window.cairn !== undefined && Math.abs(cairn.recording.frame(0).position[5] - 3) < 1e-3, null, {timeout: 30000});
        assert.ok(await height() > 0.4);
    },
    "no error was logged": async () => {
        assert.deepEqual(page.problems, []);
    },
    "SIGTERM ends it": async () => {
        await server.stop();
    },
});
await browser.close();
rmSync(folder, {recursive: true});
