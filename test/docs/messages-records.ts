/** Triggers every reason for rejecting a record: one real record for each. */

import type { Json, JsonObject } from "../../src/domain/json.ts";
import { withShards } from "../support/prune.ts";
import { aMatch, type MatchDocument } from "../support/records.ts";
import { ingestBytes, startWorld } from "../support/world.ts";

export interface RecordMessage {
  /** What was changed in a valid record. */
  what: string;
  reasons: string[];
}

/** A valid record with ids that are the same in every run. */
const sound = (): MatchDocument =>
  aMatch({
    id: "m1",
    createdAt: "2026-03-01T18:30:00Z",
    rosters: [
      { members: [{ id: "p1", name: "Ada" }], team: { id: "t1", name: "EMBR" } },
      { members: [{ id: "p2", name: "Grace" }] },
    ],
  });

type Path = string;

/** The node at a path, e.g. "data.attributes" or "included.roster.attributes" (the first of a type). */
function at(document: JsonObject, path: Path): JsonObject {
  const [first, ...rest] = path.split(".");
  const start = first === "data" ? document.data : undefined;
  const found = start ?? (document.included as JsonObject[]).find(({ type }) => type === first)!;
  return rest.reduce<JsonObject>((node, name) => node[name] as JsonObject, found as JsonObject);
}

const set =
  (path: Path, name: string, value: Json) =>
  (document: JsonObject): void => {
    at(document, path)[name] = value;
  };

const drop =
  (path: Path, name: string) =>
  (document: JsonObject): void => {
    delete at(document, path)[name];
  };

const include =
  (...resources: JsonObject[]) =>
  (document: JsonObject): void => {
    (document.included as JsonObject[]).push(...resources);
  };

const nested = (levels: number): Json => {
  let value: Json = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
};

type Change = (document: JsonObject) => unknown;

const CHANGES: Record<string, Change[]> = {
  "no `id`": [drop("data", "id")],
  "an `id` that is a number": [set("data", "id", 7)],
  "an `id` with a space": [set("data", "id", "m 1")],
  "no `attributes`": [drop("data", "attributes")],
  "no `duration`": [drop("data.attributes", "duration")],
  "a `duration` that is a text": [set("data.attributes", "duration", "20 min")],
  "a `duration` of -1": [set("data.attributes", "duration", -1)],
  "a `createdAt` that is a number": [set("data.attributes", "createdAt", 1767225600)],
  "a `createdAt` without a zone": [set("data.attributes", "createdAt", "2026-03-01T18:30:00")],
  "a `createdAt` in the future": [set("data.attributes", "createdAt", "9999-01-01T00:00:00Z")],
  "a `gameMode` of 300 characters": [set("data.attributes", "gameMode", "x".repeat(300))],
  "a `shardId` in capitals": [set("data.attributes", "shardId", "NA")],
  "no `shardId`": [drop("data.attributes", "shardId")],
  "`stats` that are a text of another kind": [set("data.attributes", "stats", "won by a lot")],
  "`relationships` that are a list": [set("data", "relationships", [])],
  "one roster": [set("data.relationships.rosters", "data", [{ type: "roster", id: "m1-r0" }])],
  "the same roster twice": [
    set("data.relationships.rosters", "data", [
      { type: "roster", id: "m1-r0" },
      { type: "roster", id: "m1-r0" },
    ]),
  ],
  "a roster that is not included": [
    set("data.relationships.rosters", "data", [
      { type: "roster", id: "m1-r0" },
      { type: "roster", id: "m1-r9" },
    ]),
  ],
  "a roster's `won` that is a number": [set("roster.attributes", "won", 1)],
  "a roster of another shard": [set("roster.attributes", "shardId", "eu")],
  "a participant without `farm`": [drop("participant.attributes.stats", "farm")],
  "a player without a name": [drop("player.attributes", "name")],
  "a player with an empty name": [set("player.attributes", "name", "")],
  "a player with U+0000 in its name": [set("player.attributes", "name", "A\u0000da")],
  "a player whose `winStreak` is 1.5": [set("player.attributes", "stats", { winStreak: 1.5 })],
  "a reference to another type": [
    set("participant.relationships.player", "data", { type: "team", id: "t1" }),
  ],
  "a resource that nothing links to": [include({ type: "asset", id: "a1" })],
  "a resource twice": [(document) => include(at(document, "player"))(document)],
  "an included resource without an `id`": [include({ type: "asset" })],
  "`included` that is an object": [(document) => Object.assign(document, { included: {} })],
  "another match in `included`": [
    set("data.relationships", "rematch", { data: { type: "match", id: "m2" } }),
    include({ type: "match", id: "m2" }),
  ],
  "a type with a space": [
    set("data.relationships", "extra", { data: { type: "an asset", id: "a1" } }),
    include({ type: "an asset", id: "a1" }),
  ],
  "a member beside `attributes`": [set("data", "season", 9)],
  "an attribute that is a relationship too": [set("data.attributes", "rosters", 2)],
  "an attribute named `type` or `id`": [set("data.attributes", "type", "ranked")],
  "a relationship that is a text": [set("data.relationships", "assets", "none")],
  "a relationship with nothing in it": [set("data.relationships", "assets", {})],
  "a relationship with a member of its own": [
    set("data.relationships", "assets", { data: [], count: 0 }),
  ],
  "a relationship with an id for `data`": [set("data.relationships", "assets", { data: "a1" })],
  "a reference with attributes": [
    set("data.relationships", "assets", { data: [{ type: "asset", id: "a1", attributes: {} }] }),
  ],
  "a reference twice in one relationship": [
    set("data.relationships", "assets", {
      data: [
        { type: "asset", id: "a1" },
        { type: "asset", id: "a1" },
      ],
    }),
  ],
  "`links` that are a list": [set("data", "links", [])],
  "`meta` that is a text": [set("data", "meta", "x")],
  "a number beyond 2^53": [set("data.attributes.stats", "seed", 2 ** 60)],
  "half of a surrogate pair": [set("data.attributes.stats", "note", "\ud800")],
  "half of a surrogate pair in a name": [set("data.attributes.stats", "\ud800", 1)],
  "70 levels of lists": [set("data.attributes.stats", "deep", nested(70))],
  "a `type` that is not match": [set("data", "type", "game")],
};

const json = (document: Json) => Buffer.from(JSON.stringify(document));
const text = JSON.stringify(sound());

const ofExport = (part: JsonObject) => json({ meta: { matchbook: { shard: "na", ...part } } });
const base = { player: "ada", rankedEvidence: 1 };
const redacted = { player: "ada", redactedAt: "2026-03-01T00:00:00Z" };
const pruned = { before: "2026-03-01T00:00:00Z", left: 0 };

const TEXTS: Record<string, Buffer> = {
  "a text that is cut off": Buffer.from(text.slice(0, 200)),
  "single quotes": Buffer.from("{'data': {}}"),
  "a byte order mark in the middle of a file": Buffer.from(`\ufeff${text}`),
  "bytes that are no UTF-8": Buffer.concat([
    Buffer.from('{"data":"'),
    Buffer.from([0xe4, 0x22, 0x7d]),
  ]),
  "a member twice": Buffer.from(text.replace('"duration":1200', '"duration":1200,"duration":1260')),
  "a hundred thousand levels": Buffer.from(`${"[".repeat(100_000)}${"]".repeat(100_000)}`),
  "a number for a document": json(7),
  "an error document": json({ errors: [] }),
  "10,001 matches in one document": json({ data: Array.from({ length: 10_001 }, () => 0) }),
  "more references than a record may hold": json(crowded()),
  "copies without end": json(shared()),
  "a line of an export about no part of a shard": ofExport({}),
  "a line of an export with a member that none has": ofExport({ base: { ...base, level: 3 } }),
  "a line of an export with a negative total": ofExport({ base: { ...base, rankedEvidence: -1 } }),
  "a redacted player of an export, for a shard with records": ofExport({ redacted }),
  "pruned matches of an export, for a shard with records": ofExport({ base }),
  "the cutoff of an export in which something was rejected": ofExport({ pruned }),
};

function crowded(): Json {
  const document = sound();
  const data = Array.from({ length: 20_001 }, (_, id) => ({ type: "asset", id: `a${id}` }));
  set("data.relationships", "assets", { data })(document);
  return document;
}

function shared(): Json {
  const document = sound();
  const reference = { type: "asset", id: "a1" };
  include({ ...reference, attributes: { text: "x".repeat(9 << 20) } })(document);
  set("player", "relationships", { asset: { data: reference } })(document);
  for (const player of document.included.filter(({ type }) => type === "player")) {
    player.relationships = { asset: { data: reference } };
  }
  set("team", "relationships", { asset: { data: reference } })(document);
  return document;
}

/** All reasons, in the order above. */
export async function recordMessages(): Promise<RecordMessage[]> {
  const records = [
    ...Object.entries(CHANGES).map(([what, changes]) => {
      const document = sound();
      for (const change of changes) change(document);
      return [what, json(document)] as const;
    }),
    ...Object.entries(TEXTS),
  ];
  await using world = await startWorld();
  // The first line makes ingest detect NDJSON, and the shard has a record.
  const lines = [json(sound()), ...records.map(([, line]) => line)];
  const file = new Blob(lines.flatMap((line) => [line, "\n"])).stream();
  const clock = () => Date.parse("2026-06-01T00:00:00Z");
  const { rejections } = await withShards(world.settings, (shards) =>
    ingestBytes(shards, world.settings, file, { clock }),
  );
  const reasonsAt = (line: number) =>
    rejections.filter(({ origin }) => origin.line === line).flatMap(({ problems }) => problems);
  return records.map(([what], number) => ({
    what,
    reasons: reasonsAt(number + 2),
  }));
}
