/** `npm run trial -- KIND`: something is done to the service for some time, and what must hold is compared with a model. */

import { FAILOVER } from "./failover/failover.ts";
import { FAULTS } from "./faults/faults.ts";
import { FUZZ } from "./fuzz/fuzz.ts";
import { POWER_CUTS } from "./power-cuts/power-cuts.ts";
import { SOAK } from "./soak/trial.ts";
import { Misuse, read, type Trial } from "./trial.ts";

export const TRIALS: Readonly<Record<string, Trial>> = {
  soak: SOAK,
  faults: FAULTS,
  "power-cuts": POWER_CUTS,
  fuzz: FUZZ,
  failover: FAILOVER,
};

if (import.meta.main) await main(process.argv.slice(2));

async function main(args: string[]): Promise<void> {
  try {
    const asked = read(TRIALS, args);
    if ("help" in asked) {
      console.log(asked.help);
      process.exit(0);
    }
    const { kind, trial, given } = asked;
    console.log(`${kind}, seed ${given.seed}`);
    const isRight = await trial.run(given);
    if (!isRight)
      console.log(
        `To repeat: npm run trial -- ${args.join(" ")}${given.text("seed") ? "" : ` --seed ${given.seed}`}`,
      );
    process.exit(isRight ? 0 : 1);
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    console.error(`trial: ${error.message}. See npm run trial -- --help`);
    process.exit(2);
  }
}
