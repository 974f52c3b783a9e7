/** Entry point of the executable that `npm run build` creates. Does what bin/matchbook does for the sources. */

/** See bin/matchbook for the reasons. */
const RUNTIME_OPTIONS = { BUN_JSC_useConcurrentGC: "0", MIMALLOC_PURGE_DELAY: "1000" };

// The runtime reads the variables before any of our code runs, so the process replaces itself once. It keeps its
// id, so signals still reach it. On systems that cannot do that, it only runs slower.
const isComplete = Object.keys(RUNTIME_OPTIONS).every((name) => process.env[name] !== undefined);
if (!isComplete && process.execve) {
  const [, , ...args] = process.argv;
  const environment = Object.entries(process.env).filter(([, value]) => value !== undefined);
  process.execve(process.execPath, [process.argv0, ...args], {
    ...RUNTIME_OPTIONS,
    ...Object.fromEntries(environment as [string, string][]),
  });
}

// Load everything else only now.
await import("./main.ts");
