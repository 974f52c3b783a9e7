/** `matchbook compact`: gives the free space of a shard back to the disk. */

import { type AddCommand, print, settingsOf, withExamples, withSettings } from "./command.ts";
import { startProgress } from "./progress.ts";
import { existingShard, withShards } from "./shard-store.ts";
import { table } from "./table.ts";

export const compact: AddCommand = (program) => {
  const command = program
    .command("compact")
    .summary("give the free space of a shard back to the disk")
    .description(
      "give the space that removed records have left behind back to the disk; without this, it is used for new records.\n" +
        "Servers and ingest may run meanwhile. It can be interrupted: the next run continues.\n" +
        "SQLite: free pages are cut off in small steps. PostgreSQL: VACUUM of each table, which gives back free space at its end.\n" +
        "Exit codes: 1 the shard could not be compacted; 2 wrong usage.",
    )
    .argument("<shard>", "shard id")
    .option(
      "--full",
      "SQLite: rewrite the whole file; ingest waits meanwhile, and the disk needs twice its size",
    )
    .option("--json", "print one JSON object: shard, and its bytes before and after")
    .action(async (shard: string, flags: { full?: true; json?: true }) => {
      const settings = settingsOf(command).values;
      const compactIn = async (shards: Parameters<typeof existingShard>[0]) => {
        const writer = await existingShard(shards, shard);
        const { bytes: before } = await writer.counts();
        let progress: ReturnType<typeof startProgress> | undefined;
        try {
          await writer.compact(flags.full === true, (done, total) => {
            progress ??= startProgress(`compact ${shard}`, total, "steps");
            progress.update(done, done);
          });
        } finally {
          progress?.stop();
        }
        return { shard, before, after: (await writer.counts()).bytes };
      };
      const sizes = await withShards(settings, compactIn, "write");
      print(flags.json ? JSON.stringify(sizes) : asTable(sizes));
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook compact na", "give free space back"],
    ["matchbook compact na --full", "rewrite the whole file"],
  ]);
};

const asTable = ({ before, after }: { before: number; after: number }): string =>
  table([
    ["before", `${before} bytes`],
    ["after", `${after} bytes`],
  ]);
