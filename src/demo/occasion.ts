/** The kind of a match: mode, ending, duration, and who may take part. */

import { PRIVATE_MODE } from "../domain/modes.ts";
import type { Circle } from "./people.ts";
import type { Random } from "./random.ts";

interface Play {
  circle: Circle;
  perSide: number;
  /** Kills per minute relative to a common match. */
  pace: number;
  jungle: boolean;
  /** Probability that a roster entered as a team. */
  premade: number;
}

export interface Occasion extends Play {
  mode: string;
  /** A predetermined ending; otherwise the match decides. */
  ending?: "exitpractice" | "notenoughplayers";
  /** In seconds, before a surrender shortens it. */
  duration: number;
  /** The right side, or all but the first player, are bots. */
  bots: "few" | "right" | "all but one";
}

interface Mode extends Play {
  weight: number;
  cupWeight: number;
  minutes: number;
}

const COMMON = { perSide: 3, minutes: 20, pace: 1, jungle: true, premade: 0.11, cupWeight: 0 };
const ARAL = { ...COMMON, minutes: 13, pace: 1.9, jungle: false, premade: 0.08 };
const BLITZ = { ...COMMON, minutes: 5.5, pace: 2.2, premade: 0.1 };
const DRAFT = { ...COMMON, perSide: 5, minutes: 23, premade: 0.3 };

const MODES: { [mode: string]: Mode } = {
  ranked: { ...COMMON, weight: 31, cupWeight: 12, circle: "regulars", premade: 0.13 },
  casual: { ...COMMON, weight: 27, circle: "anyone" },
  casual_aral: { ...ARAL, weight: 12, circle: "anyone" },
  blitz_pvp_ranked: { ...BLITZ, weight: 11, circle: "regulars" },
  private: { ...COMMON, weight: 6, cupWeight: 8, circle: "anyone" },
  private_party_draft_match: { ...DRAFT, weight: 5, cupWeight: 60, circle: "regulars" },
  private_party_aral_match: { ...ARAL, weight: 4, cupWeight: 10, circle: "anyone" },
  private_party_blitz_match: { ...BLITZ, weight: 4, cupWeight: 10, circle: "anyone" },
};

const NAMES = Object.keys(MODES);
const WEIGHTS = NAMES.map((name) => MODES[name]!.weight);
const CUP_WEIGHTS = NAMES.map((name) => MODES[name]!.cupWeight);
const TRAINING: Mode = { ...COMMON, weight: 0, circle: "anyone", premade: 0 };
const PRACTISED = [PRIVATE_MODE, "casual", "private_party_aral_match", "private_party_blitz_match"];

/** One match in fifty of each kind that the service withholds. */
export function occasionOf(random: Random, tournament: boolean): Occasion {
  const kind = random.unit();
  if (kind < 0.02) return training(random);
  if (kind < 0.04) {
    const occasion = play(random, random.pick(PRACTISED), tournament);
    return { ...occasion, ending: "exitpractice", duration: random.int(250, 420), premade: 0 };
  }
  const mode = NAMES[random.weighted(tournament ? CUP_WEIGHTS : WEIGHTS)]!;
  const occasion = play(random, mode, tournament);
  if (kind < 0.06) {
    return { ...occasion, ending: "notenoughplayers", duration: random.int(250, 380) };
  }
  if (kind < 0.08) {
    return { ...play(random, PRIVATE_MODE, tournament), circle: "casuals", premade: 0 };
  }
  return occasion;
}

function training(random: Random): Occasion {
  const mode = random.pick(["practice_bots", "tutorial", "event_emberhunt"]);
  const occasion = staged(random, mode, TRAINING, false);
  if (mode === "practice_bots") return { ...occasion, bots: "right" };
  if (mode === "tutorial") return { ...occasion, bots: "all but one", duration: 480 };
  return occasion;
}

function play(random: Random, mode: string, tournament: boolean): Occasion {
  return staged(random, mode, MODES[mode]!, tournament);
}

function staged(random: Random, mode: string, play: Mode, tournament: boolean): Occasion {
  const seconds = play.minutes * 60 * (1 + random.normal() * 0.2);
  const duration = Math.max(250, Math.min(2_400, Math.round(seconds)));
  const premade = tournament ? 0.9 : play.premade;
  return { ...play, mode, duration, premade, bots: "few" };
}
