/** In charge of the start of the executable that `npm run build` makes: what bin/matchbook does for the sources. */

/** Said in bin/matchbook: why garbage is not collected beside the work. */
const COLLECTOR = "BUN_JSC_useConcurrentGC";

// The runtime reads it before any of our code runs, so the process is replaced by itself, once. Its id
// stays, and so signals reach it. Where the system cannot do that, it only runs slower.
if (process.env[COLLECTOR] === undefined && process.execve) {
  const [, , ...args] = process.argv;
  const surroundings = Object.entries(process.env).filter(([, value]) => value !== undefined);
  process.execve(process.execPath, [process.argv0, ...args], {
    ...Object.fromEntries(surroundings as [string, string][]),
    [COLLECTOR]: "0",
  });
}

// Only now is anything else of Matchbook loaded.
await import("./main.ts");
