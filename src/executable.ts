/** Entry point of the executable that `npm run build` creates. Does what bin/matchbook does for the sources. */

/** See bin/matchbook for why concurrent garbage collection is off. */
const COLLECTOR = "BUN_JSC_useConcurrentGC";

// The runtime reads the variable before any of our code runs, so the process replaces itself once. It keeps its
// id, so signals still reach it. On systems that cannot do that, it only runs slower.
if (process.env[COLLECTOR] === undefined && process.execve) {
  const [, , ...args] = process.argv;
  const environment = Object.entries(process.env).filter(([, value]) => value !== undefined);
  process.execve(process.execPath, [process.argv0, ...args], {
    ...Object.fromEntries(environment as [string, string][]),
    [COLLECTOR]: "0",
  });
}

// Load everything else only now.
await import("./main.ts");
