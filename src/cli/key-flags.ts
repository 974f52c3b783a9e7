/** The flags for the options of a key, shared by `keys create` and `keys change`. */

import { Option } from "commander";
import type { KeyOptions } from "../access/key-store.ts";
import { EVERY_OPEN_SHARD } from "../domain/limits.ts";
import type { Settings } from "../settings/definitions.ts";
import { keyOptionParsers, NEVER, TIER_DEFAULT } from "../settings/key-options.ts";
import { flagValue } from "./command.ts";

/** The flag of each option. */
const FLAGS: Record<keyof KeyOptions, string> = {
  name: "--name <NAME>",
  tier: "--tier <TIER>",
  rate: "--rate <N>",
  burst: "--burst <N>",
  matchesPerDay: "--matches-per-day <N>",
  shards: "--shards <LIST>",
  note: "--note <TEXT>",
  expiresAt: "--expires <WHEN>",
};

const wordOf = (flag: string): string => flag.split(" ")[0]!;
export const OPTION_FLAGS = Object.values(FLAGS).map(wordOf);

/** The help of the flags. */
export const NAME = { [FLAGS.name]: "what the key is for" };
export const KEY_OPTIONS = {
  [FLAGS.tier]: "tier from the settings (default: the first)",
  [FLAGS.rate]: "requests per minute",
  [FLAGS.burst]: "requests an idle key may send at once; 0 means its rate",
  [FLAGS.matchesPerDay]: "distinct matches per UTC day; 0 means unlimited",
  [FLAGS.shards]: `shards it may read, e.g. na+eu; ${EVERY_OPEN_SHARD} means all shards that are not closed`,
  [FLAGS.note]: "note for operators, e.g. a contact",
  [FLAGS.expiresAt]: `30d, 12h, 2027-01-31 (end of that day, UTC), 2027-01-31T18:00:00Z or ${NEVER}`,
};
export const ABOUT_OPTIONS =
  `Use ${TIER_DEFAULT} for --tier, --rate, --burst, --matches-per-day or --shards to apply the value of the tier.\n` +
  "What the tier does not set comes from the settings rate and matches-per-day.";

/** The key options from the flags of a command. */
export function keyOptionsOf(
  flags: Readonly<Record<string, string | true>>,
  settings: Settings,
  now: number,
): Partial<KeyOptions> {
  const parsers = keyOptionParsers(settings.tiers, now);
  const options: Partial<KeyOptions> = {};
  for (const [name, flag] of Object.entries(FLAGS) as [keyof KeyOptions, string][]) {
    const text = flags[new Option(flag).attributeName()];
    if (typeof text !== "string") continue;
    const value = flagValue<KeyOptions[typeof name]>(wordOf(flag), text, parsers[name]);
    Object.assign(options, { [name]: value });
  }
  return options;
}
