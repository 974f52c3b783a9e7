// @ts-check
/** Decides which matches are served; private ones only after all records were read. */

import { GAME_MODES, PRIVATE_MODE, RANKED_MODE, VOID_ENDINGS } from "../modes.js";

/** @typedef {import("./record.js").MatchRecord} MatchRecord */

export class Visibility {
  /** Players that some record proves to be ranked. */
  #ranked = new Set();

  /**
   * Also notes which players the record proves to be ranked.
   *
   * @param {MatchRecord} record
   * @returns {"served" | "withheld" | "undecided"}
   */
  judge(record) {
    const { gameMode, stats } = record.match.attributes;
    const isPlayed = GAME_MODES.includes(gameMode) && !VOID_ENDINGS.includes(stats.endGameReason);
    for (const player of record.players) {
      const showsRanked = isPlayed && gameMode === RANKED_MODE;
      if (showsRanked || player.attributes.stats?.played_ranked >= 1) {
        this.#ranked.add(`${record.shard}/${player.id}`);
      }
    }
    if (!isPlayed) return "withheld";
    return gameMode === PRIVATE_MODE && !this.hasRankedPlayer(record) ? "undecided" : "served";
  }

  /** @param {MatchRecord} record */
  hasRankedPlayer(record) {
    return record.players.some(({ id }) => this.#ranked.has(`${record.shard}/${id}`));
  }
}
