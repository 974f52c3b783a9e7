/** In charge of `matchbook shards list`. */

import type { Command } from "commander";
import { formatTimestamp } from "../../domain/time.ts";
import { type ShardLocation, showLocation } from "../../settings/shard-locations.ts";
import type { Shards } from "../../store/shards.ts";
import { StoreError } from "../../store/store.ts";
import { locationOf } from "../../wiring.ts";
import { inWords } from "../refused.ts";
import { rightAligned } from "../table.ts";
import { age, columns, note, print, settingsOf, withExamples, withSettings } from "../verb.ts";
import { withShards } from "./open.ts";

export function addList(group: Command): void {
  const command = group
    .command("list")
    .description(
      "list the shards: where each lives, how many matches it serves, and its newest match.\n" +
        "Exit 1: at least one of them cannot be read.",
    )
    .option("--json", "print one JSON object: shard id to what is known of it")
    .action(async (flags: { json?: true }) => {
      const settings = settingsOf(command).values;
      const found = await withShards(settings, async (shards) => {
        const listed = new Map<string, Listed>();
        for (const id of await shards.list()) {
          listed.set(id, await look(shards, id, locationOf(settings, id)));
        }
        return listed;
      });
      if (flags.json) print(JSON.stringify(Object.fromEntries(found)));
      else if (found.size === 0) note(`No shards in ${settings.data} yet: ingest makes them.`);
      else print(asTable(found, Date.now()));
      for (const [id, { problem }] of found) {
        if (problem === null) continue;
        note(`${id}: ${problem}`);
        process.exitCode = 1;
      }
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook shards list", "a table"],
    ["matchbook shards list --json", "the same for a program"],
  ]);
}

interface Listed {
  engine: ShardLocation["engine"];
  /** Without user and password. */
  place: string;
  /** Null when the shard cannot be read. */
  matches: number | null;
  newestMatch: string | null;
  problem: string | null;
}

async function look(shards: Shards, id: string, location: ShardLocation): Promise<Listed> {
  const listed = { engine: location.engine, place: showLocation(location) };
  try {
    const summary = await (await shards.reader(id))?.summary();
    const newest = summary?.newestMatch;
    return {
      ...listed,
      matches: summary?.matches ?? 0,
      newestMatch: newest === undefined ? null : formatTimestamp(newest),
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { ...listed, matches: null, newestMatch: null, problem: inWords(error) };
  }
}

const HEADS = ["SHARD", "ENGINE", "MATCHES", "NEWEST MATCH", "PLACE"];

function asTable(found: ReadonlyMap<string, Listed>, now: number): string {
  const rows = [...found].map(([id, { engine, place, matches, newestMatch }]) => [
    id,
    engine,
    matches === null ? "?" : String(matches),
    matches === null ? "cannot be read" : inTime(newestMatch, now),
    place,
  ]);
  return columns(rightAligned([HEADS, ...rows], [HEADS.indexOf("MATCHES")]));
}

function inTime(newest: string | null, now: number): string {
  return newest === null ? "none" : `${newest} (${age(now - Date.parse(newest))})`;
}
