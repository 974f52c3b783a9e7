/** Redacted players: what disappears, and what stays. */

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/domain/json.ts";
import { unobserved } from "../../src/observe/events.ts";
import { withRedactionList } from "../../src/open-access.ts";
import { openShards } from "../../src/open-stores.ts";
import { redactPlayers } from "../../src/redact/redact.ts";
import { hasEndpoint } from "../support/endpoints.ts";
import { ENGINES, engineWorlds } from "../support/engine-worlds.ts";
import { StreamClient } from "../support/event-stream.ts";
import { withWriter } from "../support/prune.ts";
import { aMatch, duel, type MatchIn, type PlayerIn } from "../support/records.ts";
import { filesWith, redactIn, storedText } from "../support/redact.ts";
import { until } from "../support/state.ts";
import { ingestWith, type World } from "../support/world.ts";

const worldIn = engineWorlds();

const ADA: PlayerIn = {
  id: "ada",
  name: "Ada Lovelace",
  attributes: { motto: "Poetical science", contacts: ["ada@example.com"] },
};
const SECRETS = ["Ada Lovelace", "Lovelace", "Poetical science", "ada@example.com"];

const day = (number: number) => Date.UTC(2024, 0, number);

/** A duel of Ada against Bob on a day of January. */
const played = (id: string, on: number, wishes: MatchIn = {}) =>
  aMatch({
    id,
    shard: "na",
    mode: "casual",
    createdAt: day(on),
    rosters: duel(ADA, { id: "bob", name: "Bob" }),
    ...wishes,
  });

describe.each(ENGINES)("in %s", (engine) => {
  /** Nothing of Ada is stored; the files of PostgreSQL are its own. */
  async function expectNothingStored(world: World): Promise<void> {
    const text = await withWriter(world.settings, "na", storedText);
    expect(SECRETS.filter((secret) => text.includes(secret))).toEqual([]);
    expect(filesWith(world.data, SECRETS)).toEqual([]);
  }

  test("a redaction that is killed after it was listed keeps the shard from being served until it is repeated", async () => {
    await using world = await worldIn(engine);
    await world.ingest([played("m1", 1)]);
    const ada = [{ playerId: "ada", redactedAt: 0 }];
    const killed = withWriter(world.settings, "na", (writer) =>
      redactPlayers(writer, ada, undefined, async () => {
        await withRedactionList(world.settings, (list) => list.add("na", ada));
        throw new Error("killed");
      }),
    );
    expect(await killed.catch((error) => error.message)).toBe("killed");
    const shards = openShards(world.settings, unobserved);
    const open = async () => (await shards.reader("na")) !== undefined;
    expect(await open().catch((error) => error.message)).toContain("still has players");
    await redactIn(world.settings, "na", "ada");
    await until("the shard is served", () => open().catch(() => false));
    await shards.close();
    await expectNothingStored(world);
  });

  test("records that are sent again while their player is redacted are duplicates", async () => {
    await using world = await worldIn(engine);
    // Records are looked up by their ids alone once many before them were known.
    const before = { rosters: duel({ id: "eve" }, { id: "bob" }) };
    const documents = Array.from({ length: 300 }, (_, index) =>
      played(`m${index}`, 1, index < 280 ? before : {}),
    );
    await world.ingest(documents);
    const shards = openShards(world.settings, unobserved);
    // After all records were looked up, before they are stored.
    const writer = shards.writer("na");
    const write = writer.write.bind(writer);
    writer.write = async (work) => {
      await redactIn(world.settings, "na", "ada");
      return write(work);
    };
    const { report, conflicts } = await ingestWith(shards, world.settings, documents);
    expect({ conflicts, ...report }).toMatchObject({ conflicts: [], stored: 0, duplicate: 300 });
    await shards.close();
    await expectNothingStored(world);
  });

  test("texts that a participant carries beyond the API go with its player", async () => {
    await using world = await worldIn(engine);
    const document = played("m1", 1);
    const participant = document.included.find(({ id }) => id === "m1-r0p0")!;
    Object.assign(participant.attributes as JsonObject, {
      nickname: "Lovelace",
      tags: [{ said: "Poetical science" }],
      level: 7,
    });
    Object.assign(participant, { links: { profile: "https://example.com/Lovelace" } });
    await world.ingest([document]);
    await redactIn(world.settings, "na", "ada");
    const { included } = (await world.get("/shards/na/matches/m1")).body;
    const found = included.find(({ id }: JsonObject) => id === "m1-r0p0");
    expect(found.attributes).toEqual({
      actor: "*Ember*",
      shardId: "na",
      level: 7,
      stats: (participant.attributes as JsonObject).stats,
    });
    await expectNothingStored(world);
  });

  test("the name is gone from other texts of the record too, but not from what the API defines", async () => {
    await using world = await worldIn(engine);
    const document = played("m1", 1, {
      rosters: duel({ ...ADA, name: "victory" }, { id: "bob" }),
    });
    const texts = (name: string) => ({
      mvp: name,
      said: [`${name}, well played`, `${name}ious`],
      hits: { [name]: 3, bob: 1 },
      [name]: 1,
    });
    const { stats } = document.data.attributes as { stats: JsonObject };
    Object.assign(stats, texts("victory"));
    const participant = document.included.find(({ id }) => id === "m1-r1p0")!;
    Object.assign((participant.attributes as { stats: JsonObject }).stats, texts("victory"));
    expect(stats.endGameReason).toBe("victory");
    await world.ingest([document]);
    await redactIn(world.settings, "na", "ada");

    const { data, included } = (await world.get("/shards/na/matches/m1")).body;
    const said = [", well played", "victoryious"];
    const left = { mvp: "", said, hits: { bob: 1 }, victory: 1 };
    expect(data.attributes.stats).toEqual({ ...stats, ...left });
    const found = included.find(({ id }: JsonObject) => id === "m1-r1p0");
    expect(found.attributes.stats).toMatchObject(left);
    const { report } = await world.ingest([document]);
    expect(report).toMatchObject({ stored: 0, duplicate: 1, conflict: 0 });
  });

  if (hasEndpoint("/shards/na/changes"))
    test("the change feed does not show the player any more, neither what came before nor records that are sent again", async () => {
      await using world = await worldIn(engine);
      const matches = [played("m1", 1), played("m2", 2), played("m3", 3)];
      await world.ingest(matches);
      await world.ingest([played("m2", 2, { patch: "2.6" })], { replace: true });
      const oldest = "/shards/na/changes?page[after]=oldest";
      expect((await world.get(oldest)).text).toContain('"ada"');
      const first = (await world.get(`${oldest}&page[limit]=1`)).body.links.next;
      await redactIn(world.settings, "na", "ada");
      await world.ingest([...matches, played("m4", 4)]);
      await world.ingest(matches, { replace: true });

      const feed = await world.get(oldest);
      const matchesOf = feed.body.data.map(
        ({ relationships }: JsonObject) =>
          (relationships as { match: { data: { id: string } } }).match.data.id,
      );
      expect(new Set(matchesOf)).toEqual(new Set(["m1", "m2", "m3", "m4"]));
      const again = await world.get(first);
      const headers = { Authorization: `Bearer ${world.key}` };
      const stream = await StreamClient.open(`${world.url}${oldest}`, headers);
      const streamed = JSON.stringify(await stream.changes(matchesOf.length));
      stream.close();
      for (const text of [feed.text, again.text, streamed]) {
        expect(text).toContain('"bob"');
        expect(['"ada"', ...SECRETS].filter((secret) => text.includes(secret))).toEqual([]);
      }
      for (const filter of ["filter[playerNames]=Ada%20Lovelace", "filter[playerIds]=ada"]) {
        expect((await world.get(`${oldest}&${filter}`)).body.data).toEqual([]);
      }
    });

  test("an interrupted redaction changes all that is served or nothing, and the next one completes it", async () => {
    await using world = await worldIn(engine);
    await world.ingest([
      ...[1, 2, 3].map((on) => played(`m${on}`, on)),
      played("w1", 4, { mode: "practice" }),
      played("w2", 5, { ending: "notenoughplayers" }),
    ]);
    const stopAt = (served: number, withheld: number) =>
      withWriter(world.settings, "na", (writer) =>
        redactPlayers(writer, [{ playerId: "ada", redactedAt: 0 }], (soFar) => {
          if (soFar.served === served && soFar.withheld === withheld) throw new Error("killed");
        }),
      ).catch((error: Error) => error.message);
    const statuses = () =>
      Promise.all(
        ["players/ada", "matches/m1"].map(
          async (path) => (await world.get(`/shards/na/${path}`)).status,
        ),
      );
    expect(await stopAt(3, 0)).toBe("killed");
    expect(await statuses()).toEqual([200, 200]);
    expect((await world.get("/shards/na/matches/m1")).text).toContain("Ada Lovelace");

    expect(await stopAt(3, 2)).toBe("killed");
    expect(await statuses()).toEqual([404, 200]);
    expect((await world.get("/shards/na/matches/m1")).text).not.toContain("ada");

    await redactIn(world.settings, "na", "ada");
    await expectNothingStored(world);
  });
});
