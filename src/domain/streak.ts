/** Streaks of wins or losses. */

/** A player's result. "named": the match mentions the player, who did not play. */
export type Result = "won" | "lost" | "named";

/** A streak as one number: wins if positive, losses if negative, 0 without results. */
export type Run = number;

/** The streak after one more match, newer than all others. */
export function lengthen(run: Run, result: Result): Run {
  if (result === "named") return run;
  const step = result === "won" ? 1 : -1;
  return Math.sign(run) === step ? run + step : step;
}

export interface Streaks {
  run: Run;
  /** True if an older result ended the streak, so that it is complete. */
  ended: boolean;
}

/** The streak at the newest end of a player's history. */
export function streaks(newestFirst: Iterable<Result>): Streaks {
  let run: Run = 0;
  for (const result of newestFirst) {
    const longer = lengthen(run, result);
    if (run * longer < 0) return { run, ended: true };
    run = longer;
  }
  return { run, ended: false };
}

/** The streak of a history whose older part ended with the streak `before`; `run` is that of the newer part. */
export function continued(before: Run, { run, ended }: Streaks): Run {
  return ended || before * run < 0 ? run : before + run;
}
