/**
 * What must hold after a run, when nothing is written any more: every acknowledged record is stored and served as it
 * was sent, nothing else is, and everything that is derived from records equals a store that never saw a fault.
 */

import type { JsonObject } from "../../../src/domain/json.ts";
import { Chance } from "../../support/chance.ts";
import { matchbook } from "../../support/process.ts";
import { until } from "../../support/state.ts";
import { getAs, startWorld, type World } from "../../support/world.ts";
import type { Scene } from "./scene.ts";

const WHOLE = "filter[createdAt-start]=2000-01-01T00:00:00Z&sort=createdAt";
const DERIVED = [
  "/players",
  "/heroes",
  "/leaderboards/skill-tier",
  "/leaderboards/ranked-wins",
  "/leaderboards/win-rate",
  "/leaderboards/win-streak",
];
const PLAYERS = 8;
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
  await verify(scene);
  const faultless = await startWorld(
    stored.flatMap((id) => JSON.parse(ledger.record(id)?.line ?? "[]")),
    { "matches-per-day": "0" },
  );
  try {
    await compareDigests(scene, faultless);
    if (scene.server) await compareServed(scene, faultless);
  } finally {
    await faultless.stop();
  }
}

async function verify(scene: Scene): Promise<void> {
  const { exitCode, stdout, stderr } = await scene.command(["verify", "na", "--full-speed"]);
  if (exitCode !== 0) scene.problems.push(`verify after the recovery: ${stdout}${stderr}`);
}

async function compareDigests(scene: Scene, faultless: World): Promise<void> {
  const args = ["shards", "digest", "na", "--json"];
  const here = await scene.command(args);
  const there = await matchbook([...args, "--data", faultless.data]);
  if (here.stdout !== there.stdout || here.exitCode !== 0) {
    const sides = `${here.stdout}${here.stderr} instead of ${there.stdout}${there.stderr}`;
    scene.ledger.wrong.push(`the digest differs from a store without faults: ${sides}`);
  }
}

type Page = JsonObject & { data: JsonObject[]; links: { next?: string } };

/** Everything that is served, against a server without faults. */
async function compareServed(scene: Scene, faultless: World): Promise<void> {
  const { ledger, readers, target } = scene;
  await until(
    "the shard is served after the recovery",
    async () => (await getAs(target, "/shards/na/players")).status === 200,
    NOTICE_SECONDS,
  );
  const players = new Set<string>();
  const end = encodeURIComponent(new Date().toISOString());
  let path = `/shards/na/matches?${WHOLE}&filter[createdAt-end]=${end}`;
  for (;;) {
    const expected = (await getAs(faultless, path)).body as Page;
    await readers.get(path, (_, body) => {
      ledger.judgeMatches(body);
      if (!Bun.deepEquals([body.data, body.included], [expected.data, expected.included])) {
        ledger.wrong.push(`${path}: differs from a store without faults`);
      }
    });
    for (const { type, id } of expected.included as JsonObject[]) {
      if (type === "player") players.add(id as string);
    }
    if (expected.links.next === undefined) break;
    path = expected.links.next.slice(faultless.url.length);
  }
  const random = new Chance(scene.seed, 99);
  const some = Array.from({ length: PLAYERS }, () => random.pick([...players]));
  for (const derived of [...DERIVED, ...some.map((id) => `/players/${id}`)]) {
    ledger.compared += 1;
    const isSame = async () => {
      const both = [target, faultless].map((one) => getAs(one, `/shards/na${derived}`));
      const [here, there] = await Promise.all(both);
      return Bun.deepEquals(here!.body.data, there!.body.data);
    };
    if (await isSame()) continue;
    // A match may have left the period of 28 days between the two, and PostgreSQL's hero statistics may be a second old.
    await Bun.sleep(STATISTICS_AGE_MS);
    if (!(await isSame())) ledger.wrong.push(`${derived}: differs from a store without faults`);
  }
  await checkWithheld(scene);
}

/** Records that must not be served get the same response as unknown ones. */
async function checkWithheld(scene: Scene): Promise<void> {
  const { ledger, readers } = scene;
  const withheld = ledger.acknowledged.filter((id) => ledger.record(id)?.isServed === "no");
  for (const id of withheld.slice(0, 5)) {
    await readers.get(`/shards/na/matches/${id}`, (status, body) =>
      ledger.judgeMatch(id, performance.now(), status, body),
    );
  }
}
