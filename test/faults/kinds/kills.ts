/** Processes that are killed: at any time, and at a system call within a commit. */

import { spawnMatchbook } from "../../support/process.ts";
import { until } from "../../support/state.ts";
import { childrenOf, isAlive } from "../../support/workers.ts";
import { begin, type FaultKind, PATIENCE_SECONDS } from "../kind.ts";
import type { Scene } from "../scene.ts";

const server: FaultKind = {
  name: "kill-server",
  what: "kill -9 of the server, with one process or two workers, while records are uploaded",
  async run(scene) {
    await begin(scene);
    const times = scene.random.int(1, 2);
    for (let time = 0; time < times; time++) {
      const sending = scene.send(scene.ledger.open, "upload");
      await acknowledgedMore(scene);
      await Bun.sleep(scene.random.int(0, 40));
      const workers = childrenOf(scene.server!.pid);
      await scene.stopServer("SIGKILL");
      scene.hasHit = true;
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
    const victims = before.slice(0, scene.random.int(1, before.length));
    // Connections to a killed worker are cut.
    scene.target.isDown = true;
    for (const pid of victims) process.kill(pid, "SIGKILL");
    scene.hasHit = true;
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
  what: "kill -9 of `matchbook ingest` at a random time, while a server reads the same shard",
  async run(scene) {
    await begin(scene);
    const times = scene.random.int(1, 3);
    for (let time = 0; time < times; time++) {
      const lines = scene.ledger.open;
      scene.ledger.attempt(lines);
      const child = spawnMatchbook(scene.ingestArgs(lines));
      await Bun.sleep(scene.random.int(100, 900));
      child.kill("SIGKILL");
      const stdout = await new Response(child.stdout).text();
      const stderr = await new Response(child.stderr).text();
      await child.exited;
      if (child.signalCode === "SIGKILL") scene.hasHit = true;
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
  async run(scene) {
    const { random } = scene;
    const [call, most] = random.pick(Object.entries(CALLS));
    const at = random.int(1, most);
    scene.note(`${call} ${at}`);
    const wrap = straced(call, `signal=KILL:when=${at}`);
    if (random.chance(0.5)) {
      await begin(scene);
      const { exitCode } = await scene.ingest(scene.ledger.open, wrap);
      scene.hasHit = exitCode >= 128;
    } else {
      await begin(scene, { server: { workers: 1 } });
      await scene.stopServer();
      // It may be killed before it listens.
      await scene.startServer({ workers: 1, wrap }).catch(() => {});
      // Connections may be cut at any time from now on.
      scene.target.isDown = true;
      if (scene.server) await scene.send(scene.ledger.open, "upload");
      scene.hasHit = !scene.isServing;
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

/** Waits until some more of the records are acknowledged, or all of them. */
export async function acknowledgedMore(scene: Scene): Promise<void> {
  const { ledger } = scene;
  const goal = ledger.acknowledged.length + scene.random.int(1, Math.max(1, ledger.open.length));
  await until(
    "records are acknowledged",
    () => ledger.open.length === 0 || ledger.acknowledged.length >= goal - 20,
    PATIENCE_SECONDS,
  );
}

export const KILLS = [server, worker, ingester, commit];
