/** Tests promises of the API that belong to no other topic. */

import { afterAll, expect, test } from "bun:test";
import { draftOf } from "../support/drafts.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { included, startWorld } from "../support/world.ts";

const anonymous = draftOf(
  aMatch({
    id: "match-a",
    rosters: [{ members: [{ id: "player-a" }] }, { members: [{ bot: true }] }],
    attributes: { duration: 754 },
  }),
);
anonymous.at("participant/match-a-r1p0").attributes.guest = true;
const world = await startWorld([anonymous.document]);
afterAll(() => world.stop());

test("the OpenAPI document says that a duration is in seconds, and it is served as recorded", async () => {
  const { body } = await world.get("/openapi.json");
  const { duration } = body.components.schemas.Match.properties.attributes.properties;
  expect(duration).toMatchObject({ type: "integer", minimum: 0 });
  expect(duration.description).toContain("in seconds");
  const { data } = (await world.get("/shards/na/matches/match-a")).body;
  expect(data.attributes.duration).toBe(754);
});

test("an anonymous player is served as a participant without a player, and otherwise as recorded", async () => {
  const { body } = await world.get("/shards/na/matches/match-a");
  const participant = included(body, "participant", "match-a-r1p0");
  expect(participant).toEqual(anonymous.at("participant/match-a-r1p0"));
  expect(participant).toMatchObject({ attributes: { guest: true } });
  expect(participant).not.toHaveProperty("relationships");
  expect(included(body, "player", "player-a")).toBeDefined();
  const players = body.included.filter(({ type }: { type: string }) => type === "player");
  expect(players).toHaveLength(1);
});

test("what only the compatibility profile accepts is refused by default", async () => {
  // compat.test.ts has all that is refused with the profile off.
  expect(world.settings.compat).toBe("off");
  const reply = await world.get("/shards/na/matches?page[limit]=50");
  expect([reply.status, problemIn(reply).code]).toEqual([400, "invalid-parameter"]);
});
