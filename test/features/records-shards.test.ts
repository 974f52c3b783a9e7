/** Tests which shard a record goes to: its own, or the requested one. */

import { afterAll, describe, expect, test } from "bun:test";
import { draftOf } from "../support/drafts.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const open = await startWorld();
afterAll(() => open.stop());

test("32 characters of every allowed kind are a valid shard", async () => {
  const shard = `a-0${"z".repeat(29)}`;
  await open.ingest([aMatch({ id: "t2", shard })]);
  expect((await open.get(`/shards/${shard}/matches/t2`)).status).toBe(200);
});

describe("with a requested shard", () => {
  test.each([
    ["names no shard", "bare", undefined],
    ["has an empty shardId in every resource", "blank", ""],
  ])("a record that %s goes to that shard, with all its resources", async (_, id, shardId) => {
    const draft = draftOf(
      aMatch({
        id,
        rosters: [
          { members: [{ id: "bea" }], team: { id: "bts", name: "BTS" } },
          { members: [{ id: "cal" }] },
        ],
        relationships: { assets: { data: [{ type: "asset", id: "a1" }] } },
        included: [{ type: "asset", id: "a1", attributes: { name: "replay" } }],
      }),
    );
    for (const { attributes } of [draft.match, ...draft.document.included]) {
      if (shardId === undefined) delete attributes.shardId;
      else attributes.shardId = shardId;
    }
    const { report } = await open.ingest([draft.document], { shard: "ea" });
    expect(report).toMatchObject({ stored: 1, rejected: 0 });
    const { body } = await open.get(`/shards/ea/matches/${id}`);
    expect(body.data.attributes.shardId).toBe("ea");
    const completed = ["roster", "player", "team"];
    for (const { type, attributes } of body.included) {
      if (completed.includes(type)) expect(attributes.shardId).toBe("ea");
      // The API gives these no shardId, so none is added.
      else expect(attributes).not.toHaveProperty("shardId");
    }
  });
});
