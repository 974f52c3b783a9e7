/** The flags for the options of a key, which `keys create` and `keys change` share. */

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
    name: ["--name", "NAME", "whom or what the key is for"],
    tier: ["--tier", "TIER", "tier of the settings (default: the first)"],
    rate: ["--rate", "N", "requests per minute"],
    burst: ["--burst", "N", "requests at once by an idle key; 0: as many as its rate"],
    matchesPerDay: ["--matches-per-day", "N", "different matches per UTC day; 0: any number"],
    shards: [
      "--shards",
      "LIST",
      `shards it may read, for example na+eu; ${EVERY_OPEN_SHARD} stands for all that are not closed`,
    ],
    note: ["--note", "TEXT", "for yourself: a contact, a contract, a reason"],
    expiresAt: [
      "--expires",
      "WHEN",
      `30d, 12h, 2027-01-31 (its end, UTC), 2027-01-31T18:00:00Z or ${NEVER}`,
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
    `\nThe value ${TIER_DEFAULT} for --tier, --rate, --burst, --matches-per-day or --shards leaves it to the tier,\n` +
      "and what the tier leaves open to the settings rate, burst and matches-per-day.",
  );
}

/** The key options that the flags of a command give, all of them checked. */
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

/** A shard may be created later; a mistyped one never is. */
export function warnOfUnknownShards({ shards }: Partial<KeyOptions>, settings: Settings): void {
  const known =
    settings.shards.length > 0 ? settings.shards.map(({ id }) => id) : storesIn(settings.data);
  if (known.length === 0) return;
  const unknown = (shards ?? []).filter((id) => id !== EVERY_OPEN_SHARD && !known.includes(id));
  for (const id of unknown) {
    const guess = nearest(id, known);
    note(
      `There is no shard "${id}" yet${guess === undefined ? "." : `; did you mean "${guess}"?`} There are: ${known.join(", ")}.`,
    );
  }
}
