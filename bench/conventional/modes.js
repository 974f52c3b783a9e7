// @ts-check
/** The game modes that are served. */

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
