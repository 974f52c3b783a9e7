/** `matchbook status`: prints where each shard is stored and what it contains. */

import { formatTimestamp } from "../domain/time.ts";
import { WITHHELD_REASONS, type WithheldReason } from "../domain/visibility.ts";
import { locationOf } from "../open-stores.ts";
import { showLocation } from "../settings/shard-locations.ts";
import type { Shards } from "../store/shards.ts";
import { DamagedShard, StoreError } from "../store/store.ts";
import { describeError } from "../text/system-errors.ts";
import { defineCommand } from "./command.ts";
import { noShardsYet, withShards } from "./shard-store.ts";
import { age, table } from "./table.ts";

export const status = defineCommand({
  name: "status",
  description:
    "print what each shard contains and where: served and withheld matches, players, newest match, size on disk, location.\n" +
    "Columns with a minus count withheld matches by the rule that withholds them.\n" +
    "Exit code 1: a shard cannot be read, or is not served because a verify has found damage.",
  json: "print one JSON object by shard id",
  examples: { "matchbook status --json": "print JSON" },
  async run({ settings }) {
    const found: Record<string, ShardStatus> = {};
    await withShards(settings, async (shards) => {
      for (const id of await shards.list()) {
        const location = locationOf(settings, id);
        const { engine } = location;
        const shown = showLocation(location);
        found[id] = { engine, location: shown, ...(await readShard(shards, id, shown)) };
      }
    });
    const problems = Object.entries(found).flatMap(([id, { problem }]) =>
      problem === null ? [] : [`${id}: ${problem}`],
    );
    if (problems.length > 0) process.exitCode = 1;
    return {
      json: found,
      text: Object.keys(found).length > 0 ? asTable(found, Date.now()) : "",
      none: noShardsYet(settings, "create them with 'matchbook ingest'"),
      notes: problems,
    };
  },
});

type ShardStatus = Awaited<ReturnType<typeof readShard>> & {
  engine: "sqlite" | "postgres";
  /** Without user and password. */
  location: string;
};

/** Without counts if the shard cannot be read, or has no records yet. */
async function readShard(shards: Shards, id: string, location: string) {
  try {
    const writer = await shards.existingWriter(id);
    if (!writer) return { problem: null };
    const { newestMatch, ...numbers } = await writer.counts();
    const { verdict } = await writer.findings();
    return {
      problem: verdict?.damaged ? new DamagedShard(location, verdict).message : null,
      ...numbers,
      newestMatch: newestMatch === undefined ? null : formatTimestamp(newestMatch),
    };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { problem: describeError(error) };
  }
}

/** Short column heads, because rows are long. */
const HEADS: Record<WithheldReason, string> = {
  "game-mode": "-MODE",
  ending: "-ENDING",
  "no-ranked-player": "-UNRANKED",
};

function asTable(found: Readonly<Record<string, ShardStatus>>, now: number): string {
  const head = ["SHARD", "SERVED", ...WITHHELD_REASONS.map((reason) => HEADS[reason])];
  head.push("PLAYERS", "TEAMS", "NEWEST MATCH", "SIZE", "LOCATION");
  const rows = Object.entries(found).map(([id, shard]) => {
    if (!("served" in shard)) {
      const cells = head.slice(2, -1).map(() => "");
      return [id, shard.problem === null ? "none yet" : "cannot be read", ...cells, shard.location];
    }
    const { served, withheld, players, teams, newestMatch, bytes } = shard;
    return [
      id,
      String(served),
      ...WITHHELD_REASONS.map((reason) => String(withheld[reason])),
      String(players),
      String(teams),
      newestMatch === null ? "none" : `${newestMatch} (${age(now - Date.parse(newestMatch))})`,
      `${(bytes / 2 ** 20).toFixed(1)} MiB`,
      shard.location,
    ];
  });
  return table([head, ...rows]);
}
