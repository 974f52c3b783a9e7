/** Tests record uploads over HTTP: what is accepted, and what the response contains. */

import { afterAll, describe, expect, test } from "bun:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { expectRefused, ndjson, startAdminWorld } from "../support/admin.ts";
import { exportedFrom } from "../support/exported.ts";
import { homeAt, ingestAt, lookInto, settingsAt } from "../support/places.ts";
import { pruneAt } from "../support/prune.ts";
import { aMatch, anId, duel, minutesAgo, type RosterIn } from "../support/records.ts";
import { until } from "../support/state.ts";
import { openUpload } from "../support/wire-upload.ts";
import { aFolder } from "../support/world.ts";

const world = await startAdminWorld([], { batch: "5", "max-record-bytes": "8KiB" });
afterAll(() => world.stop());

const some = (count: number, wishes = {}) => Array.from({ length: count }, () => aMatch(wishes));
/** The smallest possible rosters. */
const bots: [RosterIn, RosterIn] = [{ members: [{ bot: true }] }, { members: [{ bot: true }] }];
const idOf = (document: ReturnType<typeof aMatch>) => document.data.id as string;
const emptyReport = {
  stored: 0,
  withheld: { "game-mode": 0, ending: 0, "no-ranked-player": 0 },
  duplicate: 0,
  conflict: 0,
  pruned: 0,
  rejected: 0,
  released: 0,
};

describe("an upload accepts", () => {
  test("the export of a pruned shard, whose players keep their lifetime records", async () => {
    const folder = aFolder();
    const home = homeAt(folder.path, `sqlite:${folder.path}/na.db`);
    const rosters = duel({ id: "ann" }, { id: "bob" });
    const matches = [10, 5].map((minutes) => aMatch({ createdAt: minutesAgo(minutes), rosters }));
    await ingestAt(home, ndjson(matches).trimEnd().split("\n"));
    await pruneAt(settingsAt(home), "na", Date.now() - 7 * 60_000);
    const text = ndjson(await lookInto(home, (writer) => exportedFrom(writer)));
    folder.remove();
    for (const count of ["stored", "duplicate"]) {
      const { status, report } = await world.upload(text.replaceAll('"na"', '"restored"'));
      expect({ status, report }).toEqual({ status: 200, report: { ...emptyReport, [count]: 1 } });
      const { body } = await world.get("/shards/restored/players/ann");
      expect(body.data.attributes.stats).toMatchObject({ played: 2, winStreak: 2 });
    }
  });

  test("nothing at all", async () => {
    for (const body of ["", "\n\n"]) {
      expect(await world.upload(body)).toEqual({ status: 200, report: emptyReport, notStored: [] });
    }
  });

  test.each([
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
  ])("%s with a header that says so", async (encoding, compress) => {
    const headers = { "Content-Encoding": encoding };
    const { report } = await world.upload(compress(ndjson(some(7))), "", headers);
    expect(report).toEqual({ ...emptyReport, stored: 7 });
  });

  test.each(["br", "deflate", "compress", "gzip, gzip"])("no %s", async (encoding) => {
    expectRefused(
      await world.ask("POST", "/ingest", "x", {
        "Content-Encoding": encoding,
      }),
      "unsupported-encoding",
    );
  });

  test("records that are served while the rest is still to come", async () => {
    // Enough records that the first are stored before the body ends.
    const documents = some(300, { shard: "live", rosters: bots });
    const upload = await openUpload(world.adminUrl);
    await upload.write(ndjson(documents));
    // The shard did not exist before this upload.
    const first = `/shards/live/matches/${idOf(documents[0]!)}`;
    await until(
      "the first match is served",
      async () => (await world.get(first)).status === 200 || undefined,
    );
    await upload.write(ndjson(some(1, { shard: "live" })));
    await upload.end();
    expect(await upload.reply()).toMatchObject({ status: 200, report: { stored: 301 } });
  });
});

describe("the response", () => {
  test("counts every outcome, and lists the records that are not stored, by their lines", async () => {
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
    expect(await world.upload(ndjson(documents))).toEqual({
      status: 422,
      error: {
        code: "records-not-stored",
        message: expect.stringMatching(/2 rejected, 1 .*notStored/),
      },
      report: {
        ...emptyReport,
        stored: 3,
        withheld: { ...emptyReport.withheld, "game-mode": 1 },
        duplicate: 1,
        conflict: 1,
        pruned: 0,
        rejected: 2,
      },
      notStored: [
        {
          line: 4,
          id: "broken",
          outcome: "rejected",
          problems: [expect.stringMatching(/^match broken: /)],
        },
        { line: 5, id: idOf(known), shard: "eu", outcome: "conflict" },
        { line: 7, outcome: "rejected", problems: [expect.any(String)] },
      ],
    });
  });

  test("is 200 when everything is stored, withheld or known", async () => {
    const documents = [aMatch(), aMatch({ mode: "practice" })];
    for (const duplicate of [0, 2]) {
      const reply = await world.upload(ndjson(documents));
      expect(reply).toMatchObject({ status: 200, report: { duplicate } });
    }
  });
});

describe("the query can set", () => {
  test("a shard: records without one go there, records of other shards are rejected", async () => {
    const nameless = aMatch({ shard: "eu" });
    delete (nameless.data.attributes as { shardId?: string }).shardId;
    const other = aMatch({ shard: "na" });
    const { report, notStored } = await world.upload(ndjson([nameless, other]), "?shard=eu");
    expect(report).toMatchObject({ stored: 1, rejected: 1 });
    expect(notStored).toMatchObject([{ line: 2, id: idOf(other) }]);
    expect((await world.get(`/shards/eu/matches/${idOf(nameless)}`)).status).toBe(200);
  });

  test("replace: known matches are replaced", async () => {
    const id = anId("match");
    await world.upload(ndjson([aMatch({ id, patch: "1.0" })]));
    const next = ndjson([aMatch({ id, patch: "2.0" })]);
    const served = async () =>
      (await world.get(`/shards/na/matches/${id}`)).body.data.attributes.patchVersion;
    expect((await world.upload(next, "?replace=false")).report.conflict).toBe(1);
    expect(await served()).toBe("1.0");
    expect((await world.upload(next, "?replace=true")).report.stored).toBe(1);
    expect(await served()).toBe("2.0");
  });

  test.each([
    ["?shard=Not%20A%20Shard", /\bshard\b/],
    ["?replace=yes", /\breplace\b.*true.*false/],
    ["?repalce=true", /"repalce".* replace\?$/],
    ["?shard=na&shard=eu", /\bshard\b.*twice/],
  ])("nothing like %s", async (query, words) => {
    expectRefused(
      await world.ask("POST", `/ingest${query}`, ndjson([aMatch()])),
      "invalid-query",
      words,
    );
  });
});

describe("an upload stops", () => {
  /** 256 records of the largest size. */
  const MAX_UPLOAD = 256 * 8 * 1024;
  const large = ndjson(some(400, { attributes: { notes: "x".repeat(6000) } }));

  test("before it begins, if its length is known to be too large", async () => {
    expect(large.length).toBeGreaterThan(MAX_UPLOAD);
    expectRefused(await world.ask("POST", "/ingest", large), "body-too-large", "max-record-bytes");
  });

  test("where it becomes too large; records before that are stored and counted", async () => {
    const documents = some(400, { shard: "size", attributes: { notes: "x".repeat(6000) } });
    const upload = await openUpload(world.adminUrl);
    for (const one of documents) await upload.write(ndjson([one]));
    await upload.end();
    const { status, report, error } = await upload.reply();
    expect([status, error!.code]).toEqual([413, "body-too-large"]);
    const fitting = documents.filter(
      (_, at) => ndjson(documents.slice(0, at + 1)).length <= MAX_UPLOAD,
    );
    expect(fitting.length).toBeWithin(200, 400);
    expect(report.stored).toBe(fitting.length);
    const last = `/shards/size/matches/${idOf(fitting.at(-1)!)}`;
    expect((await world.get(last)).status).toBe(200);
  });

  test.each([
    ["records", () => large],
    ["line ends", () => "\n".repeat(2 * MAX_UPLOAD)],
  ])("where %s become too large by decompression", async (_, content) => {
    const body = gzipSync(content());
    expect(body.length).toBeLessThan(MAX_UPLOAD);
    const { status, error } = await world.upload(new Uint8Array(body));
    expect([status, error?.code]).toEqual([413, "body-too-large"]);
    expect(error!.message).toContain("when it is decompressed");
  });

  test("where its gzip is cut off or damaged", async () => {
    const whole = gzipSync(ndjson(some(40)));
    const cut = await world.upload(new Uint8Array(whole.subarray(0, whole.length / 2)));
    expect([cut.status, cut.error!.code]).toEqual([400, "body-damaged"]);
    expect(cut.error!.message).toMatch(/gzip.*unexpected end of file/);
    const bytes = new Uint8Array(whole);
    bytes.fill(0, bytes.length / 2, bytes.length / 2 + 50);
    const damaged = await world.upload(bytes);
    expect([damaged.status, damaged.error!.code]).toEqual([400, "body-damaged"]);
    const { report } = await world.upload(new Uint8Array(whole));
    expect(report).toMatchObject({ rejected: 0, conflict: 0 });
    expect(report.stored + report.duplicate).toBe(40);
    expect(report.duplicate).toBeGreaterThanOrEqual(cut.report.stored);
  });
});

describe("a record", () => {
  test("that is too long is rejected by its line, and the rest is stored", async () => {
    const long = aMatch({ attributes: { notes: "x".repeat(9000) } });
    const { report, notStored } = await world.upload(ndjson([aMatch(), long, aMatch()]));
    expect(report).toMatchObject({ stored: 2, rejected: 1 });
    expect(notStored).toMatchObject([{ line: 2, outcome: "rejected" }]);
    expect(notStored[0]!.problems![0]).toContain("max-record-bytes");
  });
});
