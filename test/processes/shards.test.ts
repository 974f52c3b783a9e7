/** Tests `matchbook shards digest`, and `shards move` from SQLite to PostgreSQL and back: nothing is lost or changed. */

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { ndjson } from "../support/admin.ts";
import { engineHomes } from "../support/engine-worlds.ts";
import {
  digestAt,
  doneAt,
  homeAt,
  ingestAt,
  linesOf,
  lookInto,
  shardsFile,
} from "../support/places.ts";
import { matchbook } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { sharedFolder } from "../support/shared.ts";
import { countsOf, servedPages } from "../support/state.ts";
import { startWorld } from "../support/world.ts";

const folder = sharedFolder();
const path = (name: string) => join(folder, name);
const homeIn = engineHomes();

test("the digest is the SHA-256 of what is served, line by line", async () => {
  const now = Date.now();
  const [ana, ben] = [{ id: "ana" }, { id: "ben", name: "Ben ☃" }];
  const rosters = duel(ana, ben);
  rosters[0].team = { id: "team", name: "TAG" };
  await using world = await startWorld([
    aMatch({ id: "later", createdAt: now - 1000, rosters: duel(ben, ana) }),
    aMatch({ id: "earlier", createdAt: now - 2000, rosters }),
    aMatch({ id: "hidden", mode: "unheard-of" }),
  ]);
  const responses = [
    (await world.get("/shards/na/matches/earlier")).body,
    (await world.get("/shards/na/matches/later")).body,
  ];
  type Resource = { type: string; id: string };
  const shared = (one: Resource) => one.type === "player" || one.type === "team";
  const lines = responses.flatMap(({ data, included }) => [
    JSON.stringify(data),
    included
      .filter((one: Resource) => !shared(one))
      .map((one: Resource) => JSON.stringify(one))
      .join(),
  ]);
  for (const wanted of ["player/ana", "player/ben", "team/team"]) {
    const named = ({ type, id }: Resource) => `${type}/${id}` === wanted;
    lines.push(JSON.stringify(responses[0].included.find(named)), "");
  }
  lines.push('{"matches":2,"players":2,"teams":1}', "");
  const digest = createHash("sha256").update(lines.join("\n")).digest("hex");

  const args = ["shards", "digest", "na", "--data", world.data];
  expect(JSON.parse((await matchbook([...args, "--json"])).stdout)).toEqual({
    ...{ shard: "na", digest, matches: 2, players: 2, teams: 1 },
  });
  expect((await matchbook(args)).stdout).toBe(
    `digest   ${digest}\nmatches  2\nplayers  2\nteams    1\n`,
  );
});

describe("a move", () => {
  test("to PostgreSQL and back changes nothing that is served or withheld, and nothing of what follows", async () => {
    /** With matches that are withheld for each reason. */
    const MATCHES = 160;
    const now = Date.UTC(2026, 0, 1);
    const [first, remote, back] = [homeIn("SQLite"), homeIn("PostgreSQL"), homeIn("SQLite")];
    await ingestAt(first.data, linesOf("na", MATCHES, now));
    for (const [from, to] of [
      [first, remote],
      [remote, back],
    ] as const) {
      const stdout = await doneAt(from.data, ["shards", "move", "na", "--to", to.place]);
      expect(stdout).toContain(`All ${MATCHES} records of na`);
      expect(stdout).toContain((await digestAt(from.data)).digest);
    }
    /** The result, which must be the same in every location. */
    const inAll = async <T>(ask: (home: string) => Promise<T>): Promise<T> => {
      const found = await ask(first.data);
      for (const { data } of [remote, back]) expect(await ask(data)).toEqual(found);
      return found;
    };
    expect((await inAll((home) => servedPages(home, now))).size).toBeGreaterThan(1);
    await inAll(countsOf);
    const records = await inAll((home) =>
      lookInto(home, (writer) => writer.survey(async (all) => all.records(undefined, MATCHES))),
    );
    expect(records).toHaveLength(MATCHES);

    // A record that makes a player ranked releases the same matches everywhere.
    const hidden = records.find(
      ({ fate }) => fate.state === "withheld" && fate.reason === "no-ranked-player",
    )!;
    const line = linesOf("na", MATCHES, now).find((one) => one.includes(hidden.match.id))!;
    const { included } = JSON.parse(line) as { included: { type: string; id: string }[] };
    const { id } = included.find(({ type }) => type === "player")!;
    const ranked = ndjson([aMatch({ rosters: duel({ id }, { id: "newcomer" }) })]);
    const report = await inAll(async (home) =>
      JSON.parse(await doneAt(home, ["ingest", "-", "--json"], ranked)),
    );
    expect(report.released).toBeGreaterThan(0);
    await inAll(digestAt);
  });

  test("is served from there under the name of the shard, and is never onto another shard", async () => {
    const data = path("data");
    const stdin = ndjson(["na", "eu"].map((shard) => aMatch({ shard })));
    await matchbook(["ingest", "-", "--data", data], { stdin });
    const move = (to: string) =>
      matchbook(["shards", "move", "eu", "--to", `sqlite:${to}`, "--data", data]);
    expect((await move(path("second.db"))).exitCode).toBe(0);
    // Not in the location of another shard.
    const refused = await move(join(data, "na.db"));
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/na\.db holds the records of shard na/),
    ]);
    // A shard is used by its new name.
    const moved = homeAt(path("moved"), "sqlite:unused");
    shardsFile(join(moved, "matchbook.toml"), { eu: `sqlite:${path("second.db")}` });
    await doneAt(moved, ["verify", "eu", "--full-speed"]);
  });
});
