// Builds the page into the service's package, from where it is served.
//
//     node build.mjs           writes it
//     node build.mjs --check   compares what is there with a fresh build, writes nothing
//
// The output depends on the sources and the pinned packages alone.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

// Those that know light-dark() and CompressionStream.
const BROWSERS = ["chrome123", "firefox120", "safari17.5"];

const here = dirname(fileURLToPath(import.meta.url));
const page = join(here, "page");
const target = join(here, "..", "..", "service", "src", "bura_service", "web");

const built = await build({
  absWorkingDir: here,
  entryPoints: [join(page, "main.tsx")],
  bundle: true,
  write: false,
  minify: true,
  format: "esm",
  target: ["es2022", ...BROWSERS],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "utf8",
  legalComments: "eof",
  define: { "process.env.NODE_ENV": '"production"' },
  outfile: join(target, "app.js"),
});
const css = await build({
  absWorkingDir: here,
  entryPoints: [join(page, "style.css")],
  write: false,
  minify: true,
  charset: "utf8",
  target: BROWSERS,
  outfile: join(target, "app.css"),
});

const files = new Map([
  ["app.js", Buffer.from(built.outputFiles[0].contents)],
  ["app.css", Buffer.from(css.outputFiles[0].contents)],
  ["index.html", readFileSync(join(page, "index.html"))],
  ["icon.svg", readFileSync(join(page, "icon.svg"))],
]);

// The puzzles have their only home beside the command that poses them in the terminal.
const puzzles = join(here, "..", "python", "src", "bura", "puzzles.json");
if (existsSync(puzzles)) files.set("puzzles.json", readFileSync(puzzles));

if (process.argv.includes("--check")) {
  const there = (() => {
    try {
      return readdirSync(target);
    } catch {
      return [];
    }
  })();
  const wrong = [
    ...[...files].filter(([name, bytes]) => !there.includes(name) || !readFileSync(join(target, name)).equals(bytes)),
    ...there.filter((name) => !files.has(name)).map((name) => [name]),
  ].map(([name]) => name);
  for (const name of wrong) console.error(`bura_service/web/${name}: not what the sources build`);
  if (wrong.length) {
    console.error("run: npm run build");
    process.exit(1);
  }
} else {
  mkdirSync(target, { recursive: true });
  for (const [name, bytes] of files) {
    writeFileSync(join(target, name), bytes);
    console.log(`${name}  ${(bytes.length / 1024).toFixed(1)} kB`);
  }
}
