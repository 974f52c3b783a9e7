/** The explorer's TypeScript: it sends the same request as the form, and it compiles. */

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type Fetch, Matchbook } from "../../client/src/index.ts";
import { codeOf } from "../../src/portal/views/explorer/code.ts";
import { needsId, type Query } from "../../src/portal/views/explorer/query.ts";
import { TARGET_NAMES, TARGETS } from "../../src/portal/views/explorer/targets.ts";
import { PARAMETERS, type Parameter } from "../../src/query/parameters.ts";
import { ROOT } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

const OF_MATCHES = (PARAMETERS as readonly Parameter[]).filter(({ endpoints }) =>
  endpoints.includes("matches"),
);

const asked = (parameters: Query["parameters"], on: Query["on"] = "matches", id = ""): Query => ({
  shard: "na",
  on,
  id,
  parameters,
  as: "cards",
});

/** Runs a program with the real client, and returns the URLs that it requested. */
async function urlsOf(code: string): Promise<string[]> {
  const urls: string[] = [];
  const response = { data: [], links: {}, meta: { window: {} } };
  const record = { ...response, data: { type: "match", id: "m" } };
  const fetch: Fetch = async (url) => {
    urls.push(url);
    const isRecord = /\/(matches|players)\/[^/]+$/.test(new URL(url).pathname);
    return Response.json(isRecord ? record : response);
  };
  class Watched extends Matchbook {
    constructor(options: ConstructorParameters<typeof Matchbook>[0]) {
      super({ ...options, fetch });
    }
  }
  const [importLine, ...body] = new Bun.Transpiler({ loader: "ts" })
    .transformSync(code)
    .split("\n");
  expect(importLine).toBe('import { Matchbook } from "matchbook-client";');
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  await new AsyncFunction("Matchbook", "console", body.join("\n"))(Watched, { log() {} });
  return urls;
}

const program = (query: Query) => codeOf(query, "http://localhost:8080", "mb_key");

describe("the TypeScript of a query", () => {
  test("is what a person would write", () => {
    const query = asked([
      ["filter[playerNames]", "Ada,Gr\\,ace"],
      ["filter[gameMode]", "ranked"],
      ["filter[createdAt-start]", "2026-03-01T18:30:00Z"],
      ["sort", "-createdAt"],
      ["page[limit]", "3"],
      ["include", ""],
      ["fields[match]", "createdAt,gameMode"],
    ]);
    expect(program(query)).toBe(`import { Matchbook } from "matchbook-client";

const matchbook = new Matchbook({ url: "http://localhost:8080", key: "mb_key" });
const matches = matchbook.shard("na").matches({
  playerNames: ["Ada", "Gr,ace"],
  gameMode: ["ranked"],
  createdAtStart: "2026-03-01T18:30:00Z",
  sort: "-createdAt",
  limit: 3,
  include: [],
  fields: { match: ["createdAt", "gameMode"] },
});
// One page. For all matches: for await (const match of matches) { … }
const { items } = await matches.page();
for (const match of items) console.log(match.createdAt, match.gameMode, match.id);
`);
  });

  test("writes empty include and fields as empty lists", () => {
    const empty = program(
      asked([
        ["include", ""],
        ["fields[match]", ""],
      ]),
    );
    expect(empty).toContain("  include: [],\n  fields: { match: [] },\n");
  });

  test("requests the URL itself if the client has no option for a parameter", () => {
    const query = asked([["page[limit]", "fifty"]]);
    expect(program(query)).toContain(
      'const { document } = await matchbook.get("/shards/na/matches?page[limit]=fifty");',
    );
  });

  test("uses a client option for every query parameter", () => {
    for (const { name, example } of OF_MATCHES) {
      const query = asked([[name.replace("TYPE", "match"), example]]);
      expect([name, program(query)]).not.toEqual([name, expect.stringContaining(".get(")]);
    }
  });

  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom('"', "'", "\\", "`", "$", "{", ",", "\n", "\u2028", "é") }),
    fc.constantFrom(...PARAMETERS.map(({ example }) => example)),
  );
  const name = fc.oneof(
    fc.constantFrom(...PARAMETERS.map((row) => row.name.replace("TYPE", "roster"))),
    fc.constantFrom("fields[__proto__]", "fields[a-b]", "stranger", "constructor"),
  );
  test("sends the same request as the form, whatever it contains", async () => {
    const query = fc.record({
      on: fc.constantFrom(...TARGET_NAMES),
      parameters: fc.array(fc.tuple(name, value), { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ on, parameters }) => {
        const id = needsId(on) ? "id-1" : "";
        const [url = "", ...more] = await urlsOf(program(asked(parameters, on, id)));
        expect(more).toEqual([]);
        const { pathname, searchParams } = new URL(url);
        expect(pathname).toBe(TARGETS[on].path.replace("{shard}", "na").replace(/\{\w+\}/, id));
        // The client writes fields last; the order does not matter.
        expect([...searchParams].sort()).toEqual(
          parameters.map(([a, b]): [string, string] => [a, b]).sort(),
        );
      }),
    );
  });
});

describe("the programs", () => {
  const folder = aFolder();
  afterAll(() => folder.remove());

  test("compile with TypeScript in strict mode", () => {
    const client = join(folder.path, "node_modules", "matchbook-client");
    mkdirSync(client, { recursive: true });
    const entry = JSON.stringify(join(ROOT, "client", "src", "index.ts"));
    writeFileSync(join(client, "index.ts"), `export * from ${entry};\n`);
    const options = { extends: join(ROOT, "tsconfig.json"), include: ["*.ts"] };
    const compilerOptions = { typeRoots: [join(ROOT, "node_modules", "@types")] };
    writeFileSync(
      join(folder.path, "tsconfig.json"),
      JSON.stringify({ ...options, compilerOptions }),
    );
    const all = OF_MATCHES.map((row) => [row.name.replace("TYPE", "match"), row.example] as const);
    const shape = all.filter(([name]) => name === "include" || name.startsWith("fields"));
    const names = all.filter(([name]) => name.startsWith("filter[player"));
    const programs = [
      asked([]),
      asked(all),
      asked([], "players"),
      asked([...names, ...shape], "players"),
      asked([], "match", "m"),
      asked(shape, "match", "m"),
      asked(shape, "player", "p"),
      asked([["stranger", "1"]]),
    ];
    for (const [at, query] of programs.entries()) {
      writeFileSync(join(folder.path, `program-${at}.ts`), program(query));
    }
    const tsc = Bun.spawnSync([join(ROOT, "node_modules", ".bin", "tsc"), "-p", folder.path]);
    expect(tsc.stdout.toString()).toBe("");
    expect(tsc.exitCode).toBe(0);
  });
});
