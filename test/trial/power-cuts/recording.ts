/**
 * Records an ingest, a server with uploads, changes of keys, usage and a webhook, and another ingest: what they write, and
 * when they acknowledge.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { FEATURES } from "../../../src/features/list.ts";
import { AUTHORIZATION, TOKEN } from "../../support/admin.ts";
import type { Chance } from "../../support/chance.ts";
import { DiskModel } from "../../support/disk-model.ts";
import { asProcess, startServerProcess } from "../../support/process.ts";
import { aMatch, type MatchDocument } from "../../support/records.ts";
import {
  type Call,
  endRecorded,
  type Recorder,
  recorder,
  sends,
} from "../../support/system-calls.ts";
import { JSON_API } from "../../support/world.ts";

/** Something that the program said is done. Replacements and revocations make earlier ones obsolete. */
export type Acknowledged = { moment: number } & (
  | { match: string; version: number }
  | { key: string; isRevoked: boolean }
);

export interface Recording {
  /** The disk before the first call. */
  model: DiskModel;
  calls: Call[];
  acknowledged: Acknowledged[];
  /** Every version of every match that was sent, by id. */
  sent: Map<string, MatchDocument[]>;
}

const MATCHES = 72;
const PLAYERS = 12;
/** Few records, so that there are many transactions: more than 8 MiB of WAL, after which SQLite copies it. */
const BATCH = 2;

/** An upload or ingest, with the version of each match in it. */
type Batch = { match: string; version: number }[];

/** `folder` must be empty. The data folder is `disk/data` in it. */
export async function record(folder: string, random: Chance): Promise<Recording> {
  const disk = join(folder, "disk");
  mkdirSync(disk);
  const sent = new Map<string, MatchDocument[]>();
  const recording: Recording = { model: new DiskModel(disk), calls: [], acknowledged: [], sent };
  const matches = Array.from({ length: MATCHES }, (_, index) => `match-${index}`);
  for (const id of matches) sent.set(id, [aRecord(id, random)]);
  const asBatch = (some: string[], version = 0): Batch => some.map((match) => ({ match, version }));

  await ingest(recording, folder, asBatch(matches.slice(0, 12)));
  const again = matches.slice(0, 20).filter(() => random.unit() < 0.5);
  for (const id of again) sent.get(id)!.push(aRecord(id, random));
  await serve(recording, folder, [
    ...inParts(asBatch(matches.slice(12, 60)), random),
    ...inParts(asBatch(again, 1), random),
  ]);
  await ingest(recording, folder, asBatch(matches.slice(60)));
  return recording;
}

/** A match of some of the same few players, so that later ones change their records. */
function aRecord(id: string, random: Chance): MatchDocument {
  const some = () =>
    Array.from({ length: 3 }, () => ({ id: `player-${random.between(0, PLAYERS - 1)}` }));
  const [left, right] = [some(), some()].map((members) => distinct(members));
  return aMatch({
    id,
    winner: random.pick([0, 1] as const),
    rosters: [
      { members: left! },
      { members: right!.filter((one) => !left!.some((other) => other.id === one.id)) },
    ],
    attributes: { duration: random.between(300, 3000) },
  });
}

const distinct = (members: { id: string }[]) => [
  ...new Map(members.map((one) => [one.id, one])).values(),
];

function inParts(batch: Batch, random: Chance): Batch[] {
  const parts: Batch[] = [];
  for (let at = 0; at < batch.length; ) {
    const size = random.between(1, 8);
    parts.push(batch.slice(at, at + size));
    at += size;
  }
  return parts;
}

const textOf = ({ sent }: Recording, batch: Batch) =>
  batch.map(({ match, version }) => JSON.stringify(sent.get(match)![version])).join("\n");

const dataIn = (folder: string) => join(folder, "disk/data");

async function ingest(recording: Recording, folder: string, batch: Batch): Promise<void> {
  const tape = recorder(folder);
  const args = ["ingest", "-", "--json", "--data", dataIn(folder), "--batch", `${BATCH}`];
  const stdin = textOf(recording, batch);
  const { exitCode, stderr } = await asProcess(args, { program: tape.program, stdin });
  if (exitCode !== 0) throw new Error(stderr);
  const acknowledge = append(recording, tape);
  for (const one of batch) acknowledge('"stored"', one);
}

/** To a receiver that does not listen: the server writes the progress of a hook that fails. */
async function addHook(recording: Recording, folder: string): Promise<void> {
  const run = async (...args: string[]) => {
    const tape = recorder(folder);
    const all = [...args, "--data", dataIn(folder)];
    const env = { MATCHBOOK_HOOKS: "private" };
    const { exitCode, stdout, stderr } = await asProcess(all, { program: tape.program, env });
    if (exitCode !== 0) throw new Error(stderr);
    append(recording, tape);
    return stdout;
  };
  await run("keys", "create", "--name", "hooks");
  const [key] = JSON.parse(await run("keys", "list", "--json"));
  await run("hooks", "add", "--key", key.id, "--url", "http://127.0.0.1:9/");
}

/** Uploads, two at a time, and changes of keys meanwhile. */
async function serve(recording: Recording, folder: string, batches: Batch[]): Promise<void> {
  if (FEATURES.some(({ operated }) => operated)) await addHook(recording, folder);
  const tape = recorder(folder);
  const server = await startServerProcess(
    [
      ...["--data", dataIn(folder), "--batch", `${BATCH}`, "--admin-port", "0"],
      ...["--hooks", "private", "--log-level", "silent"],
    ],
    { program: tape.program, cwd: folder, env: { MATCHBOOK_ADMIN_TOKEN: TOKEN } },
  );
  const adminUrl = await server.saying(/^admin listener on (http:\S+)\n/m);
  /** What a response acknowledged, by the id of its request, which it contains. */
  const promised: [request: string, what: Batch[number] | { key: string; isRevoked: boolean }][] =
    [];
  const post = async (path: string, body: string) => {
    const sent = { method: "POST", headers: AUTHORIZATION, body };
    const response = await fetch(`${adminUrl}${path}`, sent);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return { request: response.headers.get("x-request-id")!, content: JSON.parse(text) };
  };
  const changeKeys = async (name: string) => {
    const { request, content } = await post("/keys", JSON.stringify({ name }));
    const { key, record: made } = content;
    promised.push([request, { key, isRevoked: false }]);
    const headers = { Authorization: `Bearer ${key}`, Accept: JSON_API };
    await fetch(`${server.url}/shards/na/matches`, { headers });
    if (promised.length % 2 === 0) return;
    const revoked = await post(`/keys/${made.id}/revoke`, "");
    promised.push([revoked.request, { key, isRevoked: true }]);
  };
  const upload = async (batch: Batch) => {
    const { request } = await post("/ingest?replace=true", textOf(recording, batch));
    for (const one of batch) promised.push([request, one]);
  };
  for (let at = 0; at < batches.length; at += 2) {
    const tasks = batches.slice(at, at + 2).map(upload);
    await Promise.all([...tasks, changeKeys(`key ${at}`)]);
  }
  await endRecorded(server.child);
  const acknowledge = append(recording, tape);
  for (const [request, what] of promised) acknowledge(request, what);
}

/** Adds the calls of a process that ran after the others. */
function append({ calls, acknowledged }: Recording, tape: Recorder) {
  const start = (calls.at(-1)?.to ?? 0) + 1;
  const added = tape.calls().map((call) => ({
    ...call,
    from: call.from + start,
    to: call.to + start,
    moment: call.moment + start,
  }));
  calls.push(...added);
  return (
    text: string,
    what: { match: string; version: number } | { key: string; isRevoked: boolean },
  ) => {
    acknowledged.push({ moment: sends(added, text).moment, ...what });
  };
}
