// build.mjs - bundles the viewer into one HTML file, or into that file as a C array:
//
//     node build.mjs OUT.html|OUT.c
//
// The page holds the line <!--CAIRN-DATA-->; the program puts recordings or the address of a
// running scene in its place.
import {build} from "esbuild";
import {readFile, writeFile} from "node:fs/promises";

const out = process.argv[2] ?? "viewer.html";
const here = new URL(".", import.meta.url).pathname;
const bundle = await build({
    entryPoints: [here + "src/main.js"],
    bundle: true, minify: true, write: false, format: "iife", target: "es2022",
    legalComments: "eof", charset: "ascii",
});
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");
const uplot = await readFile(here + "node_modules/uplot/dist/uPlot.min.css", "utf8");
const style = await readFile(here + "style.css", "utf8");
const page = await readFile(here + "index.html", "utf8");
const whole = page
    .replace("/*STYLE*/", () => uplot + style)
    .replace("/*SCRIPT*/", () => script);

// As cli/serve/page.h declares it; a zero byte follows the text.
function asArray(text) {
    const bytes = Buffer.from(text, "utf8");
    const rows = [];
    for (let i = 0; i < bytes.length; i += 32) {
        rows.push(bytes.subarray(i, i + 32).join(","));
    }
    return `// Written by viewer/build.mjs.\n#include "serve/page.h"\n\n` +
           `const unsigned char viewer_page[] = {\n${rows.join(",\n")},0};\n` +
           `const size_t viewer_page_size = sizeof viewer_page - 1;\n`;
}

await writeFile(out, out.endsWith(".c") ? asArray(whole) : whole);
