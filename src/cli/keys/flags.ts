/** In charge of the flags that say a key's terms, which create and change share. */

import { type Command, Option } from "commander";
import type { KeyTerms } from "../../access/key-store.ts";
import { EVERY_OPEN_SHARD } from "../../domain/allowance.ts";
import { keyOptionParsers, NEVER, TIER_DEFAULT } from "../../settings/key-options.ts";
import type { Settings } from "../../settings/table.ts";
import { nearest } from "../../text/nearest.ts";
import { storesIn } from "../../wiring.ts";
import { flagValue, note } from "../verb.ts";

interface TermFlag {
  flag: string;
  placeholder: string;
  help: string;
}

/** In the order of the help. */
const FLAGS: Record<keyof KeyTerms, TermFlag> = {
  name: { flag: "--name", placeholder: "NAME", help: "whom or what the key is for" },
  tier: {
    flag: "--tier",
    placeholder: "TIER",
    help: "tier of the settings (default: the first)",
  },
  rate: { flag: "--rate", placeholder: "N", help: "requests a minute" },
  burst: {
    flag: "--burst",
    placeholder: "N",
    help: "requests at once after a rest; 0: as many as its rate",
  },
  matchesPerDay: {
    flag: "--matches-per-day",
    placeholder: "N",
    help: "different matches in a UTC day; 0: any number",
  },
  shards: {
    flag: "--shards",
    placeholder: "LIST",
    help: `shards it may read, for example na+eu; ${EVERY_OPEN_SHARD} stands for all that are not closed`,
  },
  note: {
    flag: "--note",
    placeholder: "TEXT",
    help: "for yourself: a contact, a contract, a reason",
  },
  expiresAt: {
    flag: "--expires",
    placeholder: "WHEN",
    help: `30d, 12h, 2027-01-31 (its end, UTC), 2027-01-31T18:00:00Z or ${NEVER}`,
  },
};
const TERMS = Object.keys(FLAGS) as (keyof KeyTerms)[];

export const EVERY_FLAG = TERMS.map((term) => FLAGS[term].flag);

/** Adds the flags to a verb. A key that is made needs a name; one that is changed has one. */
export function withTerms(command: Command, { isNew }: { isNew: boolean }): Command {
  for (const term of TERMS) {
    const { flag, placeholder, help } = FLAGS[term];
    const option = new Option(`${flag} <${placeholder}>`, help);
    command.addOption(option.makeOptionMandatory(isNew && term === "name"));
  }
  return command.addHelpText(
    "after",
    `\nThe word ${TIER_DEFAULT} for --tier, --rate, --burst, --matches-per-day or --shards leaves it to the tier,\n` +
      "and what the tier leaves open to the settings rate, burst and matches-per-day.",
  );
}

/** The terms that a verb's flags say, all of them checked. */
export function termsOf(command: Command, settings: Settings, now: number): Partial<KeyTerms> {
  const parsers = keyOptionParsers(settings.tiers, now);
  const terms: Partial<KeyTerms> = {};
  for (const term of TERMS) {
    const { flag } = FLAGS[term];
    const text: string | undefined = command.getOptionValue(new Option(flag).attributeName());
    if (text === undefined) continue;
    const value = flagValue<KeyTerms[typeof term]>(flag, text, parsers[term]);
    Object.assign(terms, { [term]: value });
  }
  return terms;
}

/** A shard may come with records of tomorrow; a mistyped one would never. */
export function noteMissingShards({ shards }: Partial<KeyTerms>, settings: Settings): void {
  const known =
    settings.shards.length > 0 ? settings.shards.map(({ id }) => id) : storesIn(settings.data);
  if (known.length === 0) return;
  const missing = (shards ?? []).filter((id) => id !== EVERY_OPEN_SHARD && !known.includes(id));
  for (const id of missing) {
    const guess = nearest(id, known);
    note(
      `There is no shard "${id}" yet${guess === undefined ? "." : `; did you mean "${guess}"?`} There are: ${known.join(", ")}.`,
    );
  }
}
