/** In charge of records that come in over HTTP: what is taken, and what is told of each. */

import { afterAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { ndjson, startAdminWorld } from "../support/admin.ts";
import { aMatch, anId, type RosterIn } from "../support/records.ts";
import { openUpload, type WireUpload } from "../support/wire-upload.ts";

const world = await startAdminWorld([], { batch: "5", "max-upload-bytes": "1MiB" });
afterAll(() => world.stop());

const some = (count: number, wishes = {}) => Array.from({ length: count }, () => aMatch(wishes));
/** The smallest rosters there are. */
const bots: [RosterIn, RosterIn] = [{ members: [{ bot: true }] }, { members: [{ bot: true }] }];
const idOf = (document: ReturnType<typeof aMatch>) => document.data.id as string;
const emptyReport = {
  stored: 0,
  withheld: { "game-mode": 0, ending: 0, "no-ranked-player": 0 },
  duplicate: 0,
  conflict: 0,
  rejected: 0,
  released: 0,
};

describe("an upload takes", () => {
  test("lines of NDJSON", async () => {
    const documents = some(12);
    const { status, lines, last } = await world.upload(ndjson(documents));
    expect(status).toBe(200);
    expect(lines).toEqual(
      documents.map((one, at) => ({ line: at + 1, id: idOf(one), shard: "na", outcome: "stored" })),
    );
    expect(last).toEqual({ report: { ...emptyReport, stored: 12 } });
  });

  test("one document, over many lines", async () => {
    const { last } = await world.upload(JSON.stringify(aMatch(), null, 2));
    expect(last).toEqual({ report: { ...emptyReport, stored: 1 } });
  });

  test("an array of documents", async () => {
    const documents = some(3);
    const { lines } = await world.upload(JSON.stringify(documents));
    expect(lines.map(({ id }) => id)).toEqual(documents.map(idOf));
  });

  test("nothing at all", async () => {
    for (const body of ["", "\n\n"]) {
      expect(await world.upload(body)).toEqual({
        status: 200,
        lines: [],
        last: { report: emptyReport },
      });
    }
  });

  test.each([
    ["a header that says so", { "Content-Encoding": "gzip" }],
    ["no header", undefined],
  ])("gzip with %s", async (_, headers) => {
    const { last } = await world.upload(gzipSync(ndjson(some(7))), "", headers);
    expect(last).toEqual({ report: { ...emptyReport, stored: 7 } });
  });

  test("gzip in several members", async () => {
    const members = [some(2), some(3)].map((documents) => gzipSync(ndjson(documents)));
    const { last } = await world.upload(new Uint8Array(Buffer.concat(members)));
    expect(last.report.stored).toBe(5);
  });

  test.each(["br", "deflate", "zstd", "gzip, gzip"])("no %s", async (encoding) => {
    const { status, body } = await world.ask("POST", "/ingest", "x", {
      "Content-Encoding": encoding,
    });
    expect([status, body.error.code]).toEqual([415, "unsupported-encoding"]);
  });
});

describe("of each record it is told", () => {
  test("what became of it, in the order of the records, whatever their shards", async () => {
    const known = aMatch({ shard: "eu" });
    await world.upload(ndjson([known]));
    const other = aMatch({ id: idOf(known), shard: "eu", patch: "9.9" });
    const documents = [
      aMatch({ shard: "na" }),
      known,
      aMatch({ shard: "sa", mode: "practice" }),
      { data: { type: "match", id: "broken" } },
      other,
      aMatch({ shard: "na" }),
      "no document",
      aMatch({ shard: "eu" }),
    ];
    const { lines, last } = await world.upload(ndjson(documents));
    expect(lines.map(({ line, shard, outcome }) => [line, shard, outcome])).toEqual([
      [1, "na", "stored"],
      [2, "eu", "duplicate"],
      [3, "sa", "withheld"],
      [4, undefined, "rejected"],
      [5, "eu", "conflict"],
      [6, "na", "stored"],
      [7, undefined, "rejected"],
      [8, "eu", "stored"],
    ]);
    expect(lines[2]!.reason).toBe("game-mode");
    expect(lines[3]).toMatchObject({ id: "broken", problems: [expect.stringContaining("needs")] });
    expect(lines[6]!.id).toBeUndefined();
    expect(last.report).toMatchObject({ stored: 3, duplicate: 1, conflict: 1, rejected: 2 });
  });

  test("only that it was rejected, and the rest goes in", async () => {
    const documents = some(30);
    const texts = documents.map((one) => JSON.stringify(one));
    texts[14] = "{ this is no JSON }";
    const { lines, last } = await world.upload(texts.join("\n"));
    expect(lines.map(({ line }) => line)).toEqual(documents.map((_, at) => at + 1));
    expect(lines.filter(({ outcome }) => outcome !== "stored")).toEqual([
      { line: 15, outcome: "rejected", problems: [expect.stringContaining("not JSON")] },
    ]);
    expect(last.report).toMatchObject({ stored: 29, rejected: 1 });
  });

  test("while the rest is still to come, and it is served by then", async () => {
    // Enough that the first of them are not waited with.
    const documents = some(300, { shard: "live", rosters: bots });
    const upload = await openUpload(world.adminUrl);
    await upload.write(ndjson(documents));
    const first = await firstLine(upload);
    expect(first).toEqual({ line: 1, id: idOf(documents[0]!), shard: "live", outcome: "stored" });
    // The shard was not there before this upload.
    expect((await world.get(`/shards/live/matches/${first.id}`)).status).toBe(200);
    await upload.write(ndjson(some(1, { shard: "live" })));
    await upload.end();
    const { lines, last } = await upload.reply();
    expect(lines).toHaveLength(301);
    expect(last.report.stored).toBe(301);
  });

  test("in the order of a list on one line, too", async () => {
    const documents = [aMatch(), { data: null }, aMatch(), "none", aMatch()];
    const { lines } = await world.upload(JSON.stringify(documents));
    const outcomes = lines.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["stored", "rejected", "stored", "rejected", "stored"]);
  });
});

async function firstLine(upload: WireUpload) {
  let text = "";
  while (!/^\{.*\}$/m.test(text)) text += await upload.next();
  return JSON.parse(/^\{.*\}$/m.exec(text)![0]);
}

describe("the caller may ask for", () => {
  test("a shard: records that name none are of it, others are rejected", async () => {
    const nameless = aMatch({ shard: "eu" });
    delete (nameless.data.attributes as { shardId?: string }).shardId;
    const { lines } = await world.upload(ndjson([nameless, aMatch({ shard: "na" })]), "?shard=eu");
    expect(lines.map(({ outcome, shard }) => [outcome, shard])).toEqual([
      ["stored", "eu"],
      ["rejected", undefined],
    ]);
  });

  test("replacement of what is known", async () => {
    const id = anId("match");
    await world.upload(ndjson([aMatch({ id, patch: "1.0" })]));
    const next = ndjson([aMatch({ id, patch: "2.0" })]);
    const served = async () =>
      (await world.get(`/shards/na/matches/${id}`)).body.data.attributes.patchVersion;
    expect((await world.upload(next, "?replace=false")).lines[0]!.outcome).toBe("conflict");
    expect(await served()).toBe("1.0");
    expect((await world.upload(next, "?replace=true")).lines[0]!.outcome).toBe("stored");
    expect(await served()).toBe("2.0");
  });

  test.each([
    ["?shard=Not%20A%20Shard", "shard must be"],
    ["?replace=yes", "replace must be true or false"],
    ["?repalce=true", /; did you mean replace\?$/],
    ["?shard=na&shard=eu", "twice"],
  ])("nothing like %s", async (query, words) => {
    const { status, body } = await world.ask("POST", `/ingest${query}`, ndjson([aMatch()]));
    expect([status, body.error.code]).toEqual([400, "invalid-query"]);
    expect(body.error.message).toMatch(words);
  });
});

describe("an upload breaks off", () => {
  const large = ndjson(some(100, { attributes: { notes: "x".repeat(16_000) } }));

  test("before it begins, if its length is known to be too large", async () => {
    expect(large.length).toBeGreaterThan(1024 * 1024);
    const { status, body } = await world.ask("POST", "/ingest", large);
    expect([status, body.error.code]).toEqual([413, "body-too-large"]);
    expect(body.error.message).toContain("max-upload-bytes");
  });

  test("where it becomes too large; what came before is stored and told", async () => {
    const upload = await openUpload(world.adminUrl);
    for (const line of large.split(/(?<=\n)/)) await upload.write(line);
    await upload.end();
    const { status, lines, last } = await upload.reply();
    expect(status).toBe(200);
    expect(last.error).toMatchObject({ code: "body-too-large" });
    expect(lines.length).toBeWithin(50, 100);
    expect(lines.every(({ outcome }) => outcome === "stored")).toBe(true);
    expect(last.report.stored).toBe(lines.length);
    const { id } = lines.at(-1)!;
    expect((await world.get(`/shards/na/matches/${id}`)).status).toBe(200);
  });

  test("where its gzip is cut off or damaged", async () => {
    const documents = some(40);
    const whole = gzipSync(ndjson(documents));
    const cut = await world.upload(new Uint8Array(whole.subarray(0, whole.length / 2)));
    expect(cut.last.error).toMatchObject({ code: "body-damaged" });
    expect(cut.last.error.message).toContain("gzip is cut off");
    expect(cut.last.report.stored).toBe(cut.lines.length);
    const bytes = new Uint8Array(whole);
    bytes.fill(0, bytes.length / 2, bytes.length / 2 + 50);
    expect((await world.upload(bytes)).last.error.code).toBe("body-damaged");
    const again = await world.upload(new Uint8Array(whole));
    expect(again.last.report).toMatchObject({ rejected: 0, conflict: 0 });
    expect(again.last.report.stored + again.last.report.duplicate).toBe(40);
  });

  test("in a list that is not closed: that is told as a rejection", async () => {
    const { lines, last } = await world.upload(`[${JSON.stringify(aMatch())},`);
    expect(lines.map(({ outcome }) => outcome)).toEqual(["stored", "rejected"]);
    expect(last.report).toMatchObject({ stored: 1, rejected: 1 });
  });
});

describe("a record", () => {
  test("that is too long is rejected by its line, and the rest goes in", async () => {
    const small = await startAdminWorld([], { "max-record-bytes": "8KiB" });
    const long = aMatch({ attributes: { notes: "x".repeat(9000) } });
    const { lines } = await small.upload(ndjson([aMatch(), long, aMatch()]));
    expect(lines.map(({ outcome }) => outcome)).toEqual(["stored", "rejected", "stored"]);
    expect(lines[1]!.problems![0]).toContain("max-record-bytes");
    await small.stop();
  });

  test("of a shard that the settings do not list is rejected", async () => {
    const listed = await startAdminWorld([], {}, "[shards.na]\n[shards.eu]\n");
    const { lines } = await listed.upload(ndjson([aMatch({ shard: "sa" }), aMatch()]));
    expect(lines.map(({ outcome }) => outcome)).toEqual(["rejected", "stored"]);
    expect(lines[0]!.problems![0]).toContain('no shard "sa"');
    await listed.stop();
  });
});
