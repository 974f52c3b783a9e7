/** The flags for the options of a key, shared by `keys create` and `keys change`. */

import { type Command, Option } from "commander";
import type { KeyOptions } from "../access/key-store.ts";
import { EVERY_OPEN_SHARD } from "../domain/limits.ts";
import { storesIn } from "../open-stores.ts";
import type { Settings } from "../settings/definitions.ts";
import { keyOptionParsers, NEVER, TIER_DEFAULT } from "../settings/key-options.ts";
import { nearest } from "../text/nearest.ts";
import { flagValue, note } from "./command.ts";

/** In the order of the help. */
const FLAGS: Record<keyof KeyOptions, readonly [flag: string, placeholder: string, help: string]> =
  {
    name: ["--name", "NAME", "what the key is for"],
    tier: ["--tier", "TIER", "tier from the settings (default: the first)"],
    rate: ["--rate", "N", "requests per minute"],
    burst: ["--burst", "N", "requests an idle key may send at once; 0 means its rate"],
    matchesPerDay: ["--matches-per-day", "N", "distinct matches per UTC day; 0 means unlimited"],
    shards: [
      "--shards",
      "LIST",
      `shards it may read, e.g. na+eu; ${EVERY_OPEN_SHARD} means all shards that are not closed`,
    ],
    note: ["--note", "TEXT", "note for operators, e.g. a contact"],
    expiresAt: [
      "--expires",
      "WHEN",
      `30d, 12h, 2027-01-31 (end of that day, UTC), 2027-01-31T18:00:00Z or ${NEVER}`,
    ],
  };
const OPTIONS = Object.keys(FLAGS) as (keyof KeyOptions)[];

export const OPTION_FLAGS = OPTIONS.map((name) => FLAGS[name][0]);

/** Adds the flags to a command. A new key needs a name. */
export function withKeyOptions(command: Command, { isNew }: { isNew: boolean }): Command {
  for (const name of OPTIONS) {
    const [flag, placeholder, help] = FLAGS[name];
    const option = new Option(`${flag} <${placeholder}>`, help);
    command.addOption(option.makeOptionMandatory(isNew && name === "name"));
  }
  return command.addHelpText(
    "after",
    `\nUse ${TIER_DEFAULT} for --tier, --rate, --burst, --matches-per-day or --shards to apply the value of the tier.\n` +
      "What the tier does not set comes from the settings rate, burst and matches-per-day.",
  );
}

/** The key options from the flags of a command. */
export function keyOptionsOf(
  command: Command,
  settings: Settings,
  now: number,
): Partial<KeyOptions> {
  const parsers = keyOptionParsers(settings.tiers, now);
  const options: Partial<KeyOptions> = {};
  for (const name of OPTIONS) {
    const [flag] = FLAGS[name];
    const text: string | undefined = command.getOptionValue(new Option(flag).attributeName());
    if (text === undefined) continue;
    const value = flagValue<KeyOptions[typeof name]>(flag, text, parsers[name]);
    Object.assign(options, { [name]: value });
  }
  return options;
}

/** Only a warning: the shard may be created later. */
export function warnOfUnknownShards({ shards }: Partial<KeyOptions>, settings: Settings): void {
  const known =
    settings.shards.length > 0 ? settings.shards.map(({ id }) => id) : storesIn(settings.data);
  if (known.length === 0) return;
  const unknown = (shards ?? []).filter((id) => id !== EVERY_OPEN_SHARD && !known.includes(id));
  for (const id of unknown) {
    const guess = nearest(id, known);
    note(
      `There is no shard "${id}" yet${guess === undefined ? "." : `; did you mean "${guess}"?`} Shards: ${known.join(", ")}.`,
    );
  }
}
