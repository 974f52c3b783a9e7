// @ts-check
/** Computes the player stats that records do not contain: totals and streaks. */

import { GOLD_UNIT } from "./writer.js";

/** These describe the same set of matches: either all of them are taken from the record, or none. */
const COUNTED_TOGETHER = ["played", "wins", "played_ranked"];

/**
 * Completes the attributes of every player, after all matches are loaded.
 *
 * @param {import("better-sqlite3").Database} database
 * @param {number} count how many players there are, with the keys 1, 2, …
 */
export function completePlayers(database, count) {
  const read = database.prepare("SELECT attributes FROM players WHERE key = ?").pluck();
  const write = database.prepare("UPDATE players SET attributes = ? WHERE key = ?");
  const history = database.prepare(
    `SELECT ranked, won, gold FROM player_matches WHERE player_key = ?
     ORDER BY created_at DESC, match_id DESC`,
  );
  database.transaction(() => {
    for (let key = 1; key <= count; key++) {
      const attributes = JSON.parse(/** @type {string} */ (read.get(key)));
      const played = /** @type {Played[]} */ (history.all(key));
      attributes.stats = completeStats(attributes.stats ?? {}, played);
      write.run(JSON.stringify(attributes), key);
    }
  })();
}

/** @typedef {{ ranked: number, won: number, gold: number }} Played */

/**
 * @param {Record<string, unknown>} carried
 * @param {Played[]} newestFirst
 */
function completeStats(carried, newestFirst) {
  const change = newestFirst.findIndex(({ won }) => won !== newestFirst[0]?.won);
  const streak = change < 0 ? newestFirst.length : change;
  const computed = {
    winStreak: newestFirst[0]?.won === 1 ? streak : 0,
    lossStreak: newestFirst[0]?.won === 0 ? streak : 0,
    lifetimeGold: sum(newestFirst, "gold") / GOLD_UNIT,
  };
  const counts = {
    played: newestFirst.length,
    wins: sum(newestFirst, "won"),
    played_ranked: sum(newestFirst, "ranked"),
  };
  const carriesCounts = COUNTED_TOGETHER.every((name) => typeof carried[name] === "number");
  return { ...computed, ...carried, ...(carriesCounts ? {} : counts) };
}

/**
 * @param {Played[]} history
 * @param {keyof Played} name
 */
const sum = (history, name) => history.reduce((total, played) => total + played[name], 0);
