/** Errors with a message for the user, and progress output. */

/** Ends the benchmark with exit code 1 and without a stack trace. */
export class BenchError extends Error {
  override name = "BenchError";
}

/** Writes progress to standard error; only results go to standard output. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
