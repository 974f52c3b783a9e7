/** In charge of `matchbook shards digest`. */

import type { Command } from "commander";
import { type Digest, digestOf } from "../../move/digest.ts";
import type { Keeper } from "../../store/store.ts";
import { startProgress } from "../progress.ts";
import { columns, print, settingsOf, withExamples, withSettings } from "../verb.ts";
import { keeperOf, withShards } from "./open.ts";

export function addDigest(group: Command): void {
  const command = group
    .command("digest")
    .description(
      "print a SHA-256 over everything that a shard serves, and how much that is.\n" +
        "Equal records give the same one on every engine. Reading and ingest go on meanwhile.",
    )
    .argument("<shard>", "the shard's id")
    .option("--json", "print one JSON object")
    .action(async (shard: string, flags: { json?: true }) => {
      const digest = await withShards(settingsOf(command).values, async (shards) =>
        digestWithProgress(await keeperOf(shards, shard)),
      );
      print(flags.json ? JSON.stringify({ shard, ...digest }) : asTable(digest));
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook shards digest na", "see whether two places serve the same"],
    ["matchbook shards digest na --json | jq -r .digest", "the digest alone"],
  ]);
}

async function digestWithProgress(keeper: Keeper): Promise<Digest> {
  const { served, players, teams } = await keeper.counts();
  const progress = startProgress("digest", served + players + teams);
  try {
    return await keeper.survey((holdings) =>
      digestOf(holdings, (counted) =>
        progress.update(counted.matches + counted.players + counted.teams, counted.matches),
      ),
    );
  } finally {
    progress.stop();
  }
}

function asTable(digest: Digest): string {
  return columns(Object.entries(digest).map(([name, value]) => [name, String(value)]));
}
