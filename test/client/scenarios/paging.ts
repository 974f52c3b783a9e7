/** Scenarios: lists, rate limits, links and aborted requests. */

import assert from "node:assert/strict";
import type * as Client from "../../../client/src/index.ts";
import {
  collect,
  errorOf,
  matchbookOf,
  PUBLIC_URL,
  recording,
  type Scenario,
  type Scene,
} from "./scenario.ts";

const ALL = Array.from({ length: 12 }, (_, index) => `match-${String(index).padStart(2, "0")}`);
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

/** Waits by advancing the clock of the server. */
function impatient({ facts }: Scene) {
  const waits: number[] = [];
  const wait: Client.MatchbookOptions["wait"] = async (milliseconds) => {
    waits.push(milliseconds);
    await fetch(`${facts.standInUrl}/advance?milliseconds=${milliseconds}`);
  };
  return { wait, waits };
}

export const PAGING: Record<string, Scenario> = {
  async "a loop sees every match once, page by page"(scene) {
    const { fetch, calls } = recording();
    const na = matchbookOf(scene, { fetch }).shard("na");
    assert.deepEqual(idsOf(await collect(na.matches())), ALL);
    assert.equal(calls.length, 3);
    const backwards = na.matches({ sort: "-createdAt", limit: 4 });
    assert.deepEqual(idsOf(await collect(backwards)), ALL.toReversed());
    assert.deepEqual(await collect(na.matches({ playerNames: ["Nobody"] })), []);
  },

  async "a loop that ends early fetches no further page"(scene) {
    const { fetch, calls } = recording();
    for await (const match of matchbookOf(scene, { fetch }).shard("na").matches()) {
      if (match.id === ALL[3]) break;
    }
    assert.equal(calls.length, 1);
  },

  async "no request is sent before results are needed"(scene) {
    const { fetch, calls } = recording();
    matchbookOf(scene, { fetch }).shard("na").matches();
    assert.equal(calls.length, 0);
  },

  async "pages link to their neighbours and back"(scene) {
    const first = await matchbookOf(scene).shard("na").matches().page();
    assert.equal(first.prev, undefined);
    const second = await first.next?.();
    const third = await second?.next?.();
    assert.equal(third?.next, undefined);
    assert.deepEqual(idsOf(third?.items ?? []), ALL.slice(10));
    assert.equal(second?.window.start, first.window.start);
    const again = await third?.prev?.();
    assert.deepEqual(idsOf(again?.items ?? []), ALL.slice(5, 10));
    assert.equal(first.limits?.limit, 1_000_000);
    assert.equal(first.reply.status, 200);
    assert.deepEqual(first.links, first.document.links);
  },

  async "a link from a document works, also as a cursor and in another client"(scene) {
    const { links } = await matchbookOf(scene).shard("na").matches().page();
    const other = matchbookOf(scene);
    const reply = await other.get<Client.Schemas.MatchList>(links.next!);
    assert.deepEqual(idsOf(reply.document.data), ALL.slice(5, 10));
    const after = new URL(links.next!).searchParams.get("page[after]")!;
    const page = await other.shard("na").matches({ after }).page();
    assert.deepEqual(idsOf(page.items), ALL.slice(5, 10));
    const before = new URL(page.links.prev!).searchParams.get("page[before]")!;
    const back = await other.shard("na").matches({ before }).page();
    assert.deepEqual(idsOf(back.items), ALL.slice(0, 5));
  },

  async "behind a proxy, links are followed at the client's URL"(scene) {
    const { fetch, calls } = recording();
    const { proxiedUrl: url, proxiedKey: key } = scene.facts;
    const matchbook = new scene.client.Matchbook({ url, key, fetch });
    const page = await matchbook.shard("na").matches().page();
    assert(page.links.next?.startsWith(`${PUBLIC_URL}/shards/na/matches?`));
    assert.deepEqual(idsOf((await page.next?.())?.items ?? []), ALL.slice(5, 10));
    assert.equal((await matchbook.get(page.links.self)).fromCache, true);
    for (const { address } of calls) assert(address.startsWith(`${url}/shards/na/matches`));
  },

  async "a loop continues across the rate limit"(scene) {
    const { fetch, statuses } = recording();
    const { wait, waits } = impatient(scene);
    const { strictUrl: url, slowKey: key } = scene.facts;
    const matchbook = new scene.client.Matchbook({ url, key, fetch, wait });
    assert.deepEqual(idsOf(await collect(matchbook.shard("na").matches({ limit: 3 }))), ALL);
    assert.deepEqual(waits, [1000, 1000]);
    assert.deepEqual(statuses(), [200, 200, 429, 200, 429, 200]);
    const refused = await errorOf(scene, () =>
      matchbook.shard("na").match("match-00", { patience: 999 }),
    );
    assert.deepEqual(
      [refused.kind, refused.code, refused.status, refused.retryAfter],
      ["limited", "rate-limited", 429, 1],
    );
    assert.deepEqual(refused.limits, { limit: 2, remaining: 0, resetSeconds: 2 });
    assert.equal(waits.length, 2);
  },

  async "waiting uses the clock by default"({ client, facts }) {
    const { fetch, statuses } = recording();
    const url = `${facts.standInUrl}/once-limited/${process.pid}`;
    const began = performance.now();
    assert.equal((await new client.Matchbook({ url, fetch }).status()).name, "at last");
    assert.deepEqual(statuses(), [429, 200]);
    assert(performance.now() - began > 900);
  },

  async "patience is limited, and a wait that is too long does not begin"(scene) {
    const { wait, waits } = impatient(scene);
    const ask = (path: string, patience: number) =>
      errorOf(scene, () =>
        new scene.client.Matchbook({ url: `${scene.facts.standInUrl}${path}`, wait }).status({
          patience,
        }),
      );
    const error = await ask("/always-limited", 3500);
    assert.deepEqual([error.kind, error.code, error.retryAfter], ["limited", undefined, 1]);
    assert.deepEqual(waits, [1000, 1000, 1000]);
    assert.equal((await ask("/long-limited", 59_999)).retryAfter, 60);
    assert.equal((await ask("/always-limited", 0)).kind, "limited");
    const { retryAfter = 0 } = await ask("/date-limited", 500_000);
    assert(retryAfter > 500 && retryAfter <= 600);
    assert.equal(waits.length, 3);
  },

  async "an exceeded quota is thrown at once: it lasts until midnight"(scene) {
    const { wait, waits } = impatient(scene);
    const { strictUrl: url, overQuotaKey: key } = scene.facts;
    const na = new scene.client.Matchbook({ url, key, wait, patience: Infinity }).shard("na");
    const error = await errorOf(scene, () => collect(na.matches({ limit: 1 })));
    assert.deepEqual([error.kind, error.code], ["quota-exceeded", "quota-exceeded"]);
    assert(error.retryAfter! > 0);
    assert.deepEqual(waits, []);
    assert.equal((await na.player("player-ada")).name, "Ada");
  },

  async "waiting can be aborted"({ client, facts }) {
    const { fetch, calls } = recording();
    const controller = new AbortController();
    const matchbook = new client.Matchbook({
      url: `${facts.standInUrl}/long-limited`,
      fetch,
      patience: Infinity,
      // After a response with limits, the client begins to wait.
      onLimits: () => setTimeout(() => controller.abort(new Error("enough"))),
    });
    await assert.rejects(matchbook.status({ signal: controller.signal }), { message: "enough" });
    assert.equal(calls.length, 1);
  },

  async "a request can be aborted before and while it is in flight"(scene) {
    const { fetch, calls } = recording();
    const late = new AbortController();
    late.abort();
    const na = matchbookOf(scene, { fetch }).shard("na");
    await assert.rejects(collect(na.matches({ signal: late.signal })), { name: "AbortError" });
    assert.equal(calls.length, 0);

    const silent = new scene.client.Matchbook({ url: `${scene.facts.standInUrl}/silent`, fetch });
    const controller = new AbortController();
    const waiting = silent.status({ signal: controller.signal });
    controller.abort(new Error("enough"));
    await assert.rejects(waiting, { message: "enough" });
    await assert.rejects(silent.status({ signal: AbortSignal.timeout(1) }), {
      name: "TimeoutError",
    });
  },
};
