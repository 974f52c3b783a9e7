/** System calls of a commit that fail, or at which the process is killed. */

import type { Chance } from "../../../support/chance.ts";
import { begin, type FaultKind } from "../kind.ts";
import { missesNothing } from "./disks.ts";

/** With how often each call happens while a run stores its records. */
const KILLED = { pwrite64: 400, fsync: 8, ftruncate: 2, fcntl: 200 };
const FAILING = { pwrite64: 600, fsync: 10, ftruncate: 2, pread64: 200 };

/** `inject` is what strace does at the n-th call. */
function callKind(
  name: string,
  what: string,
  calls: Record<string, number>,
  inject: (call: string, at: number, random: Chance) => string,
): FaultKind {
  return {
    name,
    what: `${what} the n-th write, sync, truncation or other call, in \`ingest\` or in the server`,
    needs: { strace: "strace" },
    mayMiss: true,
    async run(scene) {
      const { random, ledger, problems, target } = scene;
      const [call, most] = random.pick(Object.entries(calls));
      const injection = inject(call, random.between(1, most), random);
      const isKill = injection.startsWith("signal");
      const wrap = straced(call, injection);
      scene.note(`${call} ${injection}`);
      await begin(scene, { server: { workers: 1 } });
      if (random.share(0.5)) {
        const { exitCode } = await scene.ingest(ledger.open, wrap);
        if (exitCode !== 0) scene.hit();
        return scene.sendOpen("mixed");
      }
      await scene.stopServer();
      // It may end before it listens.
      await scene.startServer({ workers: 1, wrap }).catch((refused) => {
        scene.hit();
        if (!isKill && !/matchbook: .+/.test(String(refused))) problems.push(String(refused));
      });
      // Connections may be cut at any time from now on.
      if (isKill) target.isDown = true;
      if (scene.server) {
        await scene.send(ledger.open, isKill ? "upload" : "mixed");
        if (!isKill) await missesNothing(scene);
        const isSeen = isKill
          ? !scene.isServing
          : ledger.open.length + scene.readers.errors.size > 0;
        if (isSeen) scene.hit();
        // A server whose disk fails may be unable to store usage as it stops.
        await scene.stopServer(isKill && !isSeen ? "SIGTERM" : "SIGKILL");
      }
      await scene.startServer();
      await scene.sendOpen("mixed");
    },
  };
}

/** A command line that runs another and changes a system call of it. */
const straced = (call: string, injection: string): string[] => [
  ...["strace", "-D", "-f", "-qq", "-o", "/dev/null"],
  // Other calls then cost nothing; but strace delivers no signals this way.
  ...(injection.startsWith("signal") ? [] : ["--seccomp-bpf"]),
  ...["-e", `trace=${call}`, "-e", `inject=${call}:${injection}`],
];

export const CALLS = [
  callKind("kill-in-commit", "kill -9 at", KILLED, (_, at) => `signal=KILL:when=${at}`),
  callKind(
    "io-errors",
    "EIO or ENOSPC, once or from then on, from",
    FAILING,
    (call, at, random) => {
      const error = call === "pread64" ? "EIO" : random.pick(["EIO", "ENOSPC"]);
      return `error=${error}:when=${random.pick([`${at}`, `${at}+`, `${at}..${at + 20}`])}`;
    },
  ),
];
