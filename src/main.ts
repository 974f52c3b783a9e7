/** In charge of starting the command line and of handing its exit code to the shell. */

import { run } from "./cli/program.ts";
import { describeError } from "./cli/system-errors.ts";

// A reader that has seen enough (`| head`) closes the pipe: that is no error of anybody's.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`matchbook: cannot write to standard output: ${describeError(error)}\n`);
  process.exit(1);
});

// Nobody is left to be told that nobody listens; a server goes on.
process.stderr.on("error", () => {});

// Not process.exit: what is still being written to a pipe would be cut off.
process.exitCode = await run(process.argv.slice(2));
