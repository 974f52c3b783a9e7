/** Scenarios: calls that the client rejects to protect the key, or because they are invalid. */

import assert from "node:assert/strict";
import { errorOf, matchbookOf, recording, type Scenario, type Scene } from "./scenario.ts";

/** The error message of a call that the client rejects before it sends anything. */
async function refusalOf(
  scene: Scene,
  work: (fetch: ReturnType<typeof recording>["fetch"]) => unknown,
): Promise<string> {
  const { fetch, calls } = recording();
  const error = await errorOf(scene, () => work(fetch));
  assert.deepEqual([error.kind, error.status, error.code], ["misuse", 0, undefined]);
  assert.equal(calls.length, 0);
  return error.message;
}

export const REFUSING: Record<string, Scenario> = {
  async "the key is sent to no other server"(scene) {
    const { url } = scene.facts;
    for (const link of [
      "https://elsewhere.example/shards/na/matches",
      `${url}.elsewhere.example/shards/na/matches`,
      `${url.replace("http", "https")}/status`,
      `${url.replace("//", "//elsewhere.example@")}9/status`,
      "data:application/json,{}",
      "status",
      "",
    ]) {
      await refusalOf(scene, (fetch) => matchbookOf(scene, { fetch }).get(link));
    }
    const { fetch, calls } = recording();
    await errorOf(scene, () => matchbookOf(scene, { fetch }).get("//elsewhere.example/status"));
    assert.equal(new URL(calls[0]!.address).origin, url);
  },

  async "the key does not follow redirects"({ client, facts }) {
    const matchbook = new client.Matchbook({ url: `${facts.standInUrl}/redirect`, key: facts.key });
    await assert.rejects(matchbook.status(), { kind: "unreadable", status: 302 });
    assert.equal(await (await fetch(`${facts.standInUrl}/strangers`)).json(), 0);
  },

  async "an invalid URL is rejected"(scene) {
    const { key } = scene.facts;
    for (const url of [
      "localhost:8080",
      "/",
      "",
      "ftp://example.com",
      `http://${key}@example.com`,
      `http://example.com?key=${key}`,
      "http://example.com#part",
    ]) {
      const words = await refusalOf(scene, () => new scene.client.Matchbook({ url, key }));
      assert.match(words, /^`url` must/);
      assert(!words.includes(key));
    }
  },

  async "an invalid key is rejected and not shown"(scene) {
    for (const key of ["", "mb_secret\n", "mb secret", "mb_sécret"]) {
      const words = await refusalOf(scene, () => matchbookOf(scene, { key }));
      assert(!/s.cret/.test(words));
    }
  },

  async "invalid numbers are rejected"(scene) {
    for (const number of [-1, Number.NaN]) {
      await refusalOf(scene, () => matchbookOf(scene, { cache: number }));
      await refusalOf(scene, () => matchbookOf(scene, { patience: number }));
      await refusalOf(scene, (fetch) => matchbookOf(scene, { fetch }).status({ patience: number }));
    }
  },

  async "an id that would change the path is rejected"(scene) {
    for (const id of ["", ".", "..", "\ud800", undefined as unknown as string]) {
      await refusalOf(scene, (fetch) => matchbookOf(scene, { fetch }).shard("na").match(id));
      await refusalOf(scene, (fetch) => matchbookOf(scene, { fetch }).shard("na").player(id));
      await refusalOf(scene, () => matchbookOf(scene).shard(id));
    }
  },

  async "invalid queries are rejected, not ignored"(scene) {
    const wrong: [object, RegExp][] = [
      [{ playerName: ["Ada"] }, /`playerName`.*playerNames/],
      [{ toString: ["Ada"] }, /`toString`/],
      [{ playerNames: "Ada" }, /`playerNames`/],
      [{ fields: { match: "stats" } }, /`fields\[match\]`/],
      [{ createdAtStart: new Date("never") }, /`createdAtStart`/],
      [{ teamNames: ["\ud800"] }, /filter\[teamNames\]/],
    ];
    for (const [query, words] of wrong) {
      const refuse = (fetch: ReturnType<typeof recording>["fetch"]) =>
        matchbookOf(scene, { fetch }).shard("na").matches(query).page();
      assert.match(await refusalOf(scene, refuse), words);
    }
    await refusalOf(scene, (fetch) =>
      matchbookOf(scene, { fetch }).shard("na").playerNames("\ud800"),
    );
  },

  async "fetch is called without a receiver, as browsers require"(scene) {
    const own = globalThis.fetch;
    const callers: unknown[] = [];
    const watched = function (this: unknown, ...rest: Parameters<typeof own>) {
      callers.push(this);
      return own(...rest);
    } as typeof own;
    globalThis.fetch = watched;
    try {
      await matchbookOf(scene).status();
    } finally {
      globalThis.fetch = own;
    }
    await matchbookOf(scene, { fetch: watched }).status();
    assert.deepEqual(callers, [undefined, undefined]);
  },
};
