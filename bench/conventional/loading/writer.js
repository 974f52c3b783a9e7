// @ts-check
/** Writes the rows of served matches, with players as of their latest match. */

import { RANKED_MODE } from "../modes.js";

/** @typedef {import("./record.js").MatchRecord} MatchRecord */
/** @typedef {import("./record.js").Resource} Resource */
/** @typedef {{ key: number, seenAt: number, seenIn: string }} Seen */

/** Gold is summed in integer millionths, so the sum does not depend on the order. */
export const GOLD_UNIT = 1_000_000;

const INSERTS = {
  match: "INSERT OR IGNORE INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  roster: "INSERT INTO rosters VALUES (?, ?, ?, ?, ?)",
  participant: "INSERT INTO participants VALUES (?, ?, ?, ?, ?, ?)",
  asset: "INSERT INTO assets VALUES (NULL, ?, ?, ?)",
  player: "INSERT INTO players VALUES (?, ?, ?, ?, ?, ?)",
  updatePlayer: "UPDATE players SET name = ?, seen_at = ?, attributes = ? WHERE key = ?",
  team: "INSERT INTO teams VALUES (?, ?, ?, ?, ?)",
  updateTeam: "UPDATE teams SET name = ?, attributes = ? WHERE key = ?",
  playerMatch: "INSERT INTO player_matches VALUES (?, ?, ?, ?, ?, ?, ?)",
  teamMatch: "INSERT OR IGNORE INTO team_matches VALUES (?, ?, ?, ?)",
};

export class Writer {
  #statements;
  #lastMatch = 0;
  #lastRoster = 0;
  #lastParticipant = 0;
  /** @type {Map<string, Seen>} */
  #players = new Map();
  /** @type {Map<string, Seen>} */
  #teams = new Map();

  /** @param {import("better-sqlite3").Database} database */
  constructor(database) {
    this.#statements =
      /** @type {Record<keyof typeof INSERTS, import("better-sqlite3").Statement>} */ (
        Object.fromEntries(
          Object.entries(INSERTS).map(([name, sql]) => [name, database.prepare(sql)]),
        )
      );
  }

  get playerCount() {
    return this.#players.size;
  }

  /**
   * @param {MatchRecord} record
   * @returns {boolean} false if the match is already stored
   */
  write(record) {
    const { match, shard, createdAt, sides, assets } = record;
    const { gameMode, patchVersion } = match.attributes;
    const key = this.#lastMatch + 1;
    const further = JSON.stringify(record.furtherRelationships);
    const row = [key, shard, match.id, createdAt, gameMode, patchVersion, text(match), further];
    if (this.#statements.match.run(row).changes === 0) return false;
    this.#lastMatch = key;
    for (const side of sides) this.#writeSide(record, key, side);
    for (const asset of assets) this.#statements.asset.run(key, asset.id, text(asset));
    return true;
  }

  /**
   * @param {MatchRecord} record
   * @param {number} matchKey
   * @param {import("./record.js").Side} side
   */
  #writeSide({ match, shard, createdAt }, matchKey, { resource: roster, won, team, seats }) {
    const { roster: rosters, participant: participants, playerMatch, teamMatch } = this.#statements;
    const ranked = match.attributes.gameMode === RANKED_MODE ? 1 : 0;
    const rosterKey = ++this.#lastRoster;
    const teamKey = team ? this.#seeTeam(team, shard, createdAt, match.id) : null;
    rosters.run(rosterKey, matchKey, teamKey, roster.id, text(roster));
    if (teamKey) teamMatch.run(teamKey, createdAt, match.id, matchKey);
    for (const { resource: participant, player } of seats) {
      const playerKey = player ? this.#seePlayer(player, shard, createdAt, match.id) : null;
      const key = ++this.#lastParticipant;
      participants.run(key, matchKey, rosterKey, playerKey, participant.id, text(participant));
      if (!playerKey) continue;
      const gold = Math.round((participant.attributes.stats.gold ?? 0) * GOLD_UNIT);
      playerMatch.run(playerKey, createdAt, match.id, matchKey, ranked, won ? 1 : 0, gold);
    }
  }

  /**
   * @param {Resource} player
   * @param {string} shard
   * @param {number} createdAt
   * @param {string} matchId
   */
  #seePlayer(player, shard, createdAt, matchId) {
    const { player: insert, updatePlayer } = this.#statements;
    const { key, news } = see(this.#players, `${shard}/${player.id}`, createdAt, matchId);
    const { name } = player.attributes;
    if (news === "new") insert.run(key, shard, player.id, name, createdAt, text(player));
    if (news === "later") updatePlayer.run(name, createdAt, text(player), key);
    return key;
  }

  /**
   * @param {Resource} team
   * @param {string} shard
   * @param {number} createdAt
   * @param {string} matchId
   */
  #seeTeam(team, shard, createdAt, matchId) {
    const { team: insert, updateTeam } = this.#statements;
    const { key, news } = see(this.#teams, `${shard}/${team.id}`, createdAt, matchId);
    const { name } = team.attributes;
    if (news === "new") insert.run(key, shard, team.id, name, text(team));
    if (news === "later") updateTeam.run(name, text(team), key);
    return key;
  }
}

/**
 * Players and teams are stored as of their latest match, whatever the order of matches.
 *
 * @param {Map<string, Seen>} known
 * @param {string} name
 * @param {number} seenAt
 * @param {string} seenIn
 * @returns {{ key: number, news: "new" | "later" | "earlier" }}
 */
function see(known, name, seenAt, seenIn) {
  const seen = known.get(name);
  if (!seen) {
    const key = known.size + 1;
    known.set(name, { key, seenAt, seenIn });
    return { key, news: "new" };
  }
  const isLater = seenAt > seen.seenAt || (seenAt === seen.seenAt && seenIn > seen.seenIn);
  if (isLater) Object.assign(seen, { seenAt, seenIn });
  return { key: seen.key, news: isLater ? "later" : "earlier" };
}

/** @param {Resource} resource */
const text = ({ attributes }) => JSON.stringify(attributes);
