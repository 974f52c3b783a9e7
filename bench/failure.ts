/** In charge of the failures that are explained to a person, without a stack. */

/** The benchmark cannot go on: exit 1. */
export class BenchError extends Error {
  override name = "BenchError";
}

/** One line of progress on standard error; results alone go to standard output. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
