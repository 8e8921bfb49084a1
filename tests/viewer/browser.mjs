// browser.mjs - Debian's chromium for the tests of the viewer, and what they share.
import {chromium} from "../../viewer/node_modules/playwright-core/index.mjs";
import assert from "node:assert/strict";
import {spawn, spawnSync} from "node:child_process";

// The program under test: the environment says where it is.
export const CAIRN = process.env.CAIRN ?? "build/release/cairn";
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export async function openBrowser() {
    return chromium.launch({executablePath: CHROMIUM,
                            args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]});
}

// A page that remembers what went wrong in it and what it asked the network for.
export async function openPage(browser, address, options = {}) {
    const context = await browser.newContext({viewport: {width: 1000, height: 640}, ...options});
    const page = await context.newPage();
    page.problems = [];
    page.requests = [];
    page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
    page.on("pageerror", (error) => page.problems.push(error.message));
    page.on("request", (request) => page.requests.push(request.url()));
    await page.goto(address);
    return page;
}

export const waitForApp = (page) => page.waitForFunction(() => window.cairn !== undefined, null, {timeout: 60000});

export function run(...args) {
    const done = spawnSync(CAIRN, args, {encoding: "utf8", timeout: 120000});
    assert.equal(done.status, 0, `cairn ${args.join(" ")}: ${done.stderr}`);
    return done;
}

// `cairn view` in the background: its address, and the process to end.
export async function serve(...args) {
    const child = spawn(CAIRN, ["view", "--no-browser", "--quiet", ...args], {stdio: ["ignore", "pipe", "inherit"]});
    const address = await new Promise((resolve, reject) => {
        child.stdout.once("data", (data) => resolve(data.toString().trim()));
        child.once("exit", (code) => reject(new Error(`cairn view ended with ${code}`)));
    });
    return {address, child, stop: () => new Promise((resolve) => { child.once("exit", resolve); child.kill("SIGTERM"); })};
}

// Runs named cases one after the other; one line each, and the count at the end.
export async function runCases(cases) {
    let failed = 0;
    for (const [name, test] of Object.entries(cases)) {
        try {
            await test();
            console.log(`ok ${name}`);
        } catch (problem) {
            failed += 1;
            console.log(`FAILED ${name}\n${problem.stack}`);
        }
    }
    console.log(`${Object.keys(cases).length - failed} passed, ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
}
