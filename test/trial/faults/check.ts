/**
 * What must hold after a run, when nothing is written any more: every acknowledged record is stored, nothing else is,
 * verify finds no damage, and everything that is served is what the model says of the stored records.
 */

import { ChangeLog } from "../../model/change-log.ts";
import { difference, expectedOf, type Question } from "../../model/question.ts";
import { Questions } from "../../model/questions.ts";
import type { Thing } from "../../model/record.ts";
import { State } from "../../model/state.ts";
import { Chance } from "../../support/chance.ts";
import { until } from "../../support/state.ts";
import { getAs } from "../../support/world.ts";
import { DEPTH, type Scene } from "./scene.ts";

/** Of any kind, besides those for every match. */
const QUESTIONS = 150;
/** PostgreSQL's hero statistics may be so old. */
const STATISTICS_AGE_MS = 1500;
/** A server notices a new file within a second, and the machine may be busy. */
const NOTICE_SECONDS = 120;

/** The ids in the store, by `matchbook export`; undefined when it says that the store cannot be read. */
export async function storedIds(scene: Scene): Promise<string[] | undefined> {
  const { exitCode, stdout } = await scene.command(["export", "na"]);
  if (exitCode !== 0) return undefined;
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line).data.id as string);
}

export async function check(scene: Scene): Promise<void> {
  const { ledger, problems } = scene;
  ledger.mayLack = false;
  const stored = await storedIds(scene);
  if (!stored) {
    problems.push("the shard cannot be exported after the recovery");
    return;
  }
  const there = new Set(stored);
  for (const id of stored) {
    if (!ledger.isAttempted(id)) ledger.wrong.push(`${id}: stored, but never sent`);
  }
  for (const id of ledger.acknowledged) {
    if (!there.has(id)) ledger.lost.push(`${id}: acknowledged, but not stored`);
  }
  const { exitCode, stdout, stderr } = await scene.command(["verify", "na", "--full-speed"]);
  if (exitCode !== 0) problems.push(`verify after the recovery: ${stdout}${stderr}`);
  if (scene.server) await compareServed(scene, stored);
}

async function compareServed(scene: Scene, stored: readonly string[]): Promise<void> {
  const { ledger, readers, target } = scene;
  await until(
    "the shard is served after the recovery",
    async () => (await getAs(target, "/shards/na/players")).status === 200,
    NOTICE_SECONDS,
  );
  await Bun.sleep(STATISTICS_AGE_MS);
  const documents = stored.flatMap((id) => ledger.record(id)?.line ?? []);
  const state = State.of(documents.map((line): Thing => JSON.parse(line)));
  const questions = new Questions(new Chance(scene.seed, 99), new ChangeLog(), DEPTH, false);
  const isAsked = ({ kind, needsLog }: Question) => !needsLog && !kind.startsWith("wrong");
  const asked = [
    ...stored.map((id) => Questions.single(id, "match by id")),
    ...Array.from({ length: QUESTIONS }, () => questions.next(state)).filter(isAsked),
  ];
  for (const question of asked) {
    await readers.get(question.path, (status, body) => {
      ledger.compared += 1;
      const [expected] = expectedOf(question, state, body);
      const differs = difference(expected!, status, body);
      if (differs !== undefined) ledger.wrong.push(`${question.path}: ${differs}`);
    });
  }
}
