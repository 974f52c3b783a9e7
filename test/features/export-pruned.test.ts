/** Tests exports of pruned and redacted shards: ingest makes the identical shard, and counts no match twice. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../src/domain/json.ts";
import { digestOf } from "../../src/export/digest.ts";
import { RejectsFile } from "../../src/ingest/rejects-file.ts";
import { prune } from "../../src/prune/prune.ts";
import { redactPlayers } from "../../src/redact/redact.ts";
import type { Writer } from "../../src/store/store.ts";
import { PLAYER_BASE } from "../../src/store/tables.ts";
import type { Loose } from "../support/drafts.ts";
import { exportedFrom } from "../support/exported.ts";
import { homeAt, lookInto, settingsAt } from "../support/places.ts";
import { aMatch, duel, type MatchDocument } from "../support/records.ts";
import { richMatch } from "../support/rich-match.ts";
import { damageOf, verified } from "../support/verify.ts";
import { aFolder, ingestInto } from "../support/world.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const CUTOFF = START + 9.5 * DAY;

const folder = aFolder();
const path = (name: string) => join(folder.path, name);
afterAll(() => folder.remove());

let made = 0;
const fileOf = (home: string) => `${home}.db`;
function aHome(): string {
  const home = path(`home-${made++}`);
  return homeAt(home, `sqlite:${fileOf(home)}`);
}

const take = (home: string, documents: Json[], options = {}) =>
  ingestInto(settingsAt(home), documents, options);

/** A player who is linked to one who is redacted. */
const friends = aMatch({
  id: "friends",
  createdAt: START + DAY,
  rosters: duel({ id: "dora" }, { id: "eve" }),
});
Object.assign(friends.included.find(({ id }) => id === "dora")!, {
  relationships: { friend: { data: { type: "player", id: "gone" } } },
});
friends.included.push(
  aMatch({ rosters: duel({ id: "gone" }, { id: "x" }) }).included.find(({ id }) => id === "gone")!,
);
/** A private match is served because of a pruned one, and a streak goes on across the cutoff. */
const records: MatchDocument[] = [
  friends,
  ...Array.from({ length: 14 }, (_, day) =>
    aMatch({
      id: `m${day}`,
      mode: day === 3 ? "ranked" : "casual",
      createdAt: START + day * DAY,
      rosters: duel({ id: "ann", name: `Ann ${day}` }, { id: day % 2 ? "bob" : "gone" }),
    }),
  ),
  aMatch({ id: "void", ending: "exitpractice", createdAt: START + DAY }),
  aMatch({ id: "void-new", ending: "exitpractice", createdAt: START + 12 * DAY }),
  aMatch({
    id: "private",
    mode: "private",
    createdAt: START + 13 * DAY,
    rosters: duel({ id: "ann" }, { id: "eve" }),
  }),
  richMatch("rich").document,
];
const late = aMatch({
  id: "late",
  mode: "casual",
  createdAt: CUTOFF + 1,
  rosters: duel({ id: "ann" }, { id: "bob" }),
});

const acts = {
  prune: (writer: Writer, before = CUTOFF) => prune(writer, before, { rest: 0 }),
  redact: (writer: Writer, playerId = "gone") =>
    redactPlayers(writer, [{ playerId, redactedAt: START }]),
  /** Stops after a few records. */
  pruneSome: (writer: Writer) => {
    const ending = new AbortController();
    const onStep = () => ending.abort();
    return prune(writer, CUTOFF, { step: 3, rest: 0, onStep, signal: ending.signal });
  },
};

const SHARDS: Record<string, readonly (keyof typeof acts)[]> = {
  "half pruned": ["pruneSome"],
  "redacted and pruned": ["redact", "prune"],
  "pruned, then redacted": ["prune", "redact"],
};

/** The files of shards that were made before, by how. */
const originals = new Map<string, string>();

async function aShard(how: readonly (keyof typeof acts)[]): Promise<string> {
  const home = aHome();
  const original = originals.get(how.join());
  if (original) {
    copyFileSync(original, fileOf(home));
    return home;
  }
  await take(home, records);
  for (const act of how) await lookInto(home, (writer) => acts[act](writer));
  const copy = path(`${how.join("-")}.original`);
  copyFileSync(fileOf(home), copy);
  originals.set(how.join(), copy);
  return home;
}

const exported = (home: string) => lookInto(home, (writer) => exportedFrom(writer));
const digestIn = (writer: Writer) => writer.survey((contents) => digestOf(contents));

/** Everything that an export has to bring along. */
const stateOf = (home: string) =>
  lookInto(home, async (writer) => {
    const { bytes: _, ...counts } = await writer.counts();
    return {
      counts,
      digest: await digestIn(writer),
      cutoff: await writer.prunedBefore(),
      redactions: await writer.redactions(),
      bases: await writer.survey(async (contents) =>
        contents.rows(PLAYER_BASE, { after: undefined, limit: 100 }),
      ),
      ranked: await writer.survey(async (state) =>
        state.rankedEvidence(["ann", "bob", "eve", "gone"]),
      ),
    };
  });

const isState = (document: Json) => !("data" in (document as object));
const reasonsIn = ({ rejections }: Awaited<ReturnType<typeof take>>) =>
  rejections.flatMap(({ problems }) => problems);

describe.each(Object.entries(SHARDS))("the export of a shard that is %s", (_, how) => {
  test("gives the identical shard, which treats later records alike, and has no damage", async () => {
    const home = await aShard(how);
    const copy = aHome();
    const { report, rejections } = await take(copy, await exported(home), { batch: 3 });
    expect(rejections).toEqual([]);
    expect(await stateOf(copy)).toEqual(await stateOf(home));
    expect(await exported(copy)).toEqual(await exported(home));
    const { counts } = await stateOf(home);
    expect(report.stored).toBe(counts.served);

    for (const one of [home, copy]) await take(one, [late, ...records]);
    expect(await stateOf(copy)).toEqual(await stateOf(home));
    expect(damageOf(await verified(settingsAt(copy), "na"))).toEqual([]);
  });
});

test("an export can be ingested again, also after an interruption at any line", async () => {
  const home = await aShard(["redact", "pruneSome"]);
  const documents = await exported(home);
  const expected = await stateOf(home);
  for (let lines = 0; lines <= documents.length; lines += 1) {
    const copy = aHome();
    await take(copy, documents.slice(0, lines), { batch: 2 });
    const { report, rejections } = await take(copy, documents);
    expect([lines, rejections]).toEqual([lines, []]);
    const known = documents.slice(0, lines).filter((one) => !isState(one)).length;
    // With the cutoff, those that are left of older ones are not duplicates.
    expect(report.duplicate + report.pruned).toBe(known);
    expect([lines, await stateOf(copy)]).toEqual([lines, expected]);
  }
});

test("the parts are stored in their order, also by threads", async () => {
  const home = await aShard(["redact", "pruneSome"]);
  // Threads start after 2 MiB.
  const large = Array.from({ length: 30 }, (_, index) =>
    aMatch({ createdAt: CUTOFF + index, stats: { text: "x".repeat(100_000) } }),
  );
  await take(home, large);
  const copy = aHome();
  const { rejections } = await take(copy, await exported(home), { threads: 2 });
  expect(rejections).toEqual([]);
  expect(await stateOf(copy)).toEqual(await stateOf(home));
});

describe("a shard that is not empty", () => {
  const own = aMatch({ id: "own", createdAt: START, rosters: duel({ id: "ann" }, { id: "own" }) });

  test("takes the records of a pruned one; everything else is rejected, and changes nothing", async () => {
    const documents = await exported(await aShard(["redact", "prune"]));
    const there = aHome();
    await take(there, [own]);
    const states = documents.filter(isState);
    const taken = await take(there, documents);
    expect(taken.report).toMatchObject({ stored: 6, rejected: states.length, pruned: 0 });
    const reasons = reasonsIn(taken);
    expect(reasons[0]).toMatch(/^shard na is not empty, and player gone is not redacted there/);
    expect(reasons[1]).toMatch(
      /^shard na is not empty, so the pruned matches of player ann could count twice: ingest/,
    );
    expect(reasons.at(-1)).toMatch(/^something before this prune cutoff was rejected/);
    expect(await stateOf(there)).toMatchObject({ cutoff: undefined, redactions: [], bases: [] });

    const expected = aHome();
    await take(expected, [own, ...documents.filter((one) => !isState(one))]);
    expect(await stateOf(there)).toEqual(await stateOf(expected));
  });

  test("does not take a cutoff that would hide its own records", async () => {
    const other = aHome();
    await take(other, [late]);
    await lookInto(other, (writer) => acts.prune(writer));
    const there = aHome();
    await take(there, [own]);
    const taken = await take(there, await exported(other));
    expect(reasonsIn(taken)).toEqual([
      "shard na has 1 records from before the cutoff 2026-01-10T12:00:00Z, and the export has 0: ingest the export into an empty shard",
    ]);
    expect((await stateOf(there)).cutoff).toBeUndefined();
  });

  test("keeps a later cutoff", async () => {
    const home = await aShard(["prune"]);
    const documents = await exported(home);
    await lookInto(home, (writer) => acts.prune(writer, CUTOFF + DAY));
    const { cutoff, bases } = await stateOf(home);
    await take(home, documents);
    expect(await stateOf(home)).toMatchObject({ cutoff, bases });
    await take(home, documents.filter(isState).slice(-1));
    expect(await stateOf(home)).toMatchObject({ cutoff, bases });
  });

  test("that was pruned until it has no records takes no other player", async () => {
    const documents = await exported(await aShard(["prune"]));
    const there = aHome();
    await take(there, [own]);
    await lookInto(there, (writer) => acts.prune(writer));
    const before = await stateOf(there);
    const { report } = await take(there, documents.filter(isState));
    expect(report.rejected).toBe(documents.filter(isState).length);
    expect(await stateOf(there)).toEqual(before);
  });
});

test("a cutoff waits for rejected records: the rejects file is fixed and ingested", async () => {
  const home = await aShard(["pruneSome"]);
  const documents = await exported(home);
  const broken = structuredClone(documents);
  const old = broken.find((one) => one.data?.id === "m5")!;
  Object.assign(old.data.attributes!, { createdAt: "soon" });
  const copy = aHome();
  const { rejections } = await take(copy, broken);
  expect(rejections.length).toBe(2);
  const rejects = path("rejects.ndjson");
  const file = new RejectsFile(rejects);
  for (const rejection of rejections) file.add(rejection);
  file.close();
  const fixed = readFileSync(rejects, "utf8").replace(
    "soon",
    new Date(START + 5 * DAY).toISOString(),
  );
  const lines = fixed.trimEnd().split("\n");
  const again = await take(
    copy,
    lines.map((line) => JSON.parse(line)),
  );
  expect(reasonsIn(again)).toEqual([]);
  const { digest: _, ...expected } = await stateOf(home);
  expect(await stateOf(copy)).toMatchObject(expected);
});

test("an export that was cut off, or failed at its end, is reported", async () => {
  const documents = await exported(await aShard(["prune"]));
  for (const lines of [1, documents.length - 1]) {
    expect(reasonsIn(await take(aHome(), documents.slice(0, lines)))).toEqual([
      "the export of this shard has no end, so it failed or was cut off: export it again, and ingest that into an empty shard",
    ]);
  }
});

test("players who were redacted after the export are not in what is ingested", async () => {
  const home = await aShard(["prune"]);
  const documents = await exported(home);
  const copy = aHome();
  await lookInto(copy, (writer) => acts.redact(writer));
  expect((await take(copy, documents)).rejections).toEqual([]);
  expect((await take(copy, documents)).rejections).toEqual([]);
  await lookInto(home, (writer) => acts.redact(writer));
  expect(await stateOf(copy)).toEqual(await stateOf(home));
});

const PLAYER = "base.standing.resource.attributes";

/** What is put where in the line of a player, and why that is rejected. */
const MEMBERS: [path: string, value: Json | undefined, reason: RegExp][] = [
  ["base.rankedEvidence", "7", /base\.rankedEvidence must be an integer/],
  ["base.standing.played", -1, /standing\.played must not be negative/],
  // No store holds more.
  ["base.standing.played", 2 ** 31, /standing\.played must not be more than 2147483647/],
  ["base.standing.gold", 5, /standing\.gold must be a string/],
  ["base.standing.wins", 99, /^wins must not be more than played/],
  ["base.standing.streak", -99, /^streak must not be more than played/],
  ["base.standing.luck", 7, /standing must not have luck/],
  ["base.standing.gold", undefined, /standing is missing gold/],
  ["more", {}, /^meta\.matchbook must not have more/],
  ["base", undefined, /^meta\.matchbook must have one of the members redacted, base, kept, pruned/],
  ["base", [1], /^meta\.matchbook\.base must be an object/],
  ["shard", "eu", /there is no shard "eu"/],
  ["shard", "../x", /^meta\.matchbook\.shard must be 1 to 32/],
  ["base.player", "zoe", /^resource must be player zoe/],
  [`${PLAYER}.name`, undefined, /^player ann: attributes is missing name/],
  [`${PLAYER}.shardId`, "eu", /^resource must be of shard na/],
  // It would lose precision.
  [`${PLAYER}.big`, 2 ** 60, /attributes\.big is a number beyond 2\^53/],
  ["base.standing.companions", [{ type: "guild", id: "g" }], /^companions must be what the player/],
  ["base.standing.companions", [{ type: "match", id: "g" }], /^companions must not have the types/],
  ["base.standing.companions", [7], /standing\.companions\.0 must be an object/],
  ["base.standing.latestAt", "soon", /^latestAt must be a timestamp/],
];

describe("a line that no export has is rejected:", () => {
  let aLine: Json;
  beforeAll(async () => {
    aLine = (await exported(await aShard(["prune"])))[0]!;
  });

  test.each(MEMBERS)("%s: %j", async (path, value, reason) => {
    const line = structuredClone(aLine) as Loose;
    const names = path.split(".");
    const last = names.pop()!;
    const parent = names.reduce((node, name) => node[name], line.meta.matchbook);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
    const home = aHome();
    const taken = await take(home, [line]);
    expect(reasonsIn(taken)[0]).toMatch(reason);
    expect(taken.report).toMatchObject({ rejected: 1, stored: 0 });
    expect((await stateOf(home)).bases).toEqual([]);
  });

  test.each([
    [{ pruned: { before: "2026-01-11", left: 0 } }, /^before must be a timestamp/],
    [{ pruned: { before: "2999-01-11T00:00:00Z", left: 0 } }, /^before is ahead of/],
    [{ pruned: { before: "2026-01-11T00:00:00Z", left: -1 } }, /pruned\.left must not be negative/],
    [{ pruned: { before: "2026-01-11T00:00:00Z" } }, /pruned is missing left/],
    [
      { redacted: { player: "a b", redactedAt: "2026-01-11T00:00:00Z" } },
      /redacted\.player must be 1 to 64/,
    ],
    [
      { redacted: { player: "ann", redactedAt: "2026-01-11T00:00:00Z", name: "Ann" } },
      /redacted must not have name/,
    ],
  ])("%j", async (part, reason) => {
    const home = aHome();
    const taken = await take(home, [{ meta: { matchbook: { shard: "na", ...part } } }]);
    expect(reasonsIn(taken)[0]).toMatch(reason);
    expect(await stateOf(home)).toMatchObject({ cutoff: undefined, redactions: [] });
  });
});

test.each([
  ["a prune", ["prune"], (writer: Writer) => acts.prune(writer, CUTOFF + 2 * DAY)],
  ["the rest of a prune", ["pruneSome"], acts.prune],
  ["a redaction", ["prune"], acts.redact],
] as const)("an export is the shard before %s that happens meanwhile", async (_, how, act) => {
  const home = await aShard(how);
  const before = await stateOf(home);
  const documents = await lookInto(home, (writer) =>
    exportedFrom(writer, undefined, () => lookInto(home, act)),
  );
  expect(await stateOf(home)).not.toEqual(before);
  const copy = aHome();
  expect((await take(copy, documents)).rejections).toEqual([]);
  expect(await stateOf(copy)).toEqual(before);
});
