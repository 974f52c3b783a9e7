/**
 * In charge of running `bin/matchbook` and measuring its memory: a program of its own, because the
 * system counts what a process weighed when it forked, and a test process is heavy.
 */

import { MATCHBOOK } from "../support/process.ts";

const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("MATCHBOOK_")),
);
const { exitCode, stdout, stderr, resourceUsage } = Bun.spawnSync(
  [MATCHBOOK, ...process.argv.slice(2)],
  { env },
);
await Bun.write(
  Bun.stdout,
  JSON.stringify({
    exitCode,
    stdout: stdout.toString(),
    stderr: stderr.toString(),
    memory: resourceUsage.maxRSS,
  }),
);
