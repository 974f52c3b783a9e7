/** Scenarios: every kind of error, with the details from the service. */

import assert from "node:assert/strict";
import type * as Client from "../../../client/src/index.ts";
import { errorOf, matchbookOf, type Scenario, type Scene } from "./scenario.ts";

const WRONG_KEY = `mb_${"x".repeat(38)}`;

const standIn = (scene: Scene, path: string) =>
  matchbookOf(scene, { url: scene.facts.standInUrl + path });

/** Each with the expected kind, status and code. */
const FAILURES: Record<string, [(scene: Scene) => Promise<unknown>, ...unknown[]]> = {
  "no such match": [
    (scene) => matchbookOf(scene).shard("na").match("nothing"),
    "not-found",
    404,
    "not-found",
  ],
  "no such player": [
    (scene) => matchbookOf(scene).shard("na").player("nobody"),
    "not-found",
    404,
    "not-found",
  ],
  "no such shard": [
    (scene) => matchbookOf(scene).shard("atlantis").players(),
    "not-found",
    404,
    "unknown-shard",
  ],
  "no such URL": [(scene) => matchbookOf(scene).get("/nowhere"), "not-found", 404, "unknown-route"],
  "an id that would need escapes": [
    (scene) => matchbookOf(scene).shard("na").match("../players?x=1#/"),
    "not-found",
    404,
    "not-found",
  ],
  "a URL that is too long": [
    (scene) =>
      matchbookOf(scene)
        .shard("na")
        .players({ names: [..."abcdefghijklmnopqrstuvwxyz"].map((letter) => letter.repeat(400)) }),
    "invalid",
    414,
    "uri-too-long",
  ],
  "no key": [
    (scene) => matchbookOf(scene, { key: undefined }).usage(),
    "unauthorized",
    401,
    "unauthorized",
  ],
  "a wrong key": [
    (scene) => matchbookOf(scene, { key: WRONG_KEY }).shard("na").players(),
    "unauthorized",
    401,
    "unauthorized",
  ],
  "a shard that is closed": [
    (scene) =>
      matchbookOf(scene, { url: scene.facts.strictUrl, key: scene.facts.freshKey })
        .shard("beta")
        .players(),
    "forbidden",
    403,
    "shard-closed",
  ],
  "a failure of the service": [
    (scene) => matchbookOf(scene).shard("na").player("player-bug"),
    "unavailable",
    500,
    "internal-error",
  ],
  "a damaged shard": [
    (scene) => matchbookOf(scene).shard("hurt").match("match-hurt"),
    "unavailable",
    503,
    "damaged-data",
  ],
  "a shard that cannot be read": [
    (scene) => matchbookOf(scene).shard("away").players(),
    "unavailable",
    503,
    "shard-unavailable",
  ],
  "a proxy without a service": [
    (scene) => standIn(scene, "/gateway").status(),
    "unavailable",
    502,
    undefined,
  ],
  "a server other than Matchbook": [
    (scene) => standIn(scene, "/html").status(),
    "unreadable",
    200,
    undefined,
  ],
  "another service's list": [
    (scene) => standIn(scene, "/other-json").shard("na").matches().page(),
    "unreadable",
    200,
    undefined,
  ],
  "another service's list of data": [
    (scene) => standIn(scene, "/other-list").shard("na").matches().page(),
    "unreadable",
    200,
    undefined,
  ],
  "another service's statistics": [
    (scene) => standIn(scene, "/other-list").shard("na").heroes(),
    "unreadable",
    200,
    undefined,
  ],
  "another service's record": [
    (scene) => standIn(scene, "/other-json").shard("na").match("one"),
    "unreadable",
    200,
    undefined,
  ],
  "another service's names": [
    (scene) => standIn(scene, "/other-json").shard("na").playerNames("Adda"),
    "unreadable",
    200,
    undefined,
  ],
  "another service's names in all shards": [
    (scene) => standIn(scene, "/other-json").playerNames("Adda"),
    "unreadable",
    200,
    undefined,
  ],
  "another service's errors": [
    (scene) => standIn(scene, "/other-errors").status(),
    "invalid",
    400,
    undefined,
  ],
  "a proxy that is not ready itself": [
    (scene) => standIn(scene, "/no-upstream").readiness(),
    "unavailable",
    503,
    undefined,
  ],
  "a redirect": [(scene) => standIn(scene, "/redirect").status(), "unreadable", 302, undefined],
  "no server": [
    (scene) => matchbookOf(scene, { url: scene.facts.goneUrl }).status(),
    "network",
    0,
    undefined,
  ],
  "a truncated response": [
    (scene) => matchbookOf(scene, { url: scene.facts.brokenUrl }).status(),
    "network",
    0,
    undefined,
  ],
};

export const FAILING: Record<string, Scenario> = {
  async "all problems are reported, each with its source"(scene) {
    const na = matchbookOf(scene).shard("na");
    const error = await errorOf(scene, () =>
      na.matches({ limit: 50, gameMode: ["chess" as "ranked"], offset: -1 }).page(),
    );
    assert.deepEqual([error.kind, error.status, error.code], ["invalid", 400, "invalid-parameter"]);
    assert.deepEqual(
      error.problems.map(({ source }) => source).toSorted(byText),
      ["filter[gameMode]", "page[limit]", "page[offset]"].map((parameter) => ({ parameter })),
    );
    assert.equal(error.title, error.problems[0]?.title);
    for (const { detail, id } of error.problems) {
      assert(error.message.includes(detail));
      assert.equal(id, error.requestId);
    }
    assert.equal(error.detail, error.message);
    assert.equal(error.limits?.limit, 1_000_000);
    assert.equal(error.name, "MatchbookError");
  },

  async "invalid keys are not retried"(scene) {
    const matchbook = matchbookOf(scene, { url: scene.facts.guardedUrl, key: WRONG_KEY });
    const codes = [];
    for (let count = 0; count < 2; count++) {
      codes.push((await errorOf(scene, () => matchbook.usage())).code);
    }
    assert.deepEqual(codes, ["unauthorized", "too-many-failures"]);
    const error = await errorOf(scene, () => matchbook.usage());
    assert.deepEqual([error.kind, error.status], ["limited", 429]);
    assert(error.retryAfter! > 0);
    assert.deepEqual(error.problems[0]?.source, { header: "Authorization" });
  },

  async "a key is in no error and no output"(scene) {
    const errors: unknown[] = [];
    for (const [work] of Object.values(FAILURES))
      errors.push(await errorOf(scene, () => work(scene)));
    const { inspect } = await import("node:util");
    const matchbook = matchbookOf(scene);
    const everything = { errors, matchbook, shard: matchbook.shard("na") };
    const shown = inspect(everything, { depth: 20, showHidden: true }) + JSON.stringify(everything);
    assert(shown.includes("MatchbookError"));
    for (const key of [scene.facts.key, WRONG_KEY, scene.facts.freshKey]) {
      assert(!shown.includes(key));
    }
  },
};

for (const [name, [work, ...expected]] of Object.entries(FAILURES)) {
  FAILING[`each error has its kind, status and code: ${name}`] = async (scene) => {
    const error: Client.MatchbookError = await errorOf(scene, () => work(scene));
    assert.deepEqual([error.kind, error.status, error.code], expected);
    assert.match(error.message, /\.$/);
    assert.notEqual(error.title, "");
  };
}

const byText = (one: unknown, other: unknown) =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
