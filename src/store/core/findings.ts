/** What was found out about a shard as a whole, and is stored in it for all processes. */

import { put, remove, type Steps, select } from "../steps.ts";
import {
  type Damage,
  DamagedShard,
  type Findings,
  type Verdict,
  type VerifyClaim,
} from "../store.ts";
import { FINDINGS, type FindingRow } from "../tables.ts";

/** How much of the damage is stored. */
const MOST_STORED = 20;

export const NO_FINDINGS: Findings = {
  verdict: undefined,
  verifyingSince: undefined,
  wal: undefined,
};

export const walRow = (at: number, commits: number): FindingRow => ({
  kind: "wal",
  found_at: at,
  damaged: commits,
  damage: "[]",
});

const VERIFYING = { kind: "verifying" } as const;

export const findings = {
  *findings(): Steps<Findings> {
    const rows = new Map((yield* select(FINDINGS, "")).map((row) => [row.kind, row]));
    const [verify, wal] = [rows.get("verify"), rows.get("wal")];
    return {
      verdict: verify && {
        at: verify.found_at,
        damaged: verify.damaged,
        damage: JSON.parse(verify.damage) as Damage[],
      },
      verifyingSince: rows.get("verifying")?.found_at,
      wal: wal && { at: wal.found_at, commits: wal.damaged },
    };
  },

  *setVerdict({ at, damaged, damage }: Verdict, claim?: VerifyClaim): Steps<void> {
    const known = yield* findings.findings();
    // It was about a shard that a repaired one has replaced meanwhile.
    if (claim?.at && claim.at !== known.verifyingSince) return;
    yield* put(FINDINGS, [
      {
        kind: "verify",
        found_at: at,
        damaged,
        damage: JSON.stringify(damage.slice(0, MOST_STORED)),
      },
    ]);
    // Not what was found when the shard was opened to store this verdict: nobody has read of it yet.
    const isOver = damaged === 0 && !claim && (known.wal?.at ?? at) < at;
    yield* remove(FINDINGS, [VERIFYING, ...(isOver ? [{ kind: "wal" }] : [])]);
  },

  *claimVerify(now: number, intervalMs: number): Steps<boolean> {
    if (!isVerifyDue(yield* findings.findings(), now, intervalMs)) return false;
    yield* put(FINDINGS, [{ ...VERIFYING, found_at: now, damaged: 0, damage: "[]" }]);
    return true;
  },

  releaseVerify: () => remove(FINDINGS, [VERIFYING]),
};

/** A process that was killed while it verified keeps others from it for one interval. */
export function isVerifyDue(found: Findings, now: number, intervalMs: number): boolean {
  const last = Math.max(found.verdict?.at ?? -Infinity, found.verifyingSince ?? -Infinity);
  // A clock that was ahead must not put it off forever.
  return now - last >= intervalMs || last > now + intervalMs;
}

/** The findings as a process knows them: those that are stored, and the last verdict that could not be stored. */
export class KnownFindings {
  #stored = NO_FINDINGS;
  #held: Verdict | undefined;

  constructor(private readonly location: string) {}

  get current(): Findings {
    const { verdict } = this.#stored;
    const isNewer = this.#held !== undefined && this.#held.at > (verdict?.at ?? -Infinity);
    return isNewer ? { ...this.#stored, verdict: this.#held } : this.#stored;
  }

  /** Why nothing of the shard is served. */
  get error(): DamagedShard | undefined {
    const { verdict } = this.current;
    return verdict && verdict.damaged > 0 ? new DamagedShard(this.location, verdict) : undefined;
  }

  set(stored: Findings): void {
    this.#stored = stored;
  }

  hold(verdict: Verdict): void {
    this.#held = verdict;
  }
}
