/** Processes that are killed: at any time, and at a system call within a commit. */

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

const worker: FaultKind = {
  name: "kill-worker",
  what: "kill -9 of one or both of two workers; the supervisor replaces them",
  async run(scene) {
    await begin(scene, { server: { workers: 2 } });
    const sending = scene.send(scene.ledger.open, "upload");
    await acknowledgedMore(scene);
    const before = childrenOf(scene.server!.pid);
    const victims = before.slice(0, scene.random.between(1, before.length));
    // Connections to a killed worker are cut.
    scene.target.isDown = true;
    if (scene.ledger.open.length > 0) scene.hit();
    for (const pid of victims) process.kill(pid, "SIGKILL");
    await until(
      "the killed workers are replaced",
      () => {
        const now = childrenOf(scene.server!.pid).filter((pid) => !victims.includes(pid));
        return now.length === before.length;
      },
      PATIENCE_SECONDS,
    );
    await scene.server!.events("worker-ready", before.length + victims.length);
    scene.target.epoch += 1;
    scene.target.isDown = false;
    await sending;
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

/** The calls of a commit and of a checkpoint, with how often each happens. */
const CALLS = { pwrite64: 400, fsync: 8, ftruncate: 2, fcntl: 200 };

const commit: FaultKind = {
  name: "kill-in-commit",
  what: "kill -9 at a system call of the n-th write, sync, truncation or lock, in `ingest` or in the server",
  needs: { strace: "strace" },
  mayMiss: true,
  async run(scene) {
    const { random } = scene;
    const [call, most] = random.pick(Object.entries(CALLS));
    const at = random.between(1, most);
    scene.note(`${call} ${at}`);
    const wrap = straced(call, `signal=KILL:when=${at}`);
    if (random.share(0.5)) {
      await begin(scene);
      const { exitCode } = await scene.ingest(scene.ledger.open, wrap);
      if (exitCode >= 128) scene.hit();
    } else {
      await begin(scene, { server: { workers: 1 } });
      await scene.stopServer();
      // It may be killed before it listens.
      await scene.startServer({ workers: 1, wrap }).catch(() => {});
      // Connections may be cut at any time from now on.
      scene.target.isDown = true;
      if (scene.server) await scene.send(scene.ledger.open, "upload");
      if (!scene.isServing) scene.hit();
      await scene.stopServer(scene.hasHit ? "SIGKILL" : "SIGTERM");
      await scene.startServer();
    }
    await scene.sendOpen("mixed");
  },
};

/** A command line that runs another and changes a system call of it. */
export const straced = (call: string, injection: string): string[] => [
  ...["strace", "-D", "-f", "-qq", "-o", "/dev/null"],
  // Other calls then cost nothing; but strace delivers no signals this way.
  ...(injection.startsWith("signal") ? [] : ["--seccomp-bpf"]),
  ...["-e", `trace=${call}`, "-e", `inject=${call}:${injection}`],
];

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

export const KILLS = [server, worker, ingester, commit];
