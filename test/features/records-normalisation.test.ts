/** Tests the formats a record may use, and the one format in which it is served. Those of records.test.ts are compared with the model. */

import { afterAll, describe, expect, test } from "bun:test";
import { draftOf } from "../support/drafts.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld();
afterAll(() => world.stop());

describe("compact match stats:", () => {
  test.each([
    ["endGameReason: victory, queue: ranked", { endGameReason: "victory", queue: "ranked" }],
    ["endGameReason:victory,queue:ranked", { endGameReason: "victory", queue: "ranked" }],
    ["endGameReason=surrender, queue=casual", { endGameReason: "surrender", queue: "casual" }],
    ['{"endGameReason": "", "queue": "", "a": 3}', { endGameReason: "", queue: "", a: 3 }],
    [
      "endGameReason: two words, queue: , ratio: -0.25, late: true, code: 007",
      { endGameReason: "two words", queue: "", ratio: -0.25, late: true, code: "007" },
    ],
  ])("%j is the same record as with an object", async (stats, object) => {
    const compact = aMatch({ attributes: { stats } });
    const full = draftOf(compact);
    full.match.attributes.stats = object;
    const { report } = await world.ingest([compact, full.document]);
    expect(report).toMatchObject({ stored: 1, duplicate: 1 });
    const { body } = await world.get(`/shards/na/matches/${compact.data.id}`);
    expect(body.data.attributes.stats).toEqual(object);
  });

  test("the ending in them decides whether the match is served", async () => {
    const stats = "endGameReason: exitpractice, queue: casual";
    const { report } = await world.ingest([aMatch({ attributes: { stats } })]);
    expect(report.withheld.ending).toBe(1);
  });

  test.each(["", "victory", "a: 1,, b: 2"])(
    "%j cannot be parsed, and is rejected",
    async (stats) => {
      const { rejections } = await world.ingest([aMatch({ attributes: { stats } })]);
      expect(rejections[0]!.problems[0]).toEndWith("attributes.stats must be an object");
    },
  );
});
