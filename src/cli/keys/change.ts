/** In charge of `matchbook keys change`. */

import type { Command } from "commander";
import { stateOf } from "../../access/key-store.ts";
import { accessPlan } from "../../wiring.ts";
import { Misuse, note, settingsOf, withExamples, withSettings } from "../verb.ts";
import { EVERY_FLAG, noteMissingShards, termsOf, withTerms } from "./flags.ts";
import { withKey } from "./open.ts";
import { stateInWords, termsInWords } from "./words.ts";

export function addChange(group: Command): void {
  const command = group
    .command("change")
    .description("change what a key may do; a running server goes by it within seconds")
    .argument("<id>", "the key's id, as 'matchbook keys list' shows it")
    .action(async (id: string) => {
      const { values } = settingsOf(command);
      const now = Date.now();
      const changes = termsOf(command, values, now);
      if (Object.keys(changes).length === 0) {
        throw new Misuse(`nothing to change: give at least one of ${EVERY_FLAG.join(", ")}`);
      }
      const record = await withKey(values, id, async (keys) => (await keys.change(id, changes))!);
      const state = stateOf(record, now) === "live" ? "" : ` It is ${stateInWords(record, now)}.`;
      note(`Changed ${id}, "${record.name}": ${termsInWords(accessPlan(values), record)}${state}`);
      noteMissingShards(changes, values);
    });
  withTerms(command, { isNew: false });
  withSettings(command, ["keys-database"]);
  withExamples(command, [
    ["matchbook keys change k_3fGh7Kq0Zx --tier community", "move a key to another tier"],
    [
      "matchbook keys change k_3fGh7Kq0Zx --rate default --expires never",
      "back to the tier's rate, and without an end",
    ],
    ['matchbook keys change k_3fGh7Kq0Zx --note ""', "remove the note"],
  ]);
}
