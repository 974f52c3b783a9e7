/** Imports point one way, as in ARCHITECTURE.md. */

import { describe, expect, test } from "bun:test";
import { dirname, join, normalize, resolve } from "node:path";

/**
 * The parts of src/, lowest first, each with the parts it may import. A part is below everything
 * that imports it, so the table cannot contain cycles. Types count like values.
 */
const TABLE = `
# Leaves: no imports from src/.
text:
domain: text
observe:
durable-files.ts:
# Resource schemas, queries and the store contract.
schema: domain
query: domain text
store: domain observe query durable-files.ts
postgres: store
sqlite: store
# The stages of a request and of a match.
document: domain query store
access: domain observe store
openapi: domain query schema
endpoint: domain query store document access openapi
settings: domain text
# How commands and findings are declared, here and in features.
cli/table.ts:
cli/command.ts: domain settings
doctor/findings.ts:
# Each in a folder of its own.
features: domain text observe query store document access openapi endpoint settings cli/command.ts
    cli/table.ts doctor/findings.ts
store/all-tables: domain store features
ingest: domain schema store document features store/all-tables durable-files.ts
rebuild: store store/all-tables ingest
export: store store/all-tables document rebuild
# Used by both.
demo: domain
prune: store ingest
redact: domain store document ingest export prune access
# Runs in browsers and uses the public API; the tables are for its forms.
portal: domain text query features
# The adapters, each imported by one file only.
store/sqlite: domain observe query store store/all-tables sqlite durable-files.ts
store/postgres: domain observe query store store/all-tables postgres
access/redis: observe access
access/sqlite: access sqlite durable-files.ts
access/postgres: access postgres
open-access.ts: domain observe store access settings access/redis access/sqlite access/postgres
    features redact
open-stores.ts: domain observe store settings store/sqlite store/postgres redact open-access.ts
# Both compare a shard with one that is rebuilt.
verify: store store/all-tables rebuild open-stores.ts
repair: store rebuild verify
backup: domain text observe settings store verify sqlite durable-files.ts open-stores.ts open-access.ts
    redact
# Entry points and wiring.
http: domain text observe query store document access settings openapi endpoint features
admin: domain text observe store ingest access settings endpoint http
doctor: domain text store redact access features doctor/findings.ts settings open-stores.ts
    open-access.ts admin
upload-worker.ts: observe store ingest open-stores.ts admin
maintenance: domain observe store store/all-tables ingest prune verify settings
maintenance-worker.ts: domain observe store verify maintenance open-stores.ts
wiring.ts: domain observe store access settings endpoint open-stores.ts open-access.ts features
    http admin maintenance upload-worker.ts maintenance-worker.ts
workers: observe access settings endpoint features http wiring.ts
cli: domain durable-files.ts text observe query store document ingest export verify prune redact
    rebuild repair access settings backup demo features cli/command.ts cli/table.ts endpoint http
    open-stores.ts open-access.ts doctor doctor/findings.ts wiring.ts workers
main.ts: text cli
executable.ts: main.ts
`;

const MAY_IMPORT: Record<string, readonly string[]> = Object.fromEntries(
  TABLE.replaceAll(/^#.*$/gm, "")
    .replaceAll(/\n +/g, " ")
    .split("\n")
    .filter((row) => row !== "")
    .map((row) => row.split(":"))
    .map(([part, others]) => [part!, others!.trim().split(" ").filter(Boolean)]),
);

/** Packages that only some parts may use. Node's own modules are not listed. */
const MAY_USE: Record<string, readonly string[]> = {
  "bun:sqlite": ["sqlite", "store/sqlite", "access/sqlite"],
  "bun:ffi": ["workers", "executable.ts"],
  bun: ["postgres", "access/redis"],
  commander: ["cli", "cli/command.ts"],
  "smol-toml": ["settings"],
  react: ["portal"],
  "react-dom": ["portal"],
};

/** Parts without any packages or Node modules: rules that run anywhere. */
const USE_NOTHING = ["domain", "text"];

const SOURCE = resolve(import.meta.dir, "../../src");
/** A separate package for other programs. */
const CLIENT = resolve(import.meta.dir, "../../client/src");

/** Every file of src/ with its imports: files of src/ by path, anything else by name. */
type Graph = ReadonlyMap<string, readonly string[]>;

const IMPORTS = [
  /^(?:import|export)\b[^;"]*?\bfrom "([^"]+)"/gm,
  /^import "([^"]+)"/gm,
  /\bimport\("([^"]+)"\)/g,
  /\bnew URL\("([^"]+)", import\.meta\.url\)/g,
];

async function readGraph(folder: string): Promise<Graph> {
  const graph = new Map<string, string[]>();
  for await (const file of new Bun.Glob("**/*.{ts,tsx}").scan(folder)) {
    const text = await Bun.file(join(folder, file)).text();
    const named = IMPORTS.flatMap((form) => [...text.matchAll(form)].map((found) => found[1]!));
    graph.set(
      file,
      named.map((name) => (name.startsWith(".") ? normalize(join(dirname(file), name)) : name)),
    );
  }
  return graph;
}

/** The part of a file: the deepest folder or file in the table. */
function partOf(file: string): string {
  const words = file.split("/");
  for (let length = words.length; length > 0; length--) {
    const path = words.slice(0, length).join("/");
    if (path in MAY_IMPORT) return path;
  }
  return words[0]!;
}

const isOfSource = (name: string) => /\.(tsx?|json|css|html)$/.test(name) && !name.startsWith("..");

function forbiddenImports(graph: Graph): string[] {
  const found: string[] = [];
  for (const [file, names] of graph) {
    const part = partOf(file);
    for (const name of names.filter(isOfSource)) {
      const target = partOf(name);
      if (target === part || MAY_IMPORT[part]?.includes(target)) continue;
      found.push(`${file} imports ${name}: ${part} may not import ${target}`);
    }
  }
  return found;
}

function forbiddenPackages(graph: Graph): string[] {
  const found: string[] = [];
  for (const [file, names] of graph) {
    const part = partOf(file);
    for (const name of names.filter((one) => !isOfSource(one) && !one.startsWith(".."))) {
      const [owner] = Object.entries(MAY_USE).find(([known]) => isPartOf(name, known)) ?? [];
      const isAllowed = owner ? MAY_USE[owner]!.includes(part) : name.startsWith("node:");
      if (!isAllowed || USE_NOTHING.includes(part)) found.push(`${file} uses ${name}`);
    }
  }
  return found;
}

const isPartOf = (name: string, known: string) => name === known || name.startsWith(`${known}/`);

/** The import cycles, each as a path. */
function circles(graph: Graph): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (file: string) => {
    if (way.includes(file)) {
      found.push([...way.slice(way.indexOf(file)), file].join(" → "));
      return;
    }
    if (done.has(file)) return;
    way.push(file);
    for (const name of graph.get(file) ?? []) if (graph.has(name)) visit(name);
    way.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return found;
}

const graph = await readGraph(SOURCE);
const client = await readGraph(CLIENT);

describe("imports", () => {
  test("point one way, as in the table", () => {
    expect(forbiddenImports(graph)).toEqual([]);
  });

  test("form no cycle, not even within a part, nor in the client", () => {
    expect([...circles(graph), ...circles(client)]).toEqual([]);
  });

  test("use packages only where the table allows", () => {
    expect(forbiddenPackages(graph)).toEqual([]);
  });

  test("leave src/ only for package.json, and from the portal for the client and its guides", () => {
    const outside = (isPortal: boolean) =>
      [...graph]
        .filter(([file]) => (partOf(file) === "portal") === isPortal)
        .flatMap(([, names]) => names.filter((name) => name.startsWith("..")));
    expect([...new Set(outside(false))]).toEqual(["../package.json"]);
    const isGuide = (name: string) => /^\.\.\/(docs\/[a-z-]+|CHANGELOG)\.md$/.test(name);
    expect([...new Set(outside(true))].filter((name) => !isGuide(name))).toEqual([
      "../client/src/index.ts",
    ]);
  });
});

describe("imports of the client", () => {
  test("stay within it: no packages, no runtime modules, nothing of the service", () => {
    const names = [...client.values()].flat();
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !client.has(name))).toEqual([]);
  });
});

describe("the table of parts", () => {
  test("lists exactly the parts of src/", () => {
    expect([...new Set([...graph.keys()].map(partOf))].sort()).toEqual(
      Object.keys(MAY_IMPORT).sort(),
    );
  });

  test("lets a part import only parts above it", () => {
    const parts = Object.keys(MAY_IMPORT);
    for (const [index, part] of parts.entries()) {
      const unknown = MAY_IMPORT[part]!.filter((one) => !parts.slice(0, index).includes(one));
      expect([part, unknown]).toEqual([part, []]);
    }
  });
});

describe("the checks themselves", () => {
  test("detect a wrong direction, an adapter, an unknown part, a package in the wrong place, and cycles", () => {
    const bad: Graph = new Map([
      ["domain/match.ts", ["store/store.ts", "node:fs"]],
      ["http/server.ts", ["store/sqlite/reader.ts", "bun:sqlite", "left-pad", "node:zlib"]],
      ["store/store.ts", ["store/sqlite/reader.ts", "store/store.ts"]],
      ["cli/serve.ts", ["helpers/text.ts", "wiring.ts", "commander"]],
      ["store/sqlite/reader.ts", ["domain/match.ts"]],
    ]);
    expect(forbiddenImports(bad)).toEqual([
      "domain/match.ts imports store/store.ts: domain may not import store",
      "http/server.ts imports store/sqlite/reader.ts: http may not import store/sqlite",
      "store/store.ts imports store/sqlite/reader.ts: store may not import store/sqlite",
      "cli/serve.ts imports helpers/text.ts: cli may not import helpers",
    ]);
    expect(forbiddenPackages(bad)).toEqual([
      "domain/match.ts uses node:fs",
      "http/server.ts uses bun:sqlite",
      "http/server.ts uses left-pad",
    ]);
    expect(circles(bad)).toEqual([
      "domain/match.ts → store/store.ts → store/sqlite/reader.ts → domain/match.ts",
      "store/store.ts → store/store.ts",
    ]);
  });

  test("detect every form of import", async () => {
    expect(graph.get("open-stores.ts")).toContain("store/sqlite/shard.ts");
    expect(graph.get("wiring.ts")).toContain("upload-worker.ts");
    expect(graph.get("store/store.ts")).toContain("query/query.ts");
    expect([...graph.keys()].length).toBeGreaterThan(80);
  });
});
