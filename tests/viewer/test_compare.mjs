// test_compare.mjs - the page of `cairn compare`: linked views, one timeline, differences and costs.
import {openBrowser, openPage, run, runCases, waitForApp} from "./browser.mjs";
import assert from "node:assert/strict";
import {mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

const folder = mkdtempSync(join(tmpdir(), "cairn-compare-"));
const html = join(folder, "compare.html");
run("compare", "@stack:5", "--with", "solver=pgs,iterations=3", "--with", "dt=0.005", "--duration", "0.5", "--html", html, "--quiet");
const browser = await openBrowser();
const page = await openPage(browser, `file://${html}`, {offline: true, viewport: {width: 1100, height: 700}});
await waitForApp(page);
await page.evaluate(() => cairn.timeline.pause());

await runCases({
    "three runs side by side, each with its name and error": async () => {
        assert.equal(await page.locator(".view canvas:first-child").count(), 3);
        await page.evaluate(() => cairn.timeline.seek(Infinity));
        const names = await page.locator(".view-name").allInnerTexts();
        assert.match(names[0], /^1 scene.*residual .*m\/s/s);
        assert.match(names[1], /^2 solver=pgs,iterations=3.*difference .*m/s);
    },
    "all show the same time": async () => {
        for (const frame of [0, 7, 25]) {
            await page.evaluate((index) => cairn.timeline.seek(index), frame);
            const [main, ...times] = await page.evaluate(() => cairn.views.map((view) => view.frame.time));
            assert.ok(times.every((time) => Math.abs(time - main) < 1e-9), `${main}: ${times}`); // sums of up to 500 steps
        }
    },
    "one camera": async () => {
        const places = () => page.evaluate(() => cairn.views.map((view) => view.camera.position.toArray().map((x) => x.toFixed(6)).join()));
        const before = await places();
        assert.equal(new Set(before).size, 1);
        const box = await page.locator(".view").nth(1).boundingBox();
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2 + 20, {steps: 4});
        await page.mouse.up();
        await page.waitForTimeout(800);
        const after = await places();
        assert.notEqual(after[0], before[0]);
        assert.equal(new Set(after).size, 1);
    },
    "the table says what each run cost and how far it is off": async () => {
        const text = await page.locator("#comparison-table").innerText();
        assert.match(text, /2 solver=pgs,iterations=3/);
        assert.match(text, /★/);
        assert.match(text, /Most accurate: /);
    },
    "plots of residual and difference have a line per run, and costs a point per run": async () => {
        const lines = await page.evaluate(() => ["residual.worst", "difference"].map((key) => cairn.plots.plots.get(key).series.length));
        assert.deepEqual(lines, [3, 3]);
        const points = await page.evaluate(() => cairn.plots.scatters.get("work-residual").scatter.points.length);
        assert.equal(points, 3);
        // The most accurate run has no difference to itself, so no place on a logarithmic axis.
        assert.equal(await page.evaluate(() => cairn.plots.scatters.get("work-difference").scatter.points.length), 2);
    },
    "the difference of the page is that of the runs": async () => {
        const [embedded, shown] = await page.evaluate(() => {
            cairn.timeline.seek(Infinity);
            const {data, best} = cairn.comparison;
            const [a, b] = [cairn.views[1].frame.position, cairn.views[best].frame.position];
            let worst = 0;
            for (let i = 0; i < a.length; i += 3) {
                worst = Math.max(worst, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
            }
            return [data.variants[1].difference.end, worst];
        });
        assert.ok(embedded > 1e-5, `${embedded} m`);
        assert.ok(Math.abs(embedded - shown) < 3e-6, `${embedded} and ${shown} m`); // quantum of 1e-6 m in three axes of both, and float
    },
    "outlines of the most accurate run can be turned off": async () => {
        const ghosts = () => page.evaluate(() => cairn.views.map((view) => view.ghost?.shapes.group.visible ?? null));
        const best = await page.evaluate(() => cairn.comparison.best);
        assert.deepEqual(await ghosts(), [0, 1, 2].map((i) => i === best ? null : true));
        await page.evaluate(() => cairn.toggles.ghost.setValue(false));
        assert.deepEqual(await ghosts(), [0, 1, 2].map((i) => i === best ? null : false));
    },
    "a run can be left out, and the others take its place": async () => {
        await page.locator("#comparison-table input").nth(1).uncheck();
        assert.equal(await page.locator(".view:visible").count(), 2);
        assert.equal(await page.evaluate(() => document.getElementById("views").style.gridTemplateColumns), "repeat(2, minmax(0px, 1fr))");
        await page.locator("#comparison-table input").nth(1).check();
        assert.equal(await page.locator(".view:visible").count(), 3);
    },
    "light and dark keep the order of plots": async () => {
        const titles = () => page.locator(".plot .u-title").allInnerTexts();
        const before = await titles();
        await page.locator("#theme").click();
        assert.deepEqual(await titles(), before);
    },
    "the page of solve shows profiles of all solvers and a table of answers": async () => {
        const profile = join(folder, "profile.html");
        const problems = [1, 2, 3].map((step) => join(folder, `${step}.json`));
        problems.forEach((path, i) => run("run", "@stack:3", "--duration", "0.1", "--dump-problem", `${i + 1}`, path, "--quiet"));
        run("solve", ...problems, "--solver", "all", "--html", profile, "--quiet");
        const other = await openPage(browser, `file://${profile}`, {offline: true});
        await waitForApp(other);
        assert.equal(await other.locator(".profiles canvas").count(), 2);
        assert.equal(await other.locator(".answers tbody tr").count(), 3);
        const [first, last] = await other.evaluate(() => cairn.plots[1].plot.data.slice(1).map((line) => [line[0], line.at(-1)])).then((ends) => [
            ends.map(([left]) => left), ends.map(([, right]) => right)]);
        assert.ok(first.reduce((sum, share) => sum + share, 0) >= 1 - 1e-12, "every problem that is solved has a best solver");
        assert.equal(Math.max(...last), 1);
        const columns = await other.locator(".answers th").count();
        await other.locator(".solvers input").first().uncheck();
        assert.equal(await other.locator(".answers th").count(), columns - 1);
        await other.locator("#profile select").selectOption("1");
        assert.deepEqual(other.problems, []);
    },
    "no error was logged": async () => {
        assert.deepEqual(page.problems, []);
    },
});
await browser.close();
rmSync(folder, {recursive: true});
