/** Scenarios: every kind of error, with the details from the service. */

import assert from "node:assert/strict";
import type * as Client from "../../../client/src/index.ts";
import { errorOf, matchbookOf, type Scenario, type Scene } from "./scenario.ts";

const WRONG_KEY = `mb_${"x".repeat(38)}`;

const standIn = (scene: Scene, path: string) =>
  matchbookOf(scene, { url: scene.facts.standInUrl + path });

const naOf = (scene: Scene) => matchbookOf(scene).shard("na");

/** Each with the expected kind, status and code. */
const FAILURES: Record<string, [expected: string, fail: (scene: Scene) => Promise<unknown>]> = {
  "no such match": ["not-found 404 not-found", (scene) => naOf(scene).match("nothing")],
  "no such player": ["not-found 404 not-found", (scene) => naOf(scene).player("nobody")],
  "no such shard": [
    "not-found 404 unknown-shard",
    (scene) => matchbookOf(scene).shard("atlantis").players(),
  ],
  "no such URL": ["not-found 404 unknown-route", (scene) => matchbookOf(scene).get("/nowhere")],
  "an id that would need escapes": [
    "not-found 404 not-found",
    (scene) => naOf(scene).match("../players?x=1#/"),
  ],
  "a URL that is too long": [
    "invalid 414 uri-too-long",
    (scene) =>
      naOf(scene).players({
        names: [..."abcdefghijklmnopqrstuvwxyz"].map((letter) => letter.repeat(400)),
      }),
  ],
  "no key": [
    "unauthorized 401 unauthorized",
    (scene) => matchbookOf(scene, { key: undefined }).usage(),
  ],
  "a wrong key": [
    "unauthorized 401 unauthorized",
    (scene) => matchbookOf(scene, { key: WRONG_KEY }).shard("na").players(),
  ],
  "a shard that is closed": [
    "forbidden 403 shard-closed",
    (scene) =>
      matchbookOf(scene, { url: scene.facts.strictUrl, key: scene.facts.freshKey })
        .shard("beta")
        .players(),
  ],
  "a failure of the service": [
    "unavailable 500 internal-error",
    (scene) => naOf(scene).player("player-bug"),
  ],
  "a damaged shard": [
    "unavailable 503 damaged-data",
    (scene) => matchbookOf(scene).shard("hurt").match("match-hurt"),
  ],
  "a shard that cannot be read": [
    "unavailable 503 shard-unavailable",
    (scene) => matchbookOf(scene).shard("away").players(),
  ],
  "a proxy without a service": ["unavailable 502", (scene) => standIn(scene, "/gateway").status()],
  "a server other than Matchbook": ["unreadable 200", (scene) => standIn(scene, "/html").status()],
  "another service's list": [
    "unreadable 200",
    (scene) => standIn(scene, "/other-json").shard("na").matches().page(),
  ],
  "another service's list of data": [
    "unreadable 200",
    (scene) => standIn(scene, "/other-list").shard("na").matches().page(),
  ],
  "another service's statistics": [
    "unreadable 200",
    (scene) => standIn(scene, "/other-list").shard("na").heroes(),
  ],
  "another service's record": [
    "unreadable 200",
    (scene) => standIn(scene, "/other-json").shard("na").match("one"),
  ],
  "another service's names": [
    "unreadable 200",
    (scene) => standIn(scene, "/other-json").shard("na").playerNames("Adda"),
  ],
  "another service's names in all shards": [
    "unreadable 200",
    (scene) => standIn(scene, "/other-json").playerNames("Adda"),
  ],
  "another service's errors": ["invalid 400", (scene) => standIn(scene, "/other-errors").status()],
  "a proxy that is not ready itself": [
    "unavailable 503",
    (scene) => standIn(scene, "/no-upstream").readiness(),
  ],
  "a redirect": ["unreadable 302", (scene) => standIn(scene, "/redirect").status()],
  "no server": ["network 0", (scene) => matchbookOf(scene, { url: scene.facts.goneUrl }).status()],
  "a truncated response": [
    "network 0",
    (scene) => matchbookOf(scene, { url: scene.facts.brokenUrl }).status(),
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
    for (const [, work] of Object.values(FAILURES))
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

for (const [name, [expected, work]] of Object.entries(FAILURES)) {
  FAILING[`each error has its kind, status and code: ${name}`] = async (scene) => {
    const error: Client.MatchbookError = await errorOf(scene, () => work(scene));
    const { kind, status, code } = error;
    assert.equal([kind, status, ...(code ? [code] : [])].join(" "), expected);
    assert.match(error.message, /\.$/);
    assert.notEqual(error.title, "");
  };
}

const byText = (one: unknown, other: unknown) =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
