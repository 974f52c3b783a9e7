/** Entry point of the executable that `npm run build` creates. Does what bin/matchbook does for the sources. */

/** See bin/matchbook for the reasons. */
const RUNTIME_OPTIONS = { BUN_JSC_useConcurrentGC: "0", MIMALLOC_PURGE_DELAY: "1000" };

// The runtime reads the variables before any of our code runs, so the process replaces itself once. It keeps its
// id, so signals still reach it. That closes descriptors that a shell passes, as for `matchbook ingest <(…)`: then, and
// on other systems, it only runs slower.
const isComplete = Object.keys(RUNTIME_OPTIONS).every((name) => process.env[name] !== undefined);
const args = process.argv.slice(2);
const hasDescriptor = args.some((arg) => arg.includes("/dev/fd/"));
if (!isComplete && !hasDescriptor && process.platform === "linux") {
  const env = { ...RUNTIME_OPTIONS, ...process.env } as Record<string, string>;
  process.execve!(process.execPath, [process.execPath, ...args], env);
}

// Load everything else only now.
await import("./main.ts");
