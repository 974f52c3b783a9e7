/** In charge of the TypeScript that the explorer shows: it asks what the form asks, and it is sound. */

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type Fetch, Matchbook } from "../../client/src/index.ts";
import { codeOf } from "../../src/portal/views/explorer/code.ts";
import { type Question, TARGETS } from "../../src/portal/views/explorer/question.ts";
import { PARAMETERS, type Parameter } from "../../src/query/parameters.ts";
import { ROOT } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

const OF_MATCHES = (PARAMETERS as readonly Parameter[]).filter(({ endpoints }) =>
  endpoints.includes("matches"),
);

const asked = (
  parameters: Question["parameters"],
  on: Question["on"] = "matches",
  id = "",
): Question => ({ shard: "na", on, id, parameters, as: "cards" });

/** Runs a program with the real client, and says which addresses it asked. */
async function addressesOf(code: string): Promise<string[]> {
  const addresses: string[] = [];
  const reply = { data: [], links: {}, meta: { window: {} } };
  const record = { ...reply, data: { type: "match", id: "m" } };
  const fetch: Fetch = async (address) => {
    addresses.push(address);
    const isRecord = /\/(matches|players)\/[^/]+$/.test(new URL(address).pathname);
    return Response.json(isRecord ? record : reply);
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
  return addresses;
}

const program = (question: Question) => codeOf(question, "http://localhost:8080", "mb_key");

describe("the TypeScript of a question", () => {
  test("is what a person would write", () => {
    const question = asked([
      ["filter[playerNames]", "Ada,Gr\\,ace"],
      ["filter[gameMode]", "ranked"],
      ["filter[createdAt-start]", "2026-03-01T18:30:00Z"],
      ["sort", "-createdAt"],
      ["page[limit]", "3"],
      ["include", ""],
      ["fields[match]", "createdAt,gameMode"],
    ]);
    expect(program(question)).toBe(`import { Matchbook } from "matchbook-client";

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
// One page. To walk through all of them: for await (const match of matches) …
const { items } = await matches.page();
for (const match of items) console.log(match.createdAt, match.gameMode, match.id);
`);
  });

  test("asks the address itself where the client has no words for something", () => {
    const question = asked([["page[limit]", "fifty"]]);
    expect(program(question)).toContain(
      'const { document } = await matchbook.get("/shards/na/matches?page[limit]=fifty");',
    );
  });

  test("has the client's words for every parameter of the table", () => {
    for (const { name, example } of OF_MATCHES) {
      const question = asked([[name.replace("TYPE", "match"), example]]);
      expect([name, program(question)]).not.toEqual([name, expect.stringContaining(".get(")]);
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
  test("asks exactly what the form asks, whatever is in it", async () => {
    const question = fc.record({
      on: fc.constantFrom(...TARGETS),
      parameters: fc.array(fc.tuple(name, value), { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(question, async ({ on, parameters }) => {
        const id = on === "match" || on === "player" ? "id-1" : "";
        const [address = "", ...more] = await addressesOf(program(asked(parameters, on, id)));
        expect(more).toEqual([]);
        const { pathname, searchParams } = new URL(address);
        const collection = on === "match" ? "matches" : on === "player" ? "players" : on;
        expect(pathname).toBe(`/shards/na/${collection}${id && `/${id}`}`);
        // The client writes fields last; the order means nothing.
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

  test("satisfy the strictest checks of TypeScript", () => {
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
    for (const [at, question] of programs.entries()) {
      writeFileSync(join(folder.path, `program-${at}.ts`), program(question));
    }
    const tsc = Bun.spawnSync([join(ROOT, "node_modules", ".bin", "tsc"), "-p", folder.path]);
    expect(tsc.stdout.toString()).toBe("");
    expect(tsc.exitCode).toBe(0);
  });
});
