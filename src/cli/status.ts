/** `matchbook status`: prints what each shard contains. */

import { formatTimestamp } from "../domain/time.ts";
import { WITHHELD_REASONS, type WithheldReason } from "../domain/visibility.ts";
import { replicasInUse } from "../http/status.ts";
import { type Counts, StoreError } from "../store/store.ts";
import { type AddCommand, note, print, settingsOf, withExamples, withSettings } from "./command.ts";
import { withShards } from "./shard-store.ts";
import { describeError } from "./system-errors.ts";
import { newestWithAge, table } from "./table.ts";

export const status: AddCommand = (program) => {
  const command = program
    .command("status")
    .summary("print what each shard contains")
    .description(
      "print for each shard: served and withheld matches, players, newest match, size on disk, replicas in use.\n" +
        "Columns with a minus count withheld matches by the rule that withholds them.\n" +
        "Exit code 1: a shard cannot be read and is left out.",
    )
    .option("--json", "print one JSON object by shard id")
    .action(async (flags: { json?: true }) => {
      const settings = settingsOf(command).values;
      const counts = new Map<string, ShardCounts>();
      const problems: string[] = [];
      await withShards(settings, async (shards) => {
        for (const id of await shards.list()) {
          try {
            const writer = await shards.existingWriter(id);
            const replicas = replicasInUse(shards.replicas(id));
            if (writer) counts.set(id, { ...(await writer.counts()), ...replicas });
          } catch (error) {
            if (!(error instanceof StoreError)) throw error;
            problems.push(`${id}: ${describeError(error)}`);
            process.exitCode = 1;
          }
        }
      });
      if (flags.json) print(JSON.stringify(asJson(counts)));
      else if (counts.size > 0) print(asTable(counts, Date.now()));
      else if (problems.length === 0)
        note(`No shards in ${settings.data} yet: create them with 'matchbook ingest'.`);
      for (const problem of problems) note(problem);
    });
  withSettings(command);
  withExamples(command, [["matchbook status --json", "print JSON"]]);
};

/** Replicas as this command finds them; servers check for themselves. */
type ShardCounts = Counts & ReturnType<typeof replicasInUse>;

function asJson(counts: Map<string, ShardCounts>): object {
  return Object.fromEntries(
    [...counts].map(([id, { newestMatch, ...rest }]) => [
      id,
      { ...rest, newestMatch: newestOf({ newestMatch }) },
    ]),
  );
}

const newestOf = ({ newestMatch }: Pick<Counts, "newestMatch">): string | null =>
  newestMatch === undefined ? null : formatTimestamp(newestMatch);

/** Short column heads, because rows are long. */
const HEADS: Record<WithheldReason, string> = {
  "game-mode": "-MODE",
  ending: "-ENDING",
  "no-ranked-player": "-UNRANKED",
};

function asTable(counts: Map<string, ShardCounts>, now: number): string {
  const hasReplicas = [...counts.values()].some(({ replicas }) => replicas);
  const last = (cell: string) => (hasReplicas ? [cell] : []);
  return table([
    [
      "SHARD",
      "SERVED",
      ...WITHHELD_REASONS.map((reason) => HEADS[reason]),
      "PLAYERS",
      "TEAMS",
      "NEWEST MATCH",
      "SIZE",
      ...last("REPLICAS"),
    ],
    ...[...counts].map(([id, shard]) => [
      id,
      String(shard.served),
      ...WITHHELD_REASONS.map((reason) => String(shard.withheld[reason])),
      String(shard.players),
      String(shard.teams),
      newestWithAge(newestOf(shard), now),
      `${(shard.bytes / 2 ** 20).toFixed(1)} MiB`,
      ...last(shard.replicas ? `${shard.replicas.inUse} of ${shard.replicas.listed}` : "none"),
    ]),
  ]);
}
