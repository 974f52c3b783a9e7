// @ts-check
/** Loads matches with all linked resources: one query per table. */

/** @typedef {import("./database.js").Db} Db */
/** @typedef {{ id: string } & Record<string, any>} Entity */
/** @typedef {{ key: number, id: string, attributes: string }} Row */

const COLUMNS = /** @type {const} */ (["key", "id", "attributes"]);

/**
 * The matches as trees of entities, in the order of the keys. Players and teams that occur several
 * times are one entity.
 *
 * @param {Db} db
 * @param {number[]} keys
 * @returns {Promise<Entity[]>}
 */
export async function loadMatches(db, keys) {
  if (keys.length === 0) return [];
  // Sequential: the connection runs one query at a time.
  const matches = await db
    .selectFrom("matches")
    .select([...COLUMNS, "further_relationships"])
    .where("key", "in", keys)
    .execute();
  const rosters = await db
    .selectFrom("rosters")
    .select([...COLUMNS, "match_key", "team_key"])
    .where("match_key", "in", keys)
    .orderBy("key")
    .execute();
  const participants = await db
    .selectFrom("participants")
    .select([...COLUMNS, "roster_key", "player_key"])
    .where("match_key", "in", keys)
    .orderBy("key")
    .execute();
  const assets = await db
    .selectFrom("assets")
    .select([...COLUMNS, "match_key"])
    .where("match_key", "in", keys)
    .orderBy("key")
    .execute();
  const playerKeys = present(participants.map(({ player_key }) => player_key));
  const players = await loadByKey(db, "players", playerKeys);
  const teamKeys = present(rosters.map(({ team_key }) => team_key));
  const teams = await loadByKey(db, "teams", teamKeys);

  const seats = group(participants, "roster_key", (row) =>
    withRelated(row, row.player_key === null ? {} : { player: players.get(row.player_key) }),
  );
  const sides = group(rosters, "match_key", (row) =>
    withRelated(row, {
      participants: seats.get(row.key) ?? [],
      ...(row.team_key === null ? {} : { team: teams.get(row.team_key) }),
    }),
  );
  const assetsOf = group(assets, "match_key", entity);
  const byKey = new Map(
    matches.map((row) => {
      /** @type {Record<string, Entity[]>} */
      const related = { rosters: sides.get(row.key) ?? [] };
      for (const name of JSON.parse(row.further_relationships)) {
        related[name] = name === "assets" ? (assetsOf.get(row.key) ?? []) : [];
      }
      return [row.key, withRelated(row, related)];
    }),
  );
  return keys.map((key) => /** @type {Entity} */ (byKey.get(key)));
}

/**
 * @param {Db} db
 * @param {"players" | "teams"} table
 * @param {number[]} keys
 * @returns {Promise<Map<number, Entity>>}
 */
async function loadByKey(db, table, keys) {
  if (keys.length === 0) return new Map();
  const rows = await db.selectFrom(table).select(COLUMNS).where("key", "in", keys).execute();
  return new Map(rows.map((row) => [row.key, entity(row)]));
}

/** @param {{ id: string, attributes: string }} row */
export const entity = ({ id, attributes }) => withRelated({ id, attributes }, {});

/**
 * @param {{ id: string, attributes: string }} row
 * @param {Record<string, unknown>} related
 * @returns {Entity}
 */
const withRelated = ({ id, attributes }, related) => ({
  id,
  ...JSON.parse(attributes),
  ...related,
});

/** @param {(number | null)[]} keys */
const present = (keys) => [...new Set(keys.filter((key) => key !== null))];

/**
 * @template {Row} R
 * @param {R[]} rows
 * @param {keyof R} column
 * @param {(row: R) => Entity} make
 * @returns {Map<number, Entity[]>}
 */
function group(rows, column, make) {
  /** @type {Map<number, Entity[]>} */
  const groups = new Map();
  for (const row of rows) {
    const owner = /** @type {number} */ (row[column]);
    const members = groups.get(owner);
    if (members) members.push(make(row));
    else groups.set(owner, [make(row)]);
  }
  return groups;
}
