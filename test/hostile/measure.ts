/**
 * Runs `bin/matchbook` and measures its memory. It is a separate program because the system counts the
 * memory a process had when it forked, and a test process is large.
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
