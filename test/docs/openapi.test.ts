/** Tests the OpenAPI document: it passes a linter, and its examples are real responses. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { FEATURES } from "../../src/features/list.ts";
import core from "../../src/openapi/examples.json";
import { hasEndpoint } from "../support/endpoints.ts";
import { aMatch } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { startWorld } from "../support/world.ts";

/** Each file with the responses that it has. */
const EXAMPLES: [file: string, examples: object][] = [
  ["openapi/examples.json", core],
  ...FEATURES.map(
    ({ name, examples }) => [`features/${name}/example.json`, examples] as [string, object],
  ),
];
const WINDOW =
  "filter[createdAt-start]=2026-03-01T00:00:00Z&filter[createdAt-end]=2026-03-02T00:00:00Z";
const MATCH = "4cd1f2d3-0f34-4b2f-9d46-3a5f3a3c0a11";
const ADA = "8f14e45f-ceea-4e7a-9f3b-6d1f0b2c7d21";

const record = aMatch({
  id: MATCH,
  createdAt: "2026-03-01T18:30:00Z",
  rosters: [
    {
      members: [{ id: ADA, name: "Ada", gold: 16844.25 }],
      team: { id: "2a6d1f0b-2c7d-4e7a-8f14-e45fceea9f3b", name: "EMBR" },
    },
    { members: [{ id: "c9f0f895-fb98-4b91-b0f1-2c7d219f3b6d", name: "Grace" }] },
  ],
});

/** Some windows end now. */
const clock = { now: () => Date.parse("2026-03-02T00:00:00Z"), monotonic: () => performance.now() };

const world = shared(() =>
  startWorld([record], { "public-url": "https://matchbook.example" }, clock),
);

async function realReplies(): Promise<object> {
  const get = async (path: string) =>
    hasEndpoint(path) ? (await world.get(path)).body : undefined;
  const errors = await get("/shards/na/matches?page[limit]=6&filter[playerName]=Ada");
  for (const error of errors.errors) error.id = "53a3a804-1";
  const changes = await get("/shards/na/changes?page[after]=oldest&page[limit]=1");
  // The time and the tag of the transaction differ each time.
  for (const change of changes?.data ?? []) {
    changes.links.next = changes.links.next.replace(change.id, "1-k3f9x0");
    change.id = "1-k3f9x0";
    change.attributes.changedAt = "2026-03-01T18:52:07.113Z";
  }
  return {
    MatchList: await get(`/shards/na/matches?${WINDOW}&page[limit]=1&include=`),
    SingleMatch: await get(`/shards/na/matches/${MATCH}`),
    PlayerList: await get("/shards/na/players?filter[playerNames]=Ada,Grace"),
    SinglePlayer: await get(`/shards/na/players/${ADA}`),
    PlayedWithList: await get(`/shards/na/players/${ADA}/played-with`),
    NameList: await get("/shards/na/player-names?filter[near]=Adda"),
    NameSearch: await get("/player-names?filter[near]=Adda"),
    ChangeList: changes,
    HeroList: await get("/shards/na/heroes?filter[gameMode]=ranked"),
    Leaderboard: await get("/shards/na/leaderboards/ranked-wins?filter[period]=28d"),
    Errors: errors,
  };
}

test("the examples are real responses (UPDATE_EXAMPLES=1 rewrites them)", async () => {
  const responses = await realReplies();
  for (const [file, examples] of process.env.UPDATE_EXAMPLES ? EXAMPLES : []) {
    const names = Object.keys(examples) as (keyof typeof responses)[];
    const real = Object.fromEntries(names.map((name) => [name, responses[name]]));
    const path = join(import.meta.dir, "../../src", file);
    await Bun.write(path, `${JSON.stringify(real, null, 2)}\n`);
  }
  // Also after rewriting the examples: a run that changed them fails.
  expect(responses).toEqual(Object.assign({}, ...EXAMPLES.map(([, examples]) => examples)));
});

test("the document at /openapi.json passes an existing linter without a warning", async () => {
  const { body } = await world.get("/openapi.json", { Authorization: null, Accept: null });
  const problems = await lintFromString({
    source: JSON.stringify(body),
    config: await createConfig({ extends: ["recommended-strict"] }),
  });
  expect(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
  ).toEqual([]);
});
