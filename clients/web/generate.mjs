// Generates the TypeScript stubs of proto/bura/v1/*.proto into src/gen.
//
//     node generate.mjs           writes them
//     node generate.mjs --check   compares them with the .proto files, writes nothing
//
// buf compiles the files and protoc-gen-es writes the code; both are pinned in package.json.
// Exit status: 0 written, or no drift; 1 drift, with the files named.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const stubs = join(here, "src", "gen");
const proto = join(here, "..", "..", "proto");

/** Writes the stubs of every .proto file below `target`. */
function generate(target) {
  const template = {
    version: "v2",
    plugins: [
      {
        local: [process.execPath, join(here, "node_modules", ".bin", "protoc-gen-es")],
        out: target,
        opt: ["target=ts", "import_extension=js"],
        include_imports: true,
      },
    ],
  };
  const modules = {
    version: "v2",
    modules: [{ path: "." , includes: ["bura"] }, { path: "third_party" }],
  };
  execFileSync(
    join(here, "node_modules", ".bin", "buf"),
    ["generate", "--template", JSON.stringify(template), "--config", JSON.stringify(modules), proto],
    { cwd: proto, stdio: ["ignore", "inherit", "inherit"] },
  );
}

function files(root) {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

if (process.argv.includes("--check")) {
  const scratch = mkdtempSync(join(tmpdir(), "bura-stubs-"));
  try {
    generate(scratch);
    const due = files(scratch);
    const there = files(stubs);
    const wrong = [
      ...due.filter((name) => !there.includes(name)).map((name) => `${name}: missing`),
      ...there.filter((name) => !due.includes(name)).map((name) => `${name}: of no .proto file`),
      ...due
        .filter((name) => there.includes(name))
        .filter((name) => !readFileSync(join(stubs, name)).equals(readFileSync(join(scratch, name))))
        .map((name) => `${name}: differs`),
    ];
    for (const line of wrong) console.error(`src/gen/${line}`);
    if (wrong.length) {
      console.error("run: npm run generate");
      process.exit(1);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
} else {
  rmSync(stubs, { recursive: true, force: true });
  generate(stubs);
}
