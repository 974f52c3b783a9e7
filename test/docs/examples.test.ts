/** The examples in the documentation: requests, responses, records, commands and code work as shown. */

import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAdminWorld } from "../support/admin.ts";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { hasProgram, skipWithout } from "../support/needs.ts";
import { matchbook, ROOT } from "../support/process.ts";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { aFolder, startWorld } from "../support/world.ts";
import { exchanges, type Fence, fences, page, patternOf } from "./markdown.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const EXAMPLE = read("docs/examples/match.json");
const CALLED = ["README.md", "docs/api.md", "docs/errors.md", "docs/records.md"] as const;
const fencesOf = (path: string): Fence[] => fences(page(path));

interface Call {
  page: string;
  path: string;
  status: number;
  response?: Fence;
}

/** The lines `get 'PATH'   # STATUS`, each with the response below its block, if it is alone there. */
function callsOf(page: string): Call[] {
  const all = fencesOf(page);
  return all.flatMap(({ language, text }, at) => {
    if (language !== "sh") return [];
    const lines = [...text.matchAll(/^get '([^']+)'(?: +# (\d+))?$/gm)];
    const next = all[at + 1];
    const response = lines.length === 1 && next?.followsFence ? { response: next } : {};
    return lines.map(([, path, status = "200"]) => ({
      page,
      path: path!,
      status: Number(status),
      ...response,
    }));
  });
}

/** The members whose values are compared; others differ from run to run. */
const STABLE = new Set(["type", "status", "code", "detail", "parameter", "outcome", "version"]);

/** JSON on one line, without the values that may differ. */
const shapeOf = (text: string): string =>
  text
    .trim()
    .replaceAll(/\n\s*/g, "")
    .replaceAll(/"(\w+)":("(?:[^"\\]|\\.)*"|-?\d[\d.]*)/g, (member, name) =>
      STABLE.has(name) ? member : `"${name}":0`,
    );

describe("requests", () => {
  const tiger = { id: "tiger", name: "GrimTiger", stats: { level: 28, skillTier: 9 } };
  const world = shared(() =>
    startWorld([
      JSON.parse(EXAMPLE),
      ...Array.from({ length: 6 }, (_, index) =>
        aMatch({ createdAt: minutesAgo(index + 1), rosters: duel(tiger, { id: "other" }) }),
      ),
    ]),
  );

  const calls = CALLED.flatMap(callsOf);

  test("are there", () => {
    expect(calls.length).toBeGreaterThan(15);
    expect(calls.filter(({ response }) => response).length).toBeGreaterThanOrEqual(5);
  });

  test.each(calls.map((call) => [call.page, call.path, call] as const))(
    "in %s get what it shows: %s",
    async (_page, path, { status, response }) => {
      const reply = await world.get(path);
      expect(reply.status).toBe(status);
      const text = reply.text.replaceAll(world.url, "http://127.0.0.1:8080");
      // A response marked as JSON is complete; any other is an excerpt.
      if (response?.language === "json")
        expect(JSON.parse(text)).toEqual(JSON.parse(response.text));
      else if (response) expect(shapeOf(text)).toMatch(patternOf(shapeOf(response.text)));
    },
  );

  test("in README.md name a player of the demo records", async () => {
    const { stdout } = await matchbook(["demo"]);
    const names = [...page("README.md").matchAll(/filter\[playerNames\]=(\w+)/g)];
    expect(names.length).toBeGreaterThan(0);
    for (const [, name] of names)
      expect(new RegExp(`"name":"${name}"[^{}]*"shardId":"na"`).test(stdout)).toBe(true);
  });

  test("use one shell function", () => {
    const definitions = CALLED.flatMap(fencesOf).flatMap(
      ({ text }) => text.match(/^get\(\) .*$/gm) ?? [],
    );
    expect(definitions.length).toBe(2);
    expect(definitions[0]).toBe(definitions[1]!);
  });

  test("for the usage of a key get what docs/api.md shows", async () => {
    const shown = fencesOf("docs/api.md").find(({ text }) => text.includes("$BASE/usage"))!.text;
    const text = await until("usage is stored", async () => {
      const reply = await world.get("/usage", { Accept: null });
      return reply.body.days.length > 0 && reply.text;
    });
    const members = (json: string) => [...json.matchAll(/"([a-zA-Z]+)":/g)].map((one) => one[1]!);
    const [, ...response] = shown.split("\n");
    expect([...new Set(members(text))]).toEqual([...new Set(members(response.join("\n")))]);
  });

  const python = () => {
    test("of all pages are made by the Python program of docs/api.md", async () => {
      const [program] = fencesOf("docs/api.md").filter(({ language }) => language === "python");
      const env = { PATH: process.env.PATH!, BASE: world.url, KEY: world.key };
      const source = program!.text.replace('"Ada"', '"GrimTiger"');
      const child = Bun.spawn(["python3", "-c", source], {
        env,
        stdout: "pipe",
        stderr: "inherit",
      });
      const printed = (await new Response(child.stdout).text()).trim().split("\n");
      expect(await child.exited).toBe(0);
      // More than a page.
      expect(new Set(printed.map((line) => line.split(" ")[0]))).toHaveProperty("size", 6);
    });
  };
  if (hasProgram("python3")) python();
  else skipWithout("python3", python);

  test("are repeated by the function in docs/api.md when the server says so, and only then", async () => {
    const [source] = fencesOf("docs/api.md").filter(({ language }) => language === "js");
    // After all matches, and far from the end of a day.
    const clock = new TestClock(new Date().setUTCHours(36, 0, 0, 0));
    const limits = { rate: 60, burst: 2, matchesPerDay: 5 };
    await using server = await serveWithKeys(world, [limits], {}, clock);
    const waits: number[] = [];
    const instead = (resolve: () => void, milliseconds: number) => {
      waits.push(milliseconds);
      clock.advance(milliseconds);
      resolve();
    };
    const make = (BASE: string, KEY: string) =>
      new Function("process", "setTimeout", `${source!.text}; return get;`)(
        { env: { BASE, KEY } },
        instead,
      );
    const get = make(server.url, server.keys[0]!);
    for (let count = 0; count < 5; count++) await get("/shards/na/players");
    expect(waits.length).toBeGreaterThan(0);
    for (const wait of waits) expect(wait).toBeWithin(1000, 2001);
    await expect(get("/shards/na/players/nobody")).rejects.toThrow("not-found");
    expect((await get("/shards/na/matches")).data.length).toBe(5);
    const before = waits.length;
    await expect(get("/shards/na/matches?sort=-createdAt")).rejects.toThrow(/"status":"429"/);
    expect(waits.slice(before).every((wait) => wait < 60_000)).toBe(true);
    waits.length = 0;
    // Nothing listens there.
    await expect(make("http://127.0.0.1:1", "")("/")).rejects.toThrow();
    expect(waits.map((wait) => Math.floor(wait / 1000))).toEqual([1, 2, 4, 8]);
  });
});

describe("records", () => {
  const world = shared(() => startAdminWorld());

  test("sent over HTTP get the responses that docs/records.md shows", async () => {
    const another = JSON.parse(EXAMPLE);
    another.data.attributes.duration += 1;
    const bodies: Record<string, string> = {
      "docs/examples/match.json": EXAMPLE,
      "mixed.ndjson": `${JSON.stringify(another)}\n{"data":{"type":"match","id":"match-2"}}\n`,
    };
    const uploads = fencesOf("docs/records.md").filter(({ text }) => text.startsWith("$ admin"));
    expect(uploads.length).toBe(2);
    for (const { text } of uploads) {
      const [, file, shown] = /^\$ admin -X POST -T (\S+) \$ADMIN\/ingest\n(.*)$/s.exec(text)!;
      const reply = await world.ask("POST", "/ingest", bodies[file!]);
      expect(reply.text.trim()).toMatch(patternOf(shown!.trim().replaceAll(/\n\s*/g, "")));
    }
  });

  test("that are rejected are written to a file as docs/records.md shows", async () => {
    const [shown] = fencesOf("docs/records.md").filter(({ text }) => text.startsWith('{"data"'));
    using folder = aFolder();
    const bad = JSON.parse(EXAMPLE);
    delete bad.data.attributes.duration;
    writeFileSync(join(folder.path, "day.ndjson"), `${"\n".repeat(16)}${JSON.stringify(bad)}\n`);
    const args = ["ingest", "day.ndjson", "--rejects", "bad.ndjson"];
    const { exitCode } = await matchbook(args, { cwd: folder.path });
    const written = readFileSync(join(folder.path, "bad.ndjson"), "utf8");
    expect(exitCode).toBe(1);
    expect(written.trim()).toMatch(patternOf(shown!.text.trim()));
  });

  test("add up as docs/records.md works it out", async () => {
    const day = 24 * 60 * 60 * 1000;
    const before = { id: "ada", name: "Ada", gold: 11250.5, stats: { level: 12 } };
    const after = {
      id: "ada",
      name: "Ada2",
      gold: 8400,
      stats: { level: 13, lifetimeGold: 500_000 },
    };
    await world.ingest([
      aMatch({ createdAt: Date.now() - 2 * day, rosters: duel(before, { id: "other" }) }),
      aMatch({
        createdAt: Date.now() - day,
        mode: "casual",
        rosters: duel({ id: "other" }, after),
      }),
    ]);
    const { attributes } = (await world.get("/shards/na/players/ada")).body.data;
    const row = /^\| casual match, lost.*$/m.exec(read("docs/records.md"))![0].split(" | ")[2]!;
    const claims = [...row.matchAll(/`(\w+)` (\d+)/g)].map(([, name, n]) => [name, Number(n)]);
    expect(attributes.name).toBe("Ada2");
    expect(claims.length).toBe(7);
    expect(attributes.stats).toMatchObject(Object.fromEntries(claims));
  });
});

test("the commands in README.md print what it shows", async () => {
  using folder = aFolder();
  const sessions = exchanges(page("README.md"), "");
  expect(sessions.length).toBeGreaterThanOrEqual(3);
  for (const { command, shown } of sessions) {
    const options = { program: "/bin/sh", env: { MATCHBOOK_DATA: folder.path } };
    const { stdout, stderr } = await matchbook(["-c", command], options);
    const printed = withoutSecrets(stdout + stderr).trimEnd();
    expect([command, printed]).toEqual([
      command,
      expect.stringMatching(patternOf(withoutSecrets(shown.join("\n")))),
    ]);
  }
});

const withoutSecrets = (text: string): string =>
  text.replaceAll(/\bk_\w{10}/g, "ID").replaceAll(/\bmb_\w+…?/g, "SECRET");
