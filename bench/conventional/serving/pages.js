// @ts-check
/** Finds the matches of a page: one query on one index, in order of time. */

/** @typedef {import("./database.js").Db} Db */
/** @typedef {import("./parameters.js").MatchesQuery} MatchesQuery */
/** @typedef {{ key: number, id: string, createdAt: number }} Found */

/**
 * Reads one match more than the limit, to know whether there is a next page.
 *
 * @param {Db} db
 * @param {string} shard
 * @param {MatchesQuery} asked
 * @returns {Promise<{ found: Found[], goesOn: boolean }>}
 */
export async function findPage(db, shard, asked) {
  const query = { ...asked, window: remaining(asked) };
  const groups = await findGroups(db, shard, query);
  if (groups.some(({ keys }) => keys.length === 0)) return { found: [], goesOn: false };
  const [first, ...others] = groups;
  const found = first
    ? await amongMatchesOf(db, query, first, others)
    : await amongAll(db, shard, query);
  return { found: found.slice(0, query.limit), goesOn: found.length > query.limit };
}

/**
 * The part of the window after the cursor, so that the index scan starts there.
 *
 * @param {MatchesQuery} query
 */
function remaining({ window: { start, end }, after, direction }) {
  if (!after) return { start, end };
  return direction === "asc"
    ? { start: Math.max(start, after.createdAt), end }
    : { start, end: Math.min(end, after.createdAt) };
}

/**
 * Players or teams, one of which must have been in the match.
 *
 * @typedef {{ of: "player" | "team", keys: number[] }} Group
 */

/**
 * @param {Db} db
 * @param {string} shard
 * @param {MatchesQuery} query
 * @returns {Promise<Group[]>}
 */
async function findGroups(db, shard, { playerIds, playerNames, teamNames }) {
  /** @type {Group[]} */
  const groups = [];
  const players = db.selectFrom("players").select("key").where("shard", "=", shard);
  const teams = db.selectFrom("teams").select("key").where("shard", "=", shard);
  /** @param {{ key: number }[]} rows */
  const keysIn = (rows) => rows.map(({ key }) => key);
  if (playerIds) {
    const rows = await players.where("id", "in", playerIds).execute();
    groups.push({ of: "player", keys: keysIn(rows) });
  }
  if (playerNames) {
    const rows = await players.where("name", "in", playerNames).execute();
    groups.push({ of: "player", keys: keysIn(rows) });
  }
  if (teamNames) {
    const rows = await teams.where("name", "in", teamNames).execute();
    groups.push({ of: "team", keys: keysIn(rows) });
  }
  return groups;
}

/**
 * @param {Db} db
 * @param {string} shard
 * @param {MatchesQuery} query
 * @returns {Promise<Found[]>}
 */
function amongAll(db, shard, { window, direction, limit, offset, after, ...filters }) {
  let matches = db
    .selectFrom("matches")
    .select(["key", "id", "created_at as createdAt"])
    .where("shard", "=", shard)
    .where("created_at", ">=", window.start)
    .where("created_at", "<=", window.end)
    .orderBy("created_at", direction)
    .orderBy("id", direction)
    .limit(limit + 1)
    .offset(offset);
  if (filters.gameModes) matches = matches.where("game_mode", "in", filters.gameModes);
  if (filters.patchVersions) matches = matches.where("patch_version", "in", filters.patchVersions);
  if (after) {
    const { createdAt, id } = after;
    matches = matches.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("created_at", "id"), direction === "asc" ? ">" : "<", tuple(createdAt, id)),
    );
  }
  return matches.execute();
}

/**
 * Scans the matches of the first group, and checks the other filters.
 *
 * @param {Db} db
 * @param {MatchesQuery} query
 * @param {Group} group
 * @param {Group[]} others
 * @returns {Promise<Found[]>}
 */
function amongMatchesOf(db, query, group, others) {
  const { window, direction, limit, offset, after, gameModes, patchVersions } = query;
  const walked =
    group.of === "player"
      ? db.selectFrom("player_matches as part").where("part.player_key", "in", group.keys)
      : db.selectFrom("team_matches as part").where("part.team_key", "in", group.keys);
  let parts = /** @type {import("kysely").SelectQueryBuilder<PartTables, "part", {}>} */ (walked)
    .select(["part.match_key as key", "part.match_id as id", "part.created_at as createdAt"])
    .where("part.created_at", ">=", window.start)
    .where("part.created_at", "<=", window.end)
    .orderBy("part.created_at", direction)
    .orderBy("part.match_id", direction)
    .limit(limit + 1)
    .offset(offset);
  // Several players may be in the same match.
  if (group.keys.length > 1) parts = parts.distinct();
  if (after) {
    const { createdAt, id } = after;
    parts = parts.where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple("part.created_at", "part.match_id"),
        direction === "asc" ? ">" : "<",
        tuple(createdAt, id),
      ),
    );
  }
  if (gameModes || patchVersions) {
    parts = parts.where(({ exists, selectFrom }) => {
      let match = selectFrom("matches")
        .select("matches.key")
        .whereRef("matches.key", "=", "part.match_key");
      if (gameModes) match = match.where("game_mode", "in", gameModes);
      if (patchVersions) match = match.where("patch_version", "in", patchVersions);
      return exists(match);
    });
  }
  for (const { of, keys } of others) {
    parts = parts.where(({ exists, selectFrom }) =>
      exists(
        (of === "player"
          ? selectFrom("player_matches as other").where("other.player_key", "in", keys)
          : selectFrom("team_matches as other").where("other.team_key", "in", keys)
        )
          .select("other.match_key")
          .whereRef("other.created_at", "=", "part.created_at")
          .whereRef("other.match_id", "=", "part.match_id"),
      ),
    );
  }
  return parts.execute();
}

/**
 * The columns that both tables share.
 *
 * @typedef {import("../schema.js").Tables & {
 *   part: { created_at: number, match_id: string, match_key: number } }} PartTables
 */
