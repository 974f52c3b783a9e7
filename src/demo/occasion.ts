/** The kind of a match: mode, ending, duration, and who may take part. */

import { PRIVATE_MODE } from "../domain/modes.ts";
import type { Circle } from "./people.ts";
import type { Random } from "./random.ts";

export interface Occasion {
  mode: string;
  circle: Circle;
  perSide: 3 | 5;
  /** Kills per minute relative to a common match. */
  pace: number;
  /** Probability that a roster entered as a team. */
  premade: number;
  /** In seconds. */
  duration: number;
  ending: "victory" | "surrender" | "exitpractice" | "notenoughplayers";
  /** Whether the right side is bots. */
  bots: boolean;
}

type Mode = [weight: number, tournamentWeight: number, minutes: number, pace: number, Circle];

const MODES: Readonly<Record<string, Mode>> = {
  ranked: [31, 12, 20, 1, "regulars"],
  casual: [27, 0, 20, 1, "anyone"],
  casual_aral: [12, 0, 13, 1.9, "anyone"],
  blitz_pvp_ranked: [11, 0, 5.5, 2.2, "regulars"],
  private: [6, 8, 20, 1, "anyone"],
  private_party_draft_match: [5, 60, 23, 1, "regulars"],
  private_party_aral_match: [4, 10, 13, 1.9, "anyone"],
  private_party_blitz_match: [4, 10, 5.5, 2.2, "anyone"],
};

const NAMES = Object.keys(MODES);
const TRAINING = ["practice_bots", "tutorial", "event_emberhunt"];

/** One match in fifty of each kind that the service withholds. */
export function occasionOf(random: Random, tournament: boolean): Occasion {
  const weights = NAMES.map((name) => MODES[name]![tournament ? 1 : 0]);
  const usual = play(random, NAMES[random.weighted(weights)]!, tournament);
  const kind = random.unit();
  if (kind < 0.02) {
    const mode = random.pick(TRAINING);
    return { ...play(random, "casual", false), mode, premade: 0, bots: mode !== "event_emberhunt" };
  }
  const duration = random.int(250, 400);
  if (kind < 0.04) return { ...usual, ending: "exitpractice", duration, premade: 0 };
  if (kind < 0.06) return { ...usual, ending: "notenoughplayers", duration };
  if (kind < 0.08) {
    return { ...play(random, PRIVATE_MODE, tournament), circle: "casuals", premade: 0 };
  }
  return usual;
}

function play(random: Random, mode: string, tournament: boolean): Occasion {
  const [, , minutes, pace, circle] = MODES[mode]!;
  const isDraft = mode === "private_party_draft_match";
  const surrender = random.chance(0.25);
  const seconds = minutes * 60 * (1 + random.normal() * 0.2) * (surrender ? 0.75 : 1);
  return {
    ...{ mode, circle, pace, perSide: isDraft ? 5 : 3, bots: false },
    premade: tournament ? 0.9 : isDraft ? 0.3 : 0.11,
    duration: Math.max(250, Math.min(2_400, Math.round(seconds))),
    ending: surrender ? "surrender" : "victory",
  };
}
