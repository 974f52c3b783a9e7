// @ts-check
/** Writes the rows of matches, from pages as Matchbook serves them. */

/**
 * @typedef {{ type: string, id: string, attributes: Record<string, any>,
 *   relationships?: Record<string, { data?: any }> }} Resource
 * @typedef {Map<string, Resource>} Included
 */

const INSERTS = {
  match: "INSERT INTO matches VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)",
  roster: "INSERT INTO rosters VALUES (NULL, ?, ?, ?, ?)",
  participant: "INSERT INTO participants VALUES (NULL, ?, ?, ?, ?, ?)",
  asset: "INSERT INTO assets VALUES (NULL, ?, ?, ?)",
  player: "INSERT INTO players VALUES (NULL, ?, ?, ?, 0, ?)",
  team: "INSERT INTO teams VALUES (NULL, ?, ?, ?, ?)",
  playerMatch: "INSERT OR IGNORE INTO player_matches VALUES (?, ?, ?, ?)",
  teamMatch: "INSERT OR IGNORE INTO team_matches VALUES (?, ?, ?, ?)",
};

/** Beside `rosters`; also empty ones are served. */
const FURTHER_RELATIONSHIPS = ["assets", "rounds", "spectators"];

export class Rows {
  #statements;
  /** The keys of players and teams by type and id: they occur in many matches. @type {Map<string, unknown>} */
  #keys = new Map();

  /** @param {import("better-sqlite3").Database} database */
  constructor(database) {
    const pairs = Object.entries(INSERTS).map(([name, sql]) => [name, database.prepare(sql)]);
    this.#statements =
      /** @type {Record<keyof typeof INSERTS, import("better-sqlite3").Statement>} */ (
        Object.fromEntries(pairs)
      );
  }

  /** @param {{ data: Resource[], included?: Resource[] }} document */
  add({ data, included = [] }) {
    /** @type {Included} */
    const index = new Map(included.map((one) => [`${one.type}/${one.id}`, one]));
    for (const match of data) this.#addMatch(match, index);
  }

  /**
   * @param {Resource} match
   * @param {Included} included
   */
  #addMatch(match, included) {
    const { match: matches, asset: assets } = this.#statements;
    const { shardId, gameMode, patchVersion } = match.attributes;
    const createdAt = Date.parse(match.attributes.createdAt);
    const further = FURTHER_RELATIONSHIPS.filter((name) => match.relationships?.[name]);
    const { lastInsertRowid: key } = matches.run(
      ...[shardId, match.id, createdAt, gameMode, patchVersion],
      ...[text(match), JSON.stringify(further)],
    );
    for (const asset of related(match, "assets", included)) assets.run(key, asset.id, text(asset));
    for (const roster of related(match, "rosters", included)) {
      this.#addRoster(roster, included, shardId, [createdAt, match.id, key]);
    }
  }

  /**
   * @param {Resource} roster
   * @param {Included} included
   * @param {string} shard
   * @param {[createdAt: number, matchId: string, matchKey: unknown]} match
   */
  #addRoster(roster, included, shard, match) {
    const { roster: rosters, participant: participants, playerMatch, teamMatch } = this.#statements;
    const [team] = related(roster, "team", included);
    const teamKey = team ? this.#keyOf("team", team, shard) : null;
    if (teamKey) teamMatch.run(teamKey, ...match);
    const [, , matchKey] = match;
    const { lastInsertRowid: key } = rosters.run(matchKey, teamKey, roster.id, text(roster));
    for (const participant of related(roster, "participants", included)) {
      const [player] = related(participant, "player", included);
      const playerKey = player ? this.#keyOf("player", player, shard) : null;
      participants.run(matchKey, key, playerKey, participant.id, text(participant));
      if (playerKey) playerMatch.run(playerKey, ...match);
    }
  }

  /**
   * @param {"player" | "team"} type
   * @param {Resource} resource
   * @param {string} shard
   */
  #keyOf(type, resource, shard) {
    const name = `${type}/${shard}/${resource.id}`;
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const row = [shard, resource.id, resource.attributes.name, text(resource)];
    const { lastInsertRowid: key } = this.#statements[type].run(...row);
    this.#keys.set(name, key);
    return key;
  }
}

/**
 * @param {Resource} resource
 * @param {string} name
 * @param {Included} included
 * @returns {Resource[]}
 */
function related(resource, name, included) {
  const data = resource.relationships?.[name]?.data ?? [];
  /** @type {{ type: string, id: string }[]} */
  const references = Array.isArray(data) ? data : [data];
  return references.map(({ type, id }) => {
    const found = included.get(`${type}/${id}`);
    if (!found) throw new Error(`${type} ${id} is referenced, but not in "included"`);
    return found;
  });
}

/** @param {Resource} resource */
const text = ({ attributes }) => JSON.stringify(attributes);
