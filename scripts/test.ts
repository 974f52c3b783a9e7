/**
 * `npm test`: runs the tests over one PostgreSQL that all of them share, and sums up what took longest, what failed and
 * which tests were skipped because a program is missing. It leaves out `*.long.test.ts`. Other arguments go to
 * `bun test`.
 * --update-timings, on a machine that does nothing else: records how long each file takes, in scripts/test-timings.json
 * or, with --long, in scripts/test-timings-long.json. Without these files the tests run in any order.
 * --quick (`npm run check`): only the quick tests that need no PostgreSQL.
 * --long (`npm run test:long`): `*.long.test.ts`, and with more cases the files that generate them.
 */

import { existsSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../test/support/executable.ts";
import { aTemplate, startCluster } from "../test/support/postgres.ts";

const args = process.argv.slice(2).filter((arg) => !["--quick", "--long"].includes(arg));
const isQuick = process.argv.includes("--quick");
const isLong = process.argv.includes("--long");

const LONG = ".long.test.ts";
const TIMINGS = isLong ? "scripts/test-timings-long.json" : "scripts/test-timings.json";
const BUN_TEST = [
  ...["test", "--timeout", "180000", "--parallel=5", "--no-isolate"],
  // The slowest files start first, so that no core is idle at the end.
  `--timings=${TIMINGS}`,
  ...(isLong ? [] : [`--path-ignore-patterns=**/*${LONG}`]),
];
/** The share of all generated cases that the long run has, three times as many as `npm test`. */
const LONG_SCALE = "0.3";
const SCALE = "test/support/scale.ts";
/** Of these folders, the files that take less than this, while others run beside them. */
const QUICK = "test/{unit,features,conformance}/*.test.ts";
const QUICK_MS = 1200;
const SLOWEST = 10;

/** Test data in memory: waiting until a disk has written each transaction takes longer than the tests. */
const MEMORY = "/dev/shm";
const ENOUGH_BYTES = 4 * 2 ** 30;
if (process.env.TMPDIR === undefined && freeBytes(MEMORY) >= ENOUGH_BYTES) {
  process.env.TMPDIR = MEMORY;
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

const isWhole = args.every((arg) => arg.startsWith("-"));
// The new ones are only of files that exist.
if (isWhole && args.includes("--update-timings")) rmSync(TIMINGS, { force: true });
if (isQuick) args.push(...quickFiles());
if (isLong) {
  process.env.TEST_SCALE ??= LONG_SCALE;
  if (isWhole) args.push(...longFiles());
}

function quickFiles(): string[] {
  const known: Record<string, number> = existsSync(TIMINGS)
    ? JSON.parse(readFileSync(TIMINGS, "utf8")).files
    : {};
  const isQuickFile = (path: string) => (known[path] ?? 0) < QUICK_MS;
  return [...new Bun.Glob(QUICK).scanSync()].filter(isQuickFile).map((path) => `./${path}`);
}

function longFiles(): string[] {
  const isLongFile = (path: string) => path.endsWith(LONG) || isScaled(path);
  const files = [...new Bun.Glob("test/**/*.test.ts").scanSync()];
  return files.filter(isLongFile).map((path) => `./${path}`);
}

/** Whether the number of a file's cases depends on the scale: it imports it, or a file that does. */
function isScaled(path: string, seen = new Set<string>()): boolean {
  if (path === SCALE) return true;
  if (seen.has(path)) return false;
  seen.add(path);
  const imports = new Bun.Transpiler({ loader: "ts" }).scanImports(readFileSync(path, "utf8"));
  return imports
    .map((one) => join(path, "..", one.path))
    .some((one) => /^test\/.*\.ts$/.test(one) && isScaled(one, seen));
}

const template = isQuick || process.env.TEST_POSTGRES ? undefined : aTemplate();
if (template) process.env.TEST_POSTGRES_TEMPLATE = template.data;
const building = isQuick || process.env.TEST_EXECUTABLE ? undefined : buildExecutable();
const cluster = template && (await startCluster());
const executable = await building;
if (executable) process.env.TEST_EXECUTABLE = executable;
const child = Bun.spawn([process.execPath, ...BUN_TEST, ...args], {
  stdio: ["inherit", "inherit", "pipe"],
  env: { ...process.env, ...(cluster && { TEST_POSTGRES: cluster.url }) },
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));

/** Seconds by file. */
const durations = new Map<string, number>();
/** Either the group says what is missing, or the test, in parentheses. Hooks, which have no name, do not count. */
const SKIPPED = /^\(skip\) (?!.*\(unnamed\))(?:(?:.*? > )??needs (.+?) > |.* \(needs (.+)\)$)/;
/** Skipped tests by missing program. */
const hidden = new Map<string, number>();
/** What was printed before each failed test: repeated at the end, where it is found among thousands of lines. */
const failures: string[] = [];
const LINES_OF_A_FAILURE = 60;
let sinceLastTest: string[] = [];
let isSummary = false;

let file = "";
let rest = "";
const decoder = new TextDecoder();
for await (const chunk of child.stderr) {
  process.stderr.write(chunk);
  const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
  rest = lines.pop()!;
  for (const line of lines) read(line);
}

function read(line: string): void {
  // The summary of the run names them again.
  if (/^\d+ tests? (?:skipped|failed):$/.test(line)) isSummary = true;
  if (isSummary) return;
  sinceLastTest.push(line);
  if (/^\((?:pass|fail|skip|todo)\) /.test(line)) {
    if (line.startsWith("(fail)") && sinceLastTest.length > 1) {
      failures.push(`${file}:`, ...sinceLastTest.slice(-LINES_OF_A_FAILURE), "");
    }
    sinceLastTest = [];
  }
  file = /^(test\/\S+):$/.exec(line)?.[1] ?? file;
  const milliseconds = /^\((?:pass|fail)\) .*\[([\d.]+)ms\]$/.exec(line)?.[1];
  if (milliseconds) {
    durations.set(file, (durations.get(file) ?? 0) + Number(milliseconds) / 1000);
  }
  const [, group, alone] = SKIPPED.exec(line) ?? [];
  const missing = group ?? alone;
  if (missing) hidden.set(missing, (hidden.get(missing) ?? 0) + 1);
}

const slowest = [...durations].sort(([, one], [, other]) => other - one).slice(0, SLOWEST);
console.error("\nSlowest files:");
for (const [path, seconds] of slowest)
  console.error(`${seconds.toFixed(1).padStart(7)} s  ${path}`);
for (const [program, tests] of hidden) {
  console.error(`${tests} skipped: needs ${program}`);
}
if (failures.length > 0) console.error(`\nFailures:\n${failures.join("\n")}`);
const exitCode = await child.exited;
cluster?.remove();
template?.remove();
process.exit(exitCode);
