/** In charge of `matchbook keys create`. */

import type { Command } from "commander";
import { accessPlan } from "../../wiring.ts";
import { note, print, settingsOf, withExamples, withSettings } from "../verb.ts";
import { noteMissingShards, termsOf, withTerms } from "./flags.ts";
import { withKeys } from "./open.ts";
import { termsInWords } from "./words.ts";

export function addCreate(group: Command): void {
  const command = group
    .command("create")
    .description("make a key and print it, alone, on standard output; it is shown only once")
    .action(async (flags: { name: string }) => {
      const { values } = settingsOf(command);
      const now = Date.now();
      const wanted = { name: flags.name, ...termsOf(command, values, now) };
      const { key, record } = await withKeys(values, (keys) => keys.create(wanted, now));
      print(key);
      note(
        `Made key ${record.id} for "${record.name}": ${termsInWords(accessPlan(values), record)}`,
      );
      note("The key is not kept in readable form and cannot be shown again.");
      noteMissingShards(wanted, values);
    });
  withTerms(command, { isNew: true });
  withSettings(command, ["keys-database"]);
  withExamples(command, [
    ["matchbook keys create --name stats-site", "a key of the first tier"],
    [
      "KEY=$(matchbook keys create --name crawler --tier community --rate 600)",
      "a faster one, kept in a variable",
    ],
    [
      'matchbook keys create --name tournament --shards "*+beta" --expires 30d --note "ask Ana"',
      "one for a closed shard too, for a month",
    ],
  ]);
}
