/** In charge of everything that can be seen of a shard, so that two worlds can be compared. */

import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import type { Counts } from "../../src/store/store.ts";
import type { World } from "./world.ts";

/** All that callers can fetch without knowing names: matches, each alone too, and players. */
export async function viewOf(world: World, shard: string): Promise<Record<string, unknown>> {
  const view: Record<string, unknown> = {};
  const see = async (path: string) => {
    const { status, body } = await world.get(`/shards/${shard}${path}`);
    const { links, meta: _, ...content } = body;
    view[path] = { status, ...content };
    return { status, body, links };
  };
  const matches: string[] = [];
  const players = new Set<string>();
  const teams = new Set<string>();
  let next: string | undefined =
    "/matches?filter[createdAt-start]=1900-01-01T00:00:00Z&page[limit]=5";
  for (let page = 0; next !== undefined; page++) {
    const { body } = await world.get(next.startsWith("http") ? next : `/shards/${shard}${next}`);
    view[`page ${page}`] = { data: body.data, included: body.included };
    matches.push(...body.data.map(({ id }: { id: string }) => id));
    for (const { type, id, attributes } of body.included) {
      if (type === "player") players.add(id).add(`name:${attributes.name}`);
      if (type === "team") teams.add(attributes.name);
    }
    next = body.links.next;
  }
  for (const id of matches) await see(`/matches/${id}`);
  for (const player of [...players].sort()) {
    if (!player.startsWith("name:")) await see(`/players/${player}`);
    else await see(`/players?${query("playerNames", player.slice("name:".length))}`);
  }
  for (const team of [...teams].sort()) await see(`/matches?${query("teamNames", team)}`);
  await see("/players");
  return view;
}

/** What an operator sees of a shard, the size of its file aside. */
export async function countsOf(world: World, shard: string): Promise<Omit<Counts, "bytes">> {
  const shards = openShards(world.settings, unobserved);
  try {
    const { bytes: _, ...counts } = await (await shards.existingWriter(shard))!.counts();
    return counts;
  } finally {
    await shards.close();
  }
}

function query(filter: string, value: string): string {
  return new URLSearchParams({ [`filter[${filter}]`]: value.replace(/[\\,]/g, "\\$&") }).toString();
}
