/** Records what a command does to files, and what it sends, as system calls in their order (with strace). */

import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MATCHBOOK } from "./process.ts";
import { childrenOf } from "./workers.ts";

/** A call that succeeded. */
export interface Call {
  name: string;
  /** When it began and when it ended, as numbers of lines: calls of several threads overlap. */
  from: number;
  to: number;
  /** When it has its effect: a sync at its end, others at once. */
  moment: number;
  /** Of the file that the call is about; "pipe:[7]" or "socket:[8]" for others. */
  path: string;
  /** The descriptor that is used, or was opened. */
  descriptor: number;
  /** The second path of rename and link. */
  other: string;
  /** Arguments without strings, e.g. "O_RDWR|O_CREAT, 0644". */
  rest: string;
  /** What was written or sent. */
  bytes: Buffer;
}

const SYNCS = ["fsync", "fdatasync"];

const TRACED = [
  ["open", "openat", "creat", "mkdir", "mkdirat"],
  ["write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "truncate"],
  ["fallocate", "copy_file_range", "sendfile", "splice", "lseek"],
  SYNCS,
  ["rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "rmdir"],
  ["sendto", "sendmsg"],
].flat();

/** All bytes as hexadecimal, so that a string contains no quotes; paths of descriptors; threads and children. */
const OPTIONS = ["-f", "-y", "-xx", "-q", "-s", "100000000", "--seccomp-bpf", "-e", "signal=none"];

export type Recorder = ReturnType<typeof recorder>;

/** A program in this folder that records one run of Matchbook; its calls are there after its end. */
export function recorder(folder: string) {
  const name = crypto.randomUUID();
  const program = join(folder, `${name}.sh`);
  const trace = join(folder, `${name}.strace`);
  const command = ["strace", ...OPTIONS, "-e", `trace=${TRACED.join(",")}`, "-o", trace];
  writeFileSync(program, `#!/bin/sh\nexec ${command.join(" ")} ${MATCHBOOK} "$@"\n`);
  chmodSync(program, 0o755);
  return { program, calls: () => parse(readFileSync(trace, "latin1")) };
}

/** Ends a recorded server with SIGTERM, which strace itself ignores. */
export async function endRecorded(child: { pid: number; exited: Promise<number> }): Promise<void> {
  for (const id of childrenOf(child.pid)) process.kill(id, "SIGTERM");
  await child.exited;
}

/** The calls by their moments. A call may take two lines, if another thread does something meanwhile. */
export function parse(text: string): Call[] {
  const begun = new Map<string, { from: number; text: string }>();
  const calls: Call[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const [, thread = "", said = ""] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    if (said.endsWith(" <unfinished ...>")) {
      begun.set(thread, { from: at, text: said.slice(0, -" <unfinished ...>".length) });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(said);
    const start = begun.get(thread);
    const call =
      resumed && start
        ? parseCall(start.text + resumed[1], start.from, at)
        : parseCall(said, at, at);
    if (call) calls.push(call);
  }
  return calls.sort((one, other) => one.moment - other.moment);
}

/** Undefined for calls that failed, and for other lines. */
function parseCall(text: string, from: number, to: number): Call | undefined {
  const [, name, args, result] = /^(\w+)\((.*)\) += (\d+.*)$/s.exec(text) ?? [];
  if (name === undefined || args === undefined || result === undefined) return undefined;
  const strings = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map((one) => bytesOf(one[1]!));
  const isOpen = name.startsWith("open") || name === "creat";
  const used = descriptorIn(isOpen ? result : args);
  const names = used ? [used.path] : strings.map((one) => one.toString());
  if (used && /^(unlink|rename|link|mkdir)at/.test(name)) names[0] += `/${strings[0]}`;
  return {
    name,
    from,
    to,
    moment: SYNCS.includes(name) ? to : from,
    path: names[0] ?? "",
    descriptor: used?.number ?? -1,
    other: names[1] ?? "",
    rest: args.replaceAll(/"[^"]*"/g, ""),
    bytes: used && !isOpen ? Buffer.concat(strings) : Buffer.alloc(0),
  };
}

/** The descriptor at the start of a text, e.g. "7</data/na.db>"; not that of the working directory. */
function descriptorIn(text: string): { number: number; path: string } | undefined {
  const [, number, path] = /^(\d+)<([^>]*)>/.exec(text) ?? [];
  if (number === undefined || path === undefined) return undefined;
  const shown = path.includes("\\x") ? bytesOf(path).toString() : path;
  return { number: Number(number), path: shown };
}

const bytesOf = (text: string): Buffer => Buffer.from(text.replaceAll("\\x", ""), "hex");

/** Whether strace is installed and allowed to observe other processes. */
export function canRecord(): boolean {
  if (Bun.which("strace") === null) return false;
  return Bun.spawnSync(["strace", ...OPTIONS, "-o", "/dev/null", "true"]).exitCode === 0;
}

/** The call that sends a text to another process: what was promised then must be on the disk. */
export function sends(calls: readonly Call[], text: string): Call {
  const found = calls.find(
    ({ path, bytes }) => /^(socket|pipe):/.test(path) && bytes.includes(text),
  );
  if (!found) throw new Error(`${text} was not sent`);
  return found;
}
