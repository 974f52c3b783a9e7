/** Shared by these tests: a server with demo records, and programs that run other clients. */

import { describe, expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { demoDocuments } from "../../src/demo/demo.ts";
import { skipWithout } from "../support/needs.ts";
import { runProgram } from "../support/process.ts";
import { aMatch, minutesAgo } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";

const FOLDER = import.meta.dir;
const PACKAGES = "the packages of test/interop (npm ci --prefix test/interop)";

/** Tests that need the packages of this folder; without them they are skipped. */
export function withPackages(name: string, tests: () => void): void {
  if (existsSync(join(FOLDER, "node_modules/.package-lock.json"))) describe(name, tests);
  else skipWithout(PACKAGES, () => describe(name, tests));
}

const MATCHES = 40;

/** The newest match: two of its four participants are bots. */
export const MATCH = "a-match-with-a-bot";
export const PLAYER = { id: "player-ada", name: "Ada + Größte" };

/** A server with matches in the shard na: demo records, and a newest one that is always the same. */
export function startDemo(flags: Record<string, string> = {}): Promise<World> {
  const until = Date.now() - 60_000;
  const demo = demoDocuments({ matches: MATCHES, seed: 1, until, shards: ["na"] });
  const newest = aMatch({
    id: MATCH,
    createdAt: minutesAgo(0.5),
    rosters: [
      { members: [PLAYER, { bot: true }], team: { id: "team-abc", name: "ABC" } },
      { members: [{ id: "player-b", name: "Grace" }, { bot: true }] },
    ],
  });
  return startWorld([...demo, newest], flags);
}

interface Linked {
  type: string;
  id: string;
  attributes: Record<string, unknown>;
  relationships?: Record<string, { data: Linked | Linked[] | null }>;
}

/** The matches of a document, each with the names of its players; null stands for a bot. */
export function matchesIn(body: { data: Linked | Linked[]; included: Linked[] }) {
  const linked = (from: Linked, name: string): Linked[] =>
    [from.relationships?.[name]?.data ?? []]
      .flat()
      .map(({ type, id }) => body.included.find((one) => one.type === type && one.id === id)!);
  return [body.data].flat().map((match) => ({
    id: match.id,
    createdAt: match.attributes.createdAt,
    players: linked(match, "rosters")
      .flatMap((roster) => linked(roster, "participants"))
      .map((participant) => linked(participant, "player")[0]?.attributes.name ?? null),
  }));
}

/** Runs a command, which must succeed, and returns its output. */
export async function run(
  command: string[],
  cwd: string,
  facts: Record<string, string> = {},
): Promise<string> {
  const ended = await runProgram(command, { cwd, env: { PATH: process.env.PATH, ...facts } });
  expect(ended).toMatchObject({ exitCode: 0 });
  return ended.stdout;
}

/** What a program prints about a server, as JSON. Unless it has a path, it is one of the folder programs. */
export async function seenBy(
  command: string[],
  { url, key }: Pick<World, "url" | "key">,
  facts: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: each program prints what its test looks into.
): Promise<any> {
  const known = { BASE: url, KEY: key, ...facts };
  return JSON.parse(await run(command, join(FOLDER, "programs"), known));
}
