/** Runs the command line and returns its exit code to the shell. */

import { run } from "./cli/program.ts";
import { describeError } from "./text/system-errors.ts";

// A reader that has seen enough (`| head`) closes the pipe: that is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`matchbook: cannot write to standard output: ${describeError(error)}\n`);
  process.exit(1);
});

// If standard error is closed there is nowhere to report it; a server keeps running.
process.stderr.on("error", () => {});

// Not process.exit: it would truncate output that is still being written to a pipe.
process.exitCode = await run(process.argv.slice(2));
