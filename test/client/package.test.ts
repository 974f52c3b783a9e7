/** The client package: its code, types, README and example. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import description from "../../client/package.json";
import { Matchbook } from "../../client/src/index.ts";
import { Shard } from "../../client/src/shard.ts";
import { version } from "../../package.json";
import { ROOT } from "../support/process.ts";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";
import { type Installed, installClient, run } from "./installed.ts";

const readme = await Bun.file(join(ROOT, "client", "README.md")).text();

let installed: Installed;
let world: World;
beforeAll(async () => {
  installed = await installClient();
  world = await startWorld(
    Array.from({ length: 12 }, (_, index) =>
      aMatch({
        createdAt: minutesAgo(index + 1),
        rosters: duel({ id: "ada", name: "Ada" }, { id: "grace", name: "Grace" }),
      }),
    ),
  );
});
afterAll(async () => {
  await world.stop();
  installed.remove();
});

test.each(["node", process.execPath])("the example runs unchanged in %s", async (runtime) => {
  const [, example] = /```js\n([^`]+(?:`[^`]+`[^`]*)*?)```/.exec(readme) ?? [];
  await Bun.write(join(installed.folder, "example.mjs"), example!);
  const said = await run([runtime, "example.mjs"], {
    cwd: installed.folder,
    env: { BASE: world.url, KEY: world.key },
  });
  const lines = said.trimEnd().split("\n");
  expect(lines[0]).toBe("Shards: na");
  expect(lines.slice(1, 11).map((line) => line.replace(/^\S+ /, ""))).toEqual(
    Array(10).fill("Ada beat Grace"),
  );
  expect(lines[11]).toMatch(/^(Ada won 12|Grace won 0) of 12$/);
  expect(lines[12]).toStartWith("not-found not-found There is no match with this id");
  expect(lines).toHaveLength(13);
});

test("the package has the code, its types, the README and the license, and nothing else", async () => {
  const home = join(installed.folder, "node_modules", "matchbook-client");
  const files = [...new Bun.Glob("**").scanSync(home)];
  expect(files).toEqual(
    expect.arrayContaining(["LICENSE", "README.md", "dist/index.d.ts", "dist/index.js"]),
  );
  const others = files.filter((file) => !/^dist\/[a-z]+\.(js|d\.ts)$/.test(file));
  expect(others.toSorted()).toEqual(["LICENSE", "README.md", "package.json"]);
});

test("the links of its README lead to its own headings or to files of the package", async () => {
  const home = join(installed.folder, "node_modules", "matchbook-client");
  const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map((found) => found[1]!);
  const files = links.filter((link) => !link.startsWith("#") && !link.startsWith("https://"));
  expect(links.length).toBeGreaterThan(3);
  expect(files.filter((file) => !existsSync(join(home, file)))).toEqual([]);
});

test("its version is that of the service", () => {
  expect(description.version).toBe(version);
});

test("every method is in its table", () => {
  const callsOf = (type: { prototype: object }) =>
    Object.getOwnPropertyNames(type.prototype).filter((name) => name !== "constructor");
  for (const name of callsOf(Matchbook)) expect(readme).toContain(`\`matchbook.${name}(`);
  for (const name of callsOf(Shard)) expect(readme).toContain(`\`shard.${name}(`);
});

test("exactly the error kinds are in its table", async () => {
  const source = await Bun.file(join(ROOT, "client", "src", "errors.ts")).text();
  const [, union] = /export type ErrorKind =([^;]+);/.exec(source) ?? [];
  const kinds = [...union!.matchAll(/\| "([a-z-]+)"/g)].map((found) => found[1]!);
  const rows = readme
    .split("## Errors")[1]!
    .split("## ")[0]!
    .matchAll(/^\| `([a-z-]+)` \|/gm);
  expect(kinds).toHaveLength(11);
  expect([...rows].map((found) => found[1]!).filter((name) => name !== "kind")).toEqual(kinds);
});

test("the code has no dependencies, and its imports have file extensions", async () => {
  const home = join(installed.folder, "node_modules", "matchbook-client");
  const imports: string[] = [];
  for await (const file of new Bun.Glob("dist/*.js").scan(home)) {
    const code = await Bun.file(join(home, file)).text();
    imports.push(...[...code.matchAll(/from "([^"]+)"/g)].map((found) => found[1]!));
  }
  expect(imports.length).toBeGreaterThan(10);
  expect(imports.filter((name) => !/^\.\/[a-z]+\.js$/.test(name))).toEqual([]);
});

const TSCONFIG = {
  compilerOptions: {
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2022", "DOM"],
    types: [],
    strict: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
  },
  include: ["program.ts", "examples"],
};

/** A strict program, with a line for each error that the types must reject. */
const PROGRAM = `
import { type ErrorCode, Matchbook, MatchbookError, type Schemas } from "matchbook-client";

const na = new Matchbook({ url: "http://localhost:8080", key: process() }).shard("na");
function process(): string | undefined { return undefined; }

for await (const match of na.matches({ gameMode: ["ranked"], createdAtStart: new Date() })) {
  const createdAt: string = match.createdAt;
  const name: string | undefined = match.rosters[0].participants[0]?.player?.name;
  const won: boolean = match.rosters[1].won;
  const farm: number | undefined = match.rosters[1].participants[0]?.stats.farm;
  const more: unknown = match.stats.anything;
  const raw: Schemas.Match = match.raw;
  // @ts-expect-error there are two rosters
  match.rosters[2];
  // @ts-expect-error the guest may be no player
  match.rosters[0].participants[0]!.player.name;
  // @ts-expect-error of a stat that is not described, nothing is known
  const kills: number = match.stats.kills;
  void [createdAt, name, won, farm, more, raw, kills];
}

const bare = await na.match("id", { include: [] });
// @ts-expect-error not all was requested, so it may be missing
const mode: string = bare.gameMode;
const perhaps: string | undefined = bare.rosters[0]?.participants[0]?.player?.name;
const company = await na.playedWith("id");
const counted: number = company.meta.matches + company.length;
const omitted: number | undefined = (await na.players({ names: ["Ada"] })).meta?.omitted;
const board = await na.leaderboard("win-rate", { period: "28d" }).page();
const [depth, next]: [number, typeof board | undefined] = [board.meta.depth, await board.next?.()];
const rank: number | null | undefined = board.items[0]?.rank;
void [counted, omitted, depth, next, rank];
const page = await na.matches({ fields: { match: ["createdAt"] } }).page();
// @ts-expect-error not all was requested, so it may be missing
const duration: number = page.items[0]!.duration;
void [mode, perhaps, duration];

for await (const change of na.changes({ after: "oldest", playerIds: ["ada"] })) {
  const kind: "added" | "replaced" | "removed" = change.kind;
  const texts: string[] = [change.cursor, change.match.id, ...change.players.map(({ id }) => id)];
  // @ts-expect-error a change does not have the match
  change.match.rosters;
  void [kind, texts];
}
// @ts-expect-error a stream has no pages
na.changes({ limit: 5 });

// @ts-expect-error no such mode
na.matches({ gameMode: ["chess"] });
// @ts-expect-error no such filter
na.matches({ playerName: ["Ada"] });
// @ts-expect-error a list
na.players({ names: "Ada" });
// @ts-expect-error documents are not to be changed
page.document.data = [];

try {
  await na.player("id");
} catch (error) {
  if (error instanceof MatchbookError && error.kind === "not-found") {
    const code: ErrorCode | undefined = error.code;
    // @ts-expect-error no such code
    if (code === "no-such-code") throw error;
  }
}
`;

// One test, since most of what tsc does is to read the types of the runtime.
test("the types work after installation, reject invalid calls, and accept the documentation", async () => {
  const pages = [readme, await Bun.file(join(ROOT, "README.md")).text()];
  const examples = pages.flatMap((page) =>
    [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map((fence) => fence[1]!),
  );
  expect(examples.length).toBeGreaterThanOrEqual(6);
  const programs = examples.map((example) =>
    ["matchbook", "na", "id", "key"].reduce(
      (program, name) =>
        new RegExp(`const ${name} `).test(program) ? program : `${GIVEN[name]}\n${program}`,
      /import \{ Matchbook /.test(example) ? example : `${IMPORT}\n${example}`,
    ),
  );
  for (const [index, program] of programs.entries()) {
    await Bun.write(join(installed.folder, "examples", `example-${index}.ts`), program);
  }
  await Bun.write(join(installed.folder, "package.json"), '{ "type": "module" }');
  await Bun.write(join(installed.folder, "program.ts"), PROGRAM);
  await Bun.write(join(installed.folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  await run([join(ROOT, "node_modules/.bin/tsc")], { cwd: installed.folder });
});

/** What the examples leave to the reader. */
const IMPORT = 'import { Matchbook } from "matchbook-client";';
const GIVEN: Record<string, string> = {
  matchbook: "declare const matchbook: Matchbook;",
  na: 'declare const na: ReturnType<Matchbook["shard"]>;',
  id: "declare const id: string;",
  key: "declare const key: string;",
};
