/**
 * Cuts the power at random moments of a recording. What was synced before is there, of everything else nothing or a random
 * part; then the program must serve every acknowledged record with the right values, accept acknowledged keys, and find no
 * damage. Usage and webhooks promise less, but no file of SQLite may be written before its log is synced.
 */

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { JsonObject } from "../../../src/domain/json.ts";
import { FEATURES } from "../../../src/features/list.ts";
import { unobserved } from "../../../src/observe/events.ts";
import { openAccess } from "../../../src/open-access.ts";
import { loadSettings } from "../../../src/settings/load.ts";
import { serve } from "../../../src/wiring.ts";
import { entryOf } from "../../model/entry.ts";
import type { Thing } from "../../model/record.ts";
import { Chance } from "../../support/chance.ts";
import { luckOf, WORST } from "../../support/disk-model.ts";
import { canRecord } from "../../support/system-calls.ts";
import { verified } from "../../support/verify.ts";
import { aFolder, getAs } from "../../support/world.ts";
import { changeIn } from "../ledger.ts";
import { Misuse, type Trial } from "../trial.ts";
import { type Acknowledged, type Recording, record } from "./recording.ts";

export const POWER_CUTS: Trial = {
  what: "the power is cut at random moments of recorded commands and servers",
  help: `Records ingest, uploads and changes of keys, cuts the power at random moments of each recording, and compares what is
served afterwards with what was acknowledged. Recordings differ from run to run, because the processes are not slowed down
to a fixed order; the seed chooses the records and the moments.`,
  usually: "4 recordings",
  options: {
    recordings: { takes: "number", help: "recordings, instead of a time" },
    cuts: { takes: "number", help: "power cuts of each (default: 50)" },
  },
  async run(given) {
    if (!canRecord()) {
      throw new Misuse("strace cannot observe processes: apt-get install strace, and allow ptrace");
    }
    const [recordings, cuts] = [given.number("recordings") ?? 4, given.number("cuts") ?? 50];
    const began = performance.now();
    const total = { cuts: 0, acknowledged: 0, compared: 0, lost: 0, wrong: 0 };
    const names = Object.keys(total) as (keyof typeof total)[];
    for (let at = 0; given.goesOn(began, at < recordings); at++) {
      const found = await powerCuts(given.seed + at, cuts);
      for (const name of names) total[name] += found[name];
      console.log(
        `seed ${given.seed + at}: ${names.map((name) => `${found[name]} ${name}`).join(", ")}`,
      );
      for (const problem of found.problems.slice(0, 10)) console.log(`  ${problem}`);
    }
    console.log(`all: ${names.map((name) => `${total[name]} ${name}`).join(", ")}`);
    return total.lost + total.wrong === 0;
  },
};

/** Makes one recording, and cuts the power this often. A folder with a problem is kept, and named. */
export async function powerCuts(seed: number, cuts: number) {
  const random = new Chance(seed);
  const folder = aFolder();
  const counts = { ...nothingFound(), cuts };
  try {
    const recording = await record(folder.path, random);
    let played = 0;
    for (const { moment, isWorst } of momentsOf(recording, cuts, random)) {
      const { calls, model } = recording;
      const next = calls.findIndex((call) => call.moment >= moment);
      const end = next === -1 ? calls.length : next;
      model.play(calls.slice(played, end));
      played = Math.max(played, end);
      const left = aFolder();
      const luck = isWorst ? WORST : luckOf(() => random.unit());
      model.cut(left.path, luck);
      const found = await check(join(left.path, "data"), recording, moment);
      for (const name of ["acknowledged", "lost", "wrong", "compared"] as const) {
        counts[name] += found[name];
      }
      counts.problems.push(
        ...found.problems.map((problem) => `cut at ${moment}: ${problem} (kept: ${left.path})`),
      );
      if (found.problems.length === 0) left.remove();
    }
    const { calls, model } = recording;
    model.play(calls.slice(played));
    const mistakes = [...model.mistakes, ...neverWritten(recording)];
    counts.wrong += mistakes.length;
    counts.problems.push(...mistakes);
  } finally {
    folder.remove();
  }
  return counts;
}

/** Files whose log was not written or not copied into them: then nothing says whether that is done in a safe order. */
function neverWritten({ calls }: Recording): string[] {
  const written = calls.filter(({ name }) => name === "pwrite64").map(({ path }) => basename(path));
  const ofFeatures = FEATURES.flatMap(({ operated }) => operated?.tables.file ?? []);
  return ["na.db", "access.sqlite", "usage.sqlite", ...ofFeatures]
    .flatMap((file) => [file, `${file}-wal`])
    .filter((name) => !written.includes(name))
    .map((name) => `${name} was not written`);
}

interface Moment {
  moment: number;
  /** Nothing is kept that was not synced. */
  isWorst: boolean;
}

/**
 * In ascending order: a third right after an acknowledgement of a key or of a match, with the worst luck, a third anywhere,
 * and the others around a sync or an acknowledgement.
 */
function momentsOf({ calls, acknowledged }: Recording, cuts: number, random: Chance): Moment[] {
  const turns = [
    ...calls.filter(({ name }) => name.endsWith("sync")).map(({ to }) => to),
    ...acknowledged.map(({ moment }) => moment),
  ];
  const promised = (what: "key" | "match") => acknowledged.filter((one) => what in one);
  const moments = Array.from({ length: cuts }, (_, at): Moment => {
    if (at % 3 === 0) {
      const { moment } = random.pick(promised(at % 2 === 0 ? "key" : "match"));
      return { moment: moment + 1, isWorst: true };
    }
    const isAnywhere = at % 3 === 1;
    const moment = isAnywhere
      ? random.pick(calls).moment
      : random.pick(turns) + random.between(-1, 1);
    return { moment, isWorst: false };
  });
  return moments.sort((one, other) => one.moment - other.moment);
}

type Found = ReturnType<typeof nothingFound>;
const nothingFound = () => ({
  /** Records and keys that were acknowledged before a cut, over all cuts. */
  acknowledged: 0,
  /** Of these, those that were not there after it. */
  lost: 0,
  /** Values that were never sent or are older than acknowledged, and damage. */
  wrong: 0,
  /** Responses that were compared with what was sent. */
  compared: 0,
  problems: [] as string[],
});

/** Opens what is left with the program. */
async function check(data: string, recording: Recording, moment: number): Promise<Found> {
  const before = recording.acknowledged.filter((one) => one.moment < moment);
  const found: Found = { ...nothingFound(), acknowledged: before.length };
  if (!existsSync(data)) {
    found.lost = before.length;
    if (before.length > 0) found.problems.push("the data folder is lost");
    return found;
  }
  try {
    await checkServed(data, recording, before, found);
  } catch (error) {
    found.wrong += 1;
    found.problems.push(`it cannot be opened: ${(error as Error).message}`);
  }
  return found;
}

async function checkServed(
  data: string,
  { sent, acknowledged: all }: Recording,
  acknowledged: readonly Acknowledged[],
  found: Found,
): Promise<void> {
  const flags = { data, port: "0", "log-level": "silent", rate: "1000000", "drain-ms": "0" };
  const settings = loadSettings({ flags, env: {}, cwd: data }).values;
  const access = openAccess(settings);
  const { key: ownKey } = await access.keys.create({ name: "check" }, Date.now());
  // Their files may have lost the last changes, but can be read.
  for (const database of access.features.values()) await database.rows("SELECT 1");
  await access.close();
  if (existsSync(join(data, "na.db"))) {
    const damage = (await verified(settings, "na")).damage;
    found.wrong += damage.length;
    found.problems.push(...damage.map(({ table, record }) => `damaged: ${table} ${record}`));
  }
  const server = await serve(settings, unobserved);
  const get = (path: string, key = ownKey) => {
    found.compared += 1;
    return getAs({ url: server.url, key }, path);
  };
  try {
    const versions = new Map<string, number>();
    const keys = new Map<string, boolean>();
    for (const one of acknowledged) {
      if ("match" in one)
        versions.set(one.match, Math.max(one.version, versions.get(one.match) ?? 0));
      else keys.set(one.key, one.isRevoked || keys.get(one.key) === true);
    }
    const revoked = new Set(all.flatMap((one) => ("key" in one && one.isRevoked ? [one.key] : [])));
    for (const [id, documents] of sent) {
      const { status, body } = await get(`/shards/na/matches/${id}`);
      const least = versions.get(id);
      if (status === 404) {
        if (least === undefined) continue;
        found.lost += 1;
        found.problems.push(`${id} was acknowledged and is not there`);
      } else if (status !== 200 || !isOneOf(documents.slice(least ?? 0), body)) {
        found.wrong += 1;
        found.problems.push(`${id} is not served as it was sent: ${status}`);
      }
    }
    for (const [key, isRevoked] of keys) {
      const { status } = await get("/usage", key);
      // A revocation that was not acknowledged may be stored already.
      const mayBeRevoked = isRevoked || revoked.has(key);
      if ((status === 200 && !isRevoked) || (status === 401 && mayBeRevoked)) continue;
      found.lost += 1;
      found.problems.push(`a key that was ${isRevoked ? "revoked" : "created"} gets ${status}`);
    }
  } finally {
    await server.stop("test");
  }
}

const isOneOf = (documents: readonly Thing[], body: JsonObject): boolean =>
  documents.some((one) => changeIn(entryOf(one), body) === undefined);
