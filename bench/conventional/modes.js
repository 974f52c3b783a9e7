// @ts-check
/** The game modes that are served, and the endings that are not. */

export const GAME_MODES = [
  "ranked",
  "casual",
  "private",
  "private_party_draft_match",
  "private_party_aral_match",
  "private_party_blitz_match",
  "casual_aral",
  "blitz_pvp_ranked",
];

export const RANKED_MODE = "ranked";
export const PRIVATE_MODE = "private";
export const VOID_ENDINGS = ["exitpractice", "notenoughplayers"];
