/** In charge of `matchbook keys rotate`: a new key in place of an old one, without an interruption. */

import type { Command } from "commander";
import { endOfPrevious, type KeyRecord } from "../../access/key-store.ts";
import { formatTimestamp } from "../../domain/time.ts";
import { parseOverlap } from "../../settings/key-options.ts";
import {
  Failure,
  flagValue,
  note,
  print,
  settingsOf,
  withExamples,
  withSettings,
} from "../verb.ts";
import { withKey } from "./open.ts";
import { stateInWords } from "./words.ts";

const USUAL_OVERLAP = "24h";

export function addRotate(group: Command): void {
  const command = group
    .command("rotate")
    .description(
      "make a new key with the same id and terms and print it, alone, on standard output;\n" +
        "the old one stays good for a while",
    )
    .argument("<id>", "the key's id, as 'matchbook keys list' shows it")
    .option(
      "--overlap <LENGTH>",
      "how long the old key stays good: 30min, 24h, 7d; 0 ends it at once",
      USUAL_OVERLAP,
    )
    .action(async (id: string, flags: { overlap: string }) => {
      const overlapMs = flagValue("--overlap", flags.overlap, parseOverlap);
      const { values } = settingsOf(command);
      const now = Date.now();
      const { key, record } = await withKey(values, id, async (keys, before) => {
        const outcome = await keys.rotate(id, overlapMs, now);
        if (typeof outcome === "object") return outcome;
        throw new Failure(
          `${id} is ${stateInWords(before, now)}, and only a live key can be rotated; ` +
            (before.revokedAt === null
              ? `give it a later end first: 'matchbook keys change ${id} --expires 30d'`
              : "make a new one: 'matchbook keys create'"),
        );
      });
      print(key);
      note(`Made a new key for ${id}, "${record.name}". ${endOfOld(record, now)}`);
      note("The key is not kept in readable form and cannot be shown again.");
    });
  withSettings(command, ["keys-database"]);
  withExamples(command, [
    ["matchbook keys rotate k_3fGh7Kq0Zx", "a new key; the old one is good for another day"],
    ["matchbook keys rotate k_3fGh7Kq0Zx --overlap 7d", "a week to change over"],
    ["matchbook keys rotate k_3fGh7Kq0Zx --overlap 0", "the old one leaked: it ends at once"],
  ]);
}

function endOfOld(record: KeyRecord, now: number): string {
  const end = endOfPrevious(record);
  return end <= now
    ? "The old one has ended."
    : `The old one is good until ${formatTimestamp(end)}.`;
}
