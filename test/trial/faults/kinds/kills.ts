/** Processes that are killed at any time. */

import { statSync } from "node:fs";
import { spawnMatchbook } from "../../../support/process.ts";
import { until } from "../../../support/state.ts";
import { childrenOf, isAlive } from "../../../support/workers.ts";
import { begin, type FaultKind, PATIENCE_SECONDS } from "../kind.ts";
import type { Scene } from "../scene.ts";

const server: FaultKind = {
  name: "kill-server",
  what: "kill -9 of the server, with one process or two workers, while records are uploaded",
  async run(scene) {
    await begin(scene);
    const times = scene.random.between(1, 2);
    for (let time = 0; time < times; time++) {
      const sending = scene.send(scene.ledger.open, "upload");
      await acknowledgedMore(scene);
      const workers = childrenOf(scene.server!.pid);
      if (scene.ledger.open.length > 0) scene.hit();
      await scene.stopServer("SIGKILL");
      await sending;
      // Nobody may go on serving an address that the next server does not know of.
      await until(
        "the workers end with their supervisor",
        () => !workers.some(isAlive),
        PATIENCE_SECONDS,
      );
      await scene.startServer();
    }
    await scene.sendOpen();
  },
};

const ingester: FaultKind = {
  name: "kill-ingest",
  what: "kill -9 of `matchbook ingest`, as soon as it has stored some records or at a random time, while a server reads the same shard",
  async run(scene) {
    await begin(scene);
    const times = scene.random.between(1, 3);
    for (let time = 0; time < times; time++) {
      const lines = scene.ledger.open;
      scene.ledger.attempt(lines);
      const child = spawnMatchbook(scene.ingestArgs(lines, "-"));
      // It waits for more when it has stored these, so that the kill never comes too late.
      const before = logSize(scene);
      child.stdin.write(`${lines.join("\n")}\n`);
      // It may be killed before it has read all.
      void Promise.resolve(child.stdin.flush()).catch(() => {});
      // Later on the first records may be stored already.
      if (time > 0) await Bun.sleep(scene.random.between(100, 900));
      else await until("it stores", () => logSize(scene) !== before, PATIENCE_SECONDS);
      scene.hit();
      child.kill("SIGKILL");
      const stdout = await new Response(child.stdout).text();
      const stderr = await new Response(child.stderr).text();
      await child.exited;
      if (child.signalCode !== "SIGKILL") scene.problems.push("ingest ended before its input");
      scene.judgeIngest(lines, { exitCode: child.exitCode ?? 137, stdout, stderr });
    }
    await scene.sendOpen("command");
  },
};

/** Changes with the first transaction. */
const logSize = ({ file }: Scene): string => {
  const { size, mtimeMs } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? {};
  return `${size} ${mtimeMs}`;
};

/** Waits until some more of the records are acknowledged, and then for a random moment, but not until all of them are. */
export async function acknowledgedMore({ ledger, random }: Scene): Promise<void> {
  const [before, open] = [ledger.acknowledged.length, ledger.open.length];
  const reached = (share: number) => ledger.reached(before + Math.ceil(open * share));
  let timer: Timer | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const why = "it did not happen: records are acknowledged";
    timer = setTimeout(() => reject(new Error(why)), PATIENCE_SECONDS * 1000);
  });
  await Promise.race([reached(random.unit() / 2), tooLate]);
  clearTimeout(timer);
  // A batch is a third of them at most: when more than half are acknowledged for the first time, some are left.
  await Promise.race([Bun.sleep(random.between(0, 40)), reached(0.6)]);
}

export const KILLS = [server, ingester];
