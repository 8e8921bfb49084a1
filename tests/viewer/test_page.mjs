// test_page.mjs - the page of a recording, opened from disk with the network off, used as a person would.
import {openBrowser, openPage, run, runCases, waitForApp} from "./browser.mjs";
import assert from "node:assert/strict";
import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

const folder = mkdtempSync(join(tmpdir(), "cairn-page-"));
const html = join(folder, "stack.html");
run("view", "@stack:5", "--html", html, "--duration", "1", "--quiet");
const browser = await openBrowser();
const page = await openPage(browser, `file://${html}`, {offline: true});
await waitForApp(page);

const frame = () => page.evaluate(() => cairn.timeline.frame);
const text = (selector) => page.locator(selector).innerText();

await runCases({
    "shows the scene and its certificate": async () => {
        assert.match(await text("#scene-name"), /stack/);
        assert.match(await text("#chips"), /residual .*m\/s/);
        assert.equal(await page.evaluate(() => cairn.view.shapes.sets.reduce((n, set) => n + set.parts.length, 0)), 5);
    },
    "plays, and space pauses it": async () => {
        await page.waitForFunction(() => cairn.timeline.frame > 0, null, {timeout: 30000});
        await page.keyboard.press("Space");
        const before = await frame();
        await page.waitForTimeout(300);
        assert.equal(await frame(), before);
    },
    "scrubs": async () => {
        await page.locator("#scrub").fill("30");
        assert.equal(await frame(), 30);
        assert.match(await text("#time"), /^0\.5\d\d \/ 1\.000 s$/);
        assert.match(await text("#clock"), /0\.5/);
    },
    "steps forward and back": async () => {
        await page.locator("#forward").click();
        assert.equal(await frame(), 31);
        await page.keyboard.press("ArrowLeft");
        await page.keyboard.press("ArrowLeft");
        assert.equal(await frame(), 29);
    },
    "finds a body by name and shows its numbers": async () => {
        const name = await page.evaluate(() => cairn.recording.head.bodies.find((body) => body.type === "dynamic").name);
        await page.locator("#search").fill(name);
        await page.locator("#tree li").first().click();
        assert.equal(await text("#selected h2"), name);
        const z = await page.evaluate(() => cairn.view.frame.position[3 * cairn.view.selection.index + 2]);
        const shown = await page.locator("#selected tr", {hasText: "position z"}).locator("td").first().getAttribute("title");
        assert.ok(Math.abs(Number(shown.split(" ")[0]) - z) < 1e-6, shown);
    },
    "a click in the view selects the body there": async () => {
        await page.keyboard.press("Escape");
        await page.locator("#search").fill("");
        const target = await page.evaluate(() => {
            cairn.toggles.contacts.setValue(false);
            const body = cairn.recording.head.bodies.findIndex((one) => one.type === "dynamic");
            const place = cairn.view.camera.position.clone().setFromMatrixPosition(cairn.view.placements[body]).project(cairn.view.camera);
            const box = cairn.view.renderer.domElement.getBoundingClientRect();
            return {x: box.left + (place.x + 1) / 2 * box.width, y: box.top + (1 - place.y) / 2 * box.height};
        });
        await page.mouse.click(target.x, target.y);
        assert.equal(await page.evaluate(() => cairn.view.selection?.kind), "body");
        await page.evaluate(() => cairn.toggles.contacts.setValue(true));
    },
    "C turns contact forces off and on": async () => {
        const arrows = () => page.evaluate(() => cairn.view.contactArrows.shafts?.count ?? 0);
        const before = await arrows();
        assert.ok(before >= 4, `${before} arrows`);
        await page.keyboard.press("c");
        assert.equal(await arrows(), 0);
        await page.keyboard.press("c");
        assert.equal(await arrows(), before);
    },
    "forces at the lowest contacts carry the weight of all above": async () => {
        const [sum, weight] = await page.evaluate(() => {
            cairn.timeline.seek(Infinity);
            const {contacts} = cairn.view.frame;
            const {bodies, gravity} = cairn.recording.head;
            const fixed = bodies.findIndex((body) => body.type === "static");
            let total = 0;
            for (let i = 0; i < contacts.count; ++i) {
                const sign = contacts.bodyA[i] === fixed ? 1 : contacts.bodyB[i] === fixed ? -1 : 0;
                total += sign * contacts.force[3 * i + 2];
            }
            return [total, -gravity[2] * bodies.reduce((mass, body) => mass + body.mass, 0)];
        });
        assert.ok(Math.abs(sum - weight) < 1e-5 * weight, `${sum} N of ${weight} N`); // single precision
    },
    "a chip adds its plot, and the cross removes it": async () => {
        const plots = () => page.locator(".plot").count();
        const before = await plots();
        await page.locator(".chip", {hasText: "energy"}).click();
        assert.equal(await plots(), before + 1);
        await page.locator(".plot .close").last().click();
        assert.equal(await plots(), before);
    },
    "colours by speed, with a legend": async () => {
        await page.evaluate(() => cairn.toggles.color.setValue("speed"));
        assert.match(await text(".legend"), /speed/);
    },
    "a click in a plot moves the time": async () => {
        await page.evaluate(() => cairn.timeline.seek(0));
        const box = await page.locator(".plot .u-over").first().boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        const at = await frame();
        assert.ok(at > 20 && at < 40, `frame ${at}`);
    },
    "light and dark": async () => {
        const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
        const before = await theme();
        await page.locator("#theme").click();
        assert.notEqual(await theme(), before);
    },
    "the lines of the energy plot are named": async () => {
        assert.match(await text(".plot .keys"), /kinetic\s*potential/);
    },
    "chips say their limits, and what a step does not have": async () => {
        const chips = await page.evaluate(() => {
            const {scalars} = cairn.recording;
            const energy = scalars[cairn.recording.scalarIndex("energy.ledger_error")];
            const old = energy[5];
            energy[5] = NaN; // as soft_step, which keeps no ledgers
            cairn.status.show(5);
            const shown = cairn.status.chips.map(({button}) => [button.textContent, button.className]);
            energy[5] = old;
            cairn.status.show(5);
            return {shown, title: cairn.status.chips[1].button.title};
        });
        assert.deepEqual(chips.shown[2], ["energy ledger not kept", "chip none"]);
        assert.equal(chips.shown[0][1], "chip good");
        assert.match(chips.title, /green up to 1 nm|green up to 1\.00 nm|green up to 1e-9/);
    },
    "the help lists the keys": async () => {
        await page.keyboard.press("?");
        assert.match(await text("#help"), /play or pause/);
        await page.locator("#help button").click();
    },
    "on a phone the inspector is a sheet": async () => {
        await page.setViewportSize({width: 390, height: 780});
        const top = () => page.evaluate(() => document.getElementById("inspector").getBoundingClientRect().top);
        await page.waitForFunction(() => document.getElementById("inspector").getBoundingClientRect().top > 760);
        await page.locator("#inspector-handle").click();
        await page.waitForFunction(() => document.getElementById("inspector").getBoundingClientRect().top < 600);
        assert.ok(await top() > 200, "the view is still to be seen");
        await page.setViewportSize({width: 1000, height: 640});
    },
    "asked for nothing but itself, and no error was logged": async () => {
        assert.deepEqual(page.requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:") && !url.startsWith("blob:")), []);
        assert.deepEqual(page.problems, []);
    },
    "is small": async () => {
        assert.ok(statSync(html).size < 5e6, `${statSync(html).size} bytes`);
    },
    "ten seconds of 1,025 tumbling bodies are below 5 MB": async () => {
        const pile = join(folder, "pile.html");
        run("run", "@pile:16", "--scheme", "soft_step", "--duration", "10", "--html", pile, "--quiet");
        assert.ok(statSync(pile).size < 5e6, `${statSync(pile).size} bytes`);
        assert.ok(statSync(pile).size > 3e6, "a page gives up no more than it must");
    },
    "a file cut short opens with fewer frames, a wrong one with a sentence": async () => {
        const whole = readFileSync(html, "utf8");
        const data = whole.match(/class="recording"[^>]*>([^<]+)</)[1];
        const bytes = Buffer.from(data, "base64");
        const show = async (part, name) => {
            const path = join(folder, name);
            writeFileSync(path, whole.replace(data, () => part.toString("base64")));
            return openPage(browser, `file://${path}`, {offline: true});
        };
        const cut = await show(bytes.subarray(0, bytes.length - 300), "cut.html");
        await waitForApp(cut);
        assert.equal(await cut.evaluate(() => cairn.recording.isWhole), false);
        const wrong = await show(Buffer.from("not a recording at all"), "wrong.html");
        await wrong.waitForFunction(() => document.getElementById("message").textContent !== "");
        assert.match(await wrong.locator("#message").innerText(), /not a recording of Cairn/);
    },
});
await browser.close();
rmSync(folder, {recursive: true});
