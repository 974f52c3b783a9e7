// @ts-check
/** Finds players by id, by name, or the most recent ones. */

import { entity } from "./relations.js";

/** @typedef {import("./database.js").Db} Db */

const MOST_PLAYERS = 6;

/**
 * @param {Db} db
 * @param {string} shard
 * @param {string} id
 */
export async function findPlayer(db, shard, id) {
  const row = await db
    .selectFrom("players")
    .select(["id", "attributes"])
    .where("shard", "=", shard)
    .where("id", "=", id)
    .executeTakeFirst();
  return row && entity(row);
}

/**
 * In the order of the values, then by id. Both filters are combined with AND.
 *
 * @param {Db} db
 * @param {string} shard
 * @param {{ ids: string[] | undefined, names: string[] | undefined }} query
 */
export async function findPlayers(db, shard, { ids, names }) {
  let players = db
    .selectFrom("players")
    .select(["id", "name", "attributes"])
    .where("shard", "=", shard);
  if (ids) players = players.where("id", "in", ids);
  if (names) players = players.where("name", "in", names).orderBy("id");
  if (!ids && !names)
    players = players.orderBy("seen_at", "desc").orderBy("id").limit(MOST_PLAYERS);
  const rows = await players.execute();
  if (ids) rows.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  else if (names) rows.sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
  return rows.slice(0, MOST_PLAYERS).map(entity);
}
