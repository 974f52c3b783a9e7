/** Data folders for tests whose settings file says where a shard is stored. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../src/export/digest.ts";
import { loadSettings } from "../../src/settings/load.ts";
import type { Writer } from "../../src/store/store.ts";
import { demoLines } from "./demo.ts";
import { type Finished, matchbook } from "./process.ts";
import { withWriter } from "./prune.ts";
import { ingestInto } from "./world.ts";

/** Demo matches of one shard. */
export function linesOf(shard: string, matches: number, until: number): string[] {
  return demoLines(matches, until).map((line) =>
    line.replaceAll(/"shardId":"[a-z0-9-]+"/g, `"shardId":"${shard}"`),
  );
}

/** Writes a settings file with these shards; one without a URL is stored in the data folder. */
export function shardsFile(file: string, shards: Record<string, string | undefined>): string {
  const tables = Object.entries(shards).map(([id, url]) =>
    url === undefined ? `[shards.${id}]\n` : `[shards.${id}]\nurl = ${JSON.stringify(url)}\n`,
  );
  writeFileSync(file, tables.join(""));
  return file;
}

/** A data folder with the shard na at one location. */
export function homeAt(data: string, place: string): string {
  mkdirSync(data, { recursive: true });
  shardsFile(join(data, "matchbook.toml"), { na: place });
  return data;
}

/** Runs `matchbook` with the settings of such a folder. */
export function matchbookAt(data: string, args: string[], stdin?: string): Promise<Finished> {
  const whole = [...args, "--data", data, "--config", join(data, "matchbook.toml")];
  return matchbook(whole, stdin === undefined ? {} : { stdin });
}

/** The output of a command that must succeed. */
export async function doneAt(data: string, args: string[], stdin?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await matchbookAt(data, args, stdin);
  if (exitCode !== 0) throw new Error(`${args.join(" ")} ended with ${exitCode}: ${stderr}`);
  return stdout;
}

export const settingsAt = (data: string) =>
  loadSettings({ flags: { data }, env: {}, cwd: data }).values;

/** Ingests records into such a folder, without a process. All of them must be accepted. */
export async function ingestAt(data: string, lines: readonly string[]): Promise<void> {
  const documents = lines.map((line) => JSON.parse(line));
  const { rejections, conflicts } = await ingestInto(settingsAt(data), documents);
  if (rejections.length + conflicts.length > 0) throw new Error(`not accepted: ${conflicts}`);
}

/** The digest of the shard na of such a folder, without a process. */
export const digestAt = (data: string) =>
  lookInto(data, (writer) => writer.survey((contents) => digestOf(contents)));

/** Opens the shard na of such a folder. */
export const lookInto = <T>(data: string, work: (writer: Writer) => Promise<T>): Promise<T> =>
  withWriter(settingsAt(data), "na", work);
