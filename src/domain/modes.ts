/** The game modes that are served and can be filtered by. */

export const GAME_MODES = [
  "ranked",
  "casual",
  "private",
  "private_party_draft_match",
  "private_party_aral_match",
  "private_party_blitz_match",
  "casual_aral",
  "blitz_pvp_ranked",
] as const;

/** How people call them. */
export const MODE_NAMES: Readonly<Record<(typeof GAME_MODES)[number], string>> = {
  ranked: "Ranked",
  casual: "Casual",
  private: "Private",
  private_party_draft_match: "Private draft",
  private_party_aral_match: "Private ARAL",
  private_party_blitz_match: "Private blitz",
  casual_aral: "Casual ARAL",
  blitz_pvp_ranked: "Ranked blitz",
};

/** Counts towards `played_ranked`, and makes its players ranked. */
export const RANKED_MODE = "ranked";

/** The only mode that needs a ranked player to be served. */
export const PRIVATE_MODE = "private";

/** The modes of statistics: private matches do not count, also when they are served. */
export const COUNTED_MODES: readonly string[] = GAME_MODES.filter((mode) => mode !== PRIVATE_MODE);

/** How sessions end that were never really played. */
export const VOID_ENDINGS = ["exitpractice", "notenoughplayers"] as const;

const served: ReadonlySet<string> = new Set(GAME_MODES);
const voided: ReadonlySet<string> = new Set(VOID_ENDINGS);

export const isServedMode = (mode: string): boolean => served.has(mode);
export const isVoidEnding = (ending: string): boolean => voided.has(ending);
