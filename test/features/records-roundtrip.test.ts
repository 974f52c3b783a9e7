/** Another Matchbook can ingest what is served: it serves the same, and the one that served it has only duplicates. */

import { expect, test } from "bun:test";
import type { Loose } from "../support/drafts.ts";
import { aMatch, duel } from "../support/records.ts";
import { richMatch } from "../support/rich-match.ts";
import { startWorld, type World } from "../support/world.ts";

/** All matches as pages, and all players as documents, without what depends on the request. */
async function everything(from: World): Promise<{ pages: Loose[]; players: Loose[] }> {
  const plain = ({ links: _, meta: __, ...document }: Loose): Loose => document;
  const pages: Loose[] = [];
  const ids = new Set<string>();
  const start = "/shards/na/matches?filter[createdAt-start]=2020-01-01T00:00:00Z&page[limit]=3";
  for (let next: string | undefined = start; next !== undefined; ) {
    const { body }: Loose = await from.get(next);
    pages.push(plain(body));
    for (const one of body.included) if (one.type === "player") ids.add(one.id);
    next = body.links.next;
  }
  const players = [];
  for (const id of [...ids].sort()) {
    players.push(plain((await from.get(`/shards/na/players/${id}`)).body));
  }
  return { pages, players };
}

const at = (minute: number) => Date.UTC(2023, 0, 5, 10, minute);
const team = { id: "t", name: "TT" };
const [x, y, z] = [{ id: "x", name: "New" }, { id: "y", gold: 0.2 }, { id: "z" }];
const MATCHES = [
  aMatch({ createdAt: at(1), rosters: duel({ id: "x", name: "Old" }, { ...y, gold: 0.1 }) }),
  aMatch({ createdAt: at(2), mode: "private", rosters: duel(y, z) }),
  aMatch({
    createdAt: at(3),
    mode: "casual",
    winner: 1,
    rosters: [{ members: [x], team }, { members: [{ bot: true }] }],
  }),
  aMatch({ createdAt: at(3), mode: "casual", rosters: duel(z, x), patch: "2.6" }),
  aMatch({
    createdAt: at(9),
    mode: "blitz_pvp_ranked",
    rosters: [{ members: [y], team }, { members: [] }],
  }),
  richMatch("rich").document,
];

test("pages, and documents of one match, can be ingested as they were served", async () => {
  await using here = await startWorld(MATCHES);
  const served = await everything(here);
  expect(served.pages.flatMap(({ data }) => data)).toHaveLength(MATCHES.length);
  const single = (await here.get("/shards/na/matches/rich")).body;
  const { report } = await here.ingest([...served.pages, single]);
  expect(report).toMatchObject({ duplicate: MATCHES.length + 1, stored: 0, conflict: 0 });
  await using there = await startWorld([...served.pages, single]);
  expect(await everything(there)).toEqual(served);
});
