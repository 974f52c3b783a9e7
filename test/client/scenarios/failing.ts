/** Scenarios: every kind of error, with the details from the service. */

import assert from "node:assert/strict";
import type * as Client from "../../../client/src/index.ts";
import { errorOf, matchbookOf, type Scenario, type Scene } from "./scenario.ts";

const WRONG_KEY = `mb_${"x".repeat(38)}`;

type With = (scene: Scene) => Partial<Client.MatchbookOptions>;
const usual: With = () => ({});
const standIn =
  (path: string): With =>
  ({ facts }) => ({ url: facts.standInUrl + path });
const LONG = [..."abcdefghijklmnopqrstuvwxyz"].map((letter) => letter.repeat(400));

/** Each with the expected kind, status and code, the options of the client, and the call. */
const FAILURES: [string, string, With, (matchbook: Client.Matchbook) => Promise<unknown>][] = [
  ["no such match", "not-found 404 not-found", usual, (m) => m.shard("na").match("nothing")],
  ["no such player", "not-found 404 not-found", usual, (m) => m.shard("na").player("nobody")],
  ["no such shard", "not-found 404 unknown-shard", usual, (m) => m.shard("atlantis").players()],
  ["no such URL", "not-found 404 unknown-route", usual, (m) => m.get("/nowhere")],
  ["an id to escape", "not-found 404 not-found", usual, (m) => m.shard("na").match("../p?x=1#/")],
  ["too long", "invalid 414 uri-too-long", usual, (m) => m.shard("na").players({ names: LONG })],
  ["no key", "unauthorized 401 unauthorized", () => ({ key: undefined }), (m) => m.usage()],
  ["a wrong key", "unauthorized 401 unauthorized", () => ({ key: WRONG_KEY }), (m) => m.usage()],
  [
    "a closed shard",
    "forbidden 403 shard-closed",
    ({ facts }) => ({ url: facts.strictUrl, key: facts.freshKey }),
    (m) => m.shard("beta").players(),
  ],
  ["a bug", "unavailable 500 internal-error", usual, (m) => m.shard("na").player("player-bug")],
  ["damage", "unavailable 503 damaged-data", usual, (m) => m.shard("hurt").match("match-hurt")],
  ["no shard", "unavailable 503 shard-unavailable", usual, (m) => m.shard("away").players()],
  ["a proxy alone", "unavailable 502", standIn("/gateway"), (m) => m.status()],
  ["a proxy that is not ready", "unavailable 503", standIn("/no-upstream"), (m) => m.readiness()],
  ["another server", "unreadable 200", standIn("/html"), (m) => m.status()],
  ["a redirect", "unreadable 302", standIn("/redirect"), (m) => m.status()],
  ["other JSON", "unreadable 200", standIn("/other-json"), (m) => m.shard("na").matches().page()],
  ["another record", "unreadable 200", standIn("/other-json"), (m) => m.shard("na").match("one")],
  ["no names", "unreadable 200", standIn("/other-json"), (m) => m.shard("na").playerNames("Ad")],
  ["no names at all", "unreadable 200", standIn("/other-json"), (m) => m.playerNames("Adda")],
  ["other data", "unreadable 200", standIn("/other-list"), (m) => m.shard("na").matches().page()],
  ["other statistics", "unreadable 200", standIn("/other-list"), (m) => m.shard("na").heroes()],
  ["other errors", "invalid 400", standIn("/other-errors"), (m) => m.status()],
  ["no server", "network 0", ({ facts }) => ({ url: facts.goneUrl }), (m) => m.status()],
  ["a cut response", "network 0", ({ facts }) => ({ url: facts.brokenUrl }), (m) => m.status()],
];

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
    for (const [, , options, work] of FAILURES) {
      errors.push(await errorOf(scene, () => work(matchbookOf(scene, options(scene)))));
    }
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

for (const [name, expected, options, work] of FAILURES) {
  FAILING[`each error has its kind, status and code: ${name}`] = async (scene) => {
    const error = await errorOf(scene, () => work(matchbookOf(scene, options(scene))));
    const { kind, status, code } = error;
    assert.equal([kind, status, ...(code ? [code] : [])].join(" "), expected);
    assert.match(error.message, /\.$/);
    assert.notEqual(error.title, "");
  };
}

const byText = (one: unknown, other: unknown) =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
