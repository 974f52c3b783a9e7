/** In charge of `matchbook status`: what each shard holds. */

import { formatTimestamp } from "../domain/time.ts";
import { WITHHELD_REASONS, type WithheldReason } from "../domain/visibility.ts";
import { unobserved } from "../observe/events.ts";
import type { Counts } from "../store/store.ts";
import { openShards } from "../wiring.ts";
import {
  age,
  columns,
  note,
  print,
  settingsOf,
  type Verb,
  withExamples,
  withSettings,
} from "./verb.ts";

export const status: Verb = (program) => {
  const command = program
    .command("status")
    .description(
      "per shard: matches served and withheld, players, newest match, size on disk.\n" +
        "The columns with a minus count withheld matches, by the rule that withholds them.",
    )
    .option("--json", "print one JSON object: shard id to its numbers")
    .action(async (flags: { json?: true }) => {
      const settings = settingsOf(command).values;
      const shards = openShards(settings, unobserved);
      try {
        const counts = new Map<string, Counts>();
        for (const id of await shards.list()) {
          const keeper = await shards.existingKeeper(id);
          if (keeper) counts.set(id, await keeper.counts());
        }
        if (flags.json) print(JSON.stringify(asJson(counts)));
        else if (counts.size === 0) note(`No shards in ${settings.data} yet: ingest makes them.`);
        else print(asTable(counts, Date.now()));
      } finally {
        await shards.close();
      }
    });
  withSettings(command, ["shards"]);
  withExamples(command, [
    ["matchbook status", "a table"],
    ["matchbook status --json", "the same for a program"],
  ]);
};

function asJson(counts: Map<string, Counts>): object {
  return Object.fromEntries(
    [...counts].map(([id, { newestMatch, ...rest }]) => [
      id,
      { ...rest, newestMatch: newestMatch === undefined ? null : formatTimestamp(newestMatch) },
    ]),
  );
}

/** What is withheld, short enough for a terminal of eighty columns to show the row. */
const HEADS: Record<WithheldReason, string> = {
  "game-mode": "-MODE",
  ending: "-ENDING",
  "no-ranked-player": "-UNRANKED",
};

function asTable(counts: Map<string, Counts>, now: number): string {
  return columns([
    [
      "SHARD",
      "SERVED",
      ...WITHHELD_REASONS.map((reason) => HEADS[reason]),
      "PLAYERS",
      "TEAMS",
      "NEWEST MATCH",
      "SIZE",
    ],
    ...[...counts].map(([id, shard]) => [
      id,
      String(shard.served),
      ...WITHHELD_REASONS.map((reason) => String(shard.withheld[reason])),
      String(shard.players),
      String(shard.teams),
      shard.newestMatch === undefined
        ? "none"
        : `${formatTimestamp(shard.newestMatch)} (${age(now - shard.newestMatch)})`,
      `${(shard.bytes / 2 ** 20).toFixed(1)} MiB`,
    ]),
  ]);
}
