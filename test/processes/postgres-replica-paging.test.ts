/** Paging over two replicas, one of which lags behind the pages already read. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { decodeCursor, encodeCursor } from "../../src/query/cursor.ts";
import { type Replicated, type ReplicatedServer, startReplicated } from "../support/replicated.ts";
import { until } from "../support/state.ts";

const MATCHES = "/shards/na/matches?filter[createdAt-start]=2000-01-01T00:00:00Z&sort=-createdAt";

let all: Replicated;
let server: ReplicatedServer;
/** The ids of all served matches, newest first; the lagging replica lacks the first ones. */
let present: string[];
/** The ids of the players on the lagging replica. */
let oldPlayers: string[];

beforeAll(async () => {
  all = await startReplicated(2);
  const { schema, serve } = await all.shard(1000);
  server = await serve();
  const [lagging, fresh] = all.replicas;
  await all.on(lagging!, "SELECT pg_wal_replay_pause()");
  await until("replay is paused on the lagging replica", async () => {
    const asked = "SELECT pg_get_wal_replay_pause_state() AS state";
    return (await all.on<{ state: string }>(lagging!, asked)).state === "paused" || undefined;
  });
  await all.takeIn(server.settings, 20, 60);
  await all.caughtUp([fresh!]);
  const matches = `SELECT array_agg(id ORDER BY created_at DESC, id DESC) AS ids FROM ${schema}.matches`;
  present = (await all.on<{ ids: string[] }>(all.primary, matches)).ids;
  const players = `SELECT array_agg(id) AS ids FROM ${schema}.players`;
  oldPlayers = (await all.on<{ ids: string[] }>(lagging!, players)).ids;
});

afterAll(async () => {
  await server.stop();
  all.remove();
});

interface Page {
  data: { id: string }[];
  included: { type: string; id: string; attributes: { name: string } }[];
  links: { prev?: string; next?: string };
}

const idsOf = ({ data }: Page) => data.map(({ id }) => id);

/** The results of two requests; the one for a single match advances the round robin. */
async function askedInTurn(path: string): Promise<[Page, Page]> {
  const pages: [Page, Page] = [await server.read(path), await server.read(path)];
  await server.get(0);
  return pages;
}

/** The first page from the current replica, or from the lagging one. */
const firstPage = (isFresh: boolean): Promise<Page> =>
  until("a first page from the wanted replica", async () => {
    const pages = await askedInTurn(MATCHES);
    return pages.find((page) => (idsOf(page)[0] === present[0]) === isFresh);
  });

/** Follows the links; the next page must be the same from any replica. */
async function follow(from: Page, direction: "prev" | "next"): Promise<Page[]> {
  const pages = [from];
  for (let link = from.links[direction]; link; link = pages.at(-1)!.links[direction]) {
    const [page, again] = await askedInTurn(link);
    expect(idsOf(again)).toEqual(idsOf(page));
    pages.push(page);
  }
  return pages;
}

/** The second page, with one of its players whom the lagging replica does not have. */
async function aNewPlayer() {
  const { links } = await firstPage(true);
  const next = links.next!;
  const { included, data } = (await server.read(next)) as Page;
  const { id, attributes } = included.find(
    (one) => one.type === "player" && !oldPlayers.includes(one.id),
  )!;
  return { next, id, name: encodeURIComponent(attributes.name), onPage: data.map((one) => one.id) };
}

test("paging skips no match that the first page could see, whichever replica is used", async () => {
  const there = await follow(await firstPage(true), "next");
  expect(there.flatMap(idsOf)).toEqual(present);
  const back = await follow(there.at(-1)!, "prev");
  expect(back.toReversed().flatMap(idsOf)).toEqual(present);
  // A new first page may still come from the lagging replica.
  await firstPage(false);
});

test("a cursor of a lost state, e.g. after a failover, is served by the primary", async () => {
  const link = new URL((await firstPage(true)).links.next!);
  const cursor = decodeCursor(link.searchParams.get("page[after]")!)!;
  const later = encodeCursor({ ...cursor, sequence: cursor.sequence! + 1000 });
  link.searchParams.set("page[after]", later);
  const expected = present.slice(5, 10);
  for (const page of await askedInTurn(link.href)) expect(idsOf(page)).toEqual(expected);
});

test("names are resolved on the replica that serves the page", async () => {
  const { name } = await aNewPlayer();
  const found = await until("a replica that knows the name", async () => {
    const pages = await askedInTurn(`${MATCHES}&filter[playerNames]=${name}`);
    return pages.map(idsOf).find((ids) => ids.length > 0);
  });
  expect(present).toEqual(expect.arrayContaining(found));
});

test("names are resolved in a state no older than the earlier pages", async () => {
  const { next, name, onPage } = await aNewPlayer();
  for (const page of await askedInTurn(`${next}&filter[playerNames]=${name}`)) {
    expect(onPage).toContainEqual(idsOf(page)[0]!);
  }
});
