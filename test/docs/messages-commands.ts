/** Triggers the messages of the command line and the settings: one real run for each. */

import { Database } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { gzipBomb } from "../hostile/bombs.ts";
import { type Finished, matchbook } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { aFolder } from "../support/world.ts";
import type { CommandRun } from "./command-runs.ts";

export interface CommandMessage {
  command: string;
  exitCode: number;
  /** Standard error. */
  output: string;
}

/** A run: its arguments, separated by spaces, after variables as in a shell. */
type Run = string;

const USE: readonly Run[] = [
  "kyes",
  "keys lst",
  "frobnicate",
  "config --prot 1",
  "config --port",
  "serve now",
  "keys create",
  "keys revoke",
  "why na",
  "ingest",
  "demo --matches 0",
  "demo --seed x",
  "demo --until yesterday",
  "withheld na --reason boring",
  "keys create --name x --rate 0",
  "keys create --name x --tier gold",
  "keys create --name x --expires 2020-01-01",
  "keys create --name x --expires soon",
  "keys create --name x --shards NA",
  "keys usage --days 0",
  "hooks add --key k_0000000000",
  "hooks add --key k_0000000000 --url http://example.com/",
  "hooks add --key k_0000000000 --url https://example.com/ --shards NA",
  "hooks replay h_0000000000 --since yesterday",
  "prune na",
  "prune na --older-than 400",
  "shards move na",
  "shards move na --to elsewhere",
  "backup",
  "restore",
  "export na --since yesterday",
  "export na --output sound.ndjson",
  "export na --output folder",
  "ingest - -",
  "ingest missing.ndjson",
  "ingest folder",
  "ingest sound.ndjson --shard NA",
  "ingest sound.ndjson --rejects sound.ndjson",
  "ingest sound.ndjson --rejects nowhere/bad.ndjson",
];

const WORK: readonly Run[] = [
  "ingest wrong.ndjson",
  "ingest wrong.ndjson --shard eu",
  "ingest wrong.ndjson --config shards.toml",
  "ingest many.ndjson",
  "ingest many.ndjson --rejects bad.ndjson",
  "ingest wrong.ndjson --rejects /dev/full",
  "ingest conflict.ndjson",
  "ingest empty.ndjson",
  "ingest unclosed.json",
  "ingest cut.ndjson.gz",
  "ingest garbled.ndjson.gz",
  "ingest bomb.gz",
  "ingest wrong.ndjson --max-record-bytes 1KiB",
  "keys revoke k_0000000000",
  "keys show k_0000000000",
  "hooks add --key k_0000000000 --url https://example.com/",
  "hooks show h_0000000000",
  "ingest cut.ndjson.zst",
  "ingest followed.ndjson.zst",
  "export nowhere",
  "verify nowhere",
  "shards digest nowhere",
  "withheld nowhere",
  "shards move nowhere --to sqlite:new.db",
  "repair nowhere",
  "keys change k_0000000000",
  "keys rotate k_0000000000 --overlap soon",
  "backup copy nowhere",
  "backup copy --data nowhere",
  "backup file",
  "backup .",
  "restore folder",
  "redact",
  "redact nowhere somebody --yes",
  "redact na nobody --yes",
  "keys list --data nowhere",
  "status --data nowhere",
];

const FILES: readonly Run[] = [
  "keys create --name x --data file",
  "ingest sound.ndjson --data file",
  "serve --log-level silent --data file",
  "status --data garbage",
  "ingest sound.ndjson --data garbage",
  "status --data newer",
  "ingest sound.ndjson --data foreign",
  "keys list --data garbage-keys",
  "keys list --data newer-keys",
  "serve --log-level silent --port PORT",
  "serve --log-level silent --port 0 --host 192.0.2.1",
  "serve --log-level silent --port 0 --admin-port 0",
  "serve --log-level silent --port 0 --admin-port 0 --admin-token-file missing",
  "MATCHBOOK_ADMIN_TOKEN=0123456789abcdef01234567 serve --log-level silent --port 0 --admin-port PORT",
];

const SETTINGS: readonly Run[] = [
  "config --port 70000",
  "config --host a_b!",
  "config --public-url api.example.com",
  "config --trusted-proxies 10.0.0.0/33",
  "config --shards na,eu=sqlite:x.db",
  "config --config shard-id.toml",
  "config --config shard-url.toml",
  "config --config two-shards.toml",
  "config --workers 0",
  "config --redis localhost",
  "config --keys-database localhost",
  "config --rate 0",
  "config --matches-per-day many",
  "MATCHBOOK_TIERS=free config",
  "config --config tier.toml",
  "config --closed-shards BETA",
  "config --open-requests-per-minute -1",
  "config --portal yes",
  "config --admin-port on",
  "config --max-record-bytes 4GB",
  "MATCHBOOK_ADMIN_TOKEN=secret config",
  "config --burst -1",
  "config --max-offset many",
  "config --compat vainglory",
  "config --drain-ms 1h",
  "config --log-level loud",
  "config --max-record-bytes 16MB",
  "config --batch 0",
  "MATCHBOOK_TITLE_ID= config",
  "MATCHBOOK_PROT=1 config",
  "MATCHBOOK_SPEED=1 config",
  "MATCHBOOK_PORT=x MATCHBOOK_RATE=y config",
  "config --config missing.toml",
  "config --config folder",
  "config --config broken.toml",
  "config --config wrong.toml",
  "MATCHBOOK_CONFIG= config",
];

export interface CommandMessages {
  use: CommandMessage[];
  work: CommandMessage[];
  files: CommandMessage[];
  settings: CommandMessage[];
}

export async function commandMessages(): Promise<CommandMessages> {
  const folder = aFolder();
  const taken = await someListener();
  const { port } = taken.address() as { port: number };
  const together = async (runs: readonly Run[]) => {
    const parsed = runs.map((run) => parse(run, port));
    const ended = await inOneProcess(parsed, folder.path);
    return ended.map((one, at) => message(parsed[at]!, one, folder.path, port));
  };
  try {
    await prepare(folder.path);
    const use = await together(USE);
    const work = await together(WORK);
    const files: CommandMessage[] = [];
    // A server handles signals and ports, so each run has its own process, as in production.
    for (const run of FILES) {
      const parsed = parse(run, port);
      const ended = await matchbook(parsed.args, { cwd: folder.path, env: parsed.env });
      files.push(message(parsed, ended, folder.path, port));
    }
    return { use, work, files, settings: await together(SETTINGS) };
  } finally {
    taken.close();
    folder.remove();
  }
}

function parse(run: Run, port: number): CommandRun & { command: string } {
  const words = run.split(" ");
  const isVariable = (word: string) => /^MATCHBOOK_\w+=/.test(word);
  const args = words.filter((word) => !isVariable(word));
  const variables = words.filter(isVariable);
  return {
    command: `${variables.map((word) => `${word} `).join("")}matchbook ${args.join(" ")}`,
    args: args.map((word) => (word === "PORT" ? String(port) : word)),
    env: Object.fromEntries(variables.map((word) => word.split("="))),
  };
}

const message = (
  { command }: { command: string },
  { exitCode, stderr }: Ended,
  cwd: string,
  port: number,
): CommandMessage => ({
  command,
  exitCode,
  output: shortened(stderr.replaceAll(cwd, "").replaceAll(`:${port}`, ":PORT").trimEnd()),
});

type Ended = Pick<Finished, "exitCode" | "stderr">;

async function inOneProcess(runs: readonly CommandRun[], cwd: string): Promise<Ended[]> {
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith("MATCHBOOK_"));
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "command-runs.ts")], {
    cwd,
    env: Object.fromEntries(env),
    stdin: new Blob([JSON.stringify(runs)]),
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(child.stdout).text());
}

/** Shortens long output to its first and last lines. */
function shortened(output: string): string {
  const lines = output.split("\n");
  return lines.length <= 12 ? output : [...lines.slice(0, 4), "[…]", ...lines.slice(-3)].join("\n");
}

function someListener(): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** The files that the runs use. */
async function prepare(folder: string): Promise<void> {
  const write = (name: string, content: string | Uint8Array) =>
    writeFileSync(join(folder, name), content);
  const match = (id: string, duration: unknown = 1200) => {
    const rosters = [{ members: [{ bot: true }] }, { members: [{ bot: true }] }] as never;
    const document = aMatch({ id, createdAt: "2026-03-01T18:30:00Z", rosters });
    (document.data.attributes as Record<string, unknown>).duration = duration;
    return `${JSON.stringify(document)}\n`;
  };
  mkdirSync(join(folder, "folder"));
  write("sound.ndjson", match("m1"));
  write("wrong.ndjson", match("m2", "long"));
  write("many.ndjson", Array.from({ length: 23 }, (_, at) => match(`m${at + 3}`, null)).join(""));
  write("conflict.ndjson", match("m1", 1201));
  write("empty.ndjson", "\n");
  write("unclosed.json", "[\n");
  const packed = gzipSync(match("m1").repeat(3));
  write("cut.ndjson.gz", packed.subarray(0, -20));
  write("garbled.ndjson.gz", Buffer.concat([packed.subarray(0, 10), Buffer.alloc(200, 0xff)]));
  const zstd = zstdCompressSync(match("m1").repeat(3));
  write("cut.ndjson.zst", zstd.subarray(0, -20));
  write("followed.ndjson.zst", Buffer.concat([zstd, Buffer.from("and so on")]));
  write("bomb.gz", gzipBomb('{"data":"', "a", 2 ** 30));
  write("shards.toml", "[shards.eu]\n[shards.sa]\n");
  write("shard-id.toml", "[shards.NA]\n");
  write("shard-url.toml", '[shards.na]\nurl = "postgres://u:p@host"\n');
  write("two-shards.toml", '[shards.na]\nurl = "sqlite:x.db"\n[shards.eu]\nurl = "sqlite:x.db"\n');
  write("tier.toml", "[tiers.hobby]\nrate = 0\n");
  write("broken.toml", "port = = 1\n");
  write("wrong.toml", 'prt = 1\n[rate]\nfast = "yes"\n');
  write("file", "a file, no folder");

  await matchbook(["ingest", "sound.ndjson"], { cwd: folder });
  await matchbook(["keys", "create", "--name", "x"], { cwd: folder });
  for (const name of ["garbage", "newer", "foreign", "garbage-keys", "newer-keys"]) {
    mkdirSync(join(folder, name));
  }
  write("garbage/na.db", "this is no database".repeat(100));
  write("garbage-keys/access.sqlite", "this is no database".repeat(100));
  await matchbook(["ingest", "sound.ndjson", "--data", "newer"], { cwd: folder });
  await matchbook(["keys", "create", "--name", "x", "--data", "newer-keys"], { cwd: folder });
  change(join(folder, "newer/na.db"), "PRAGMA user_version = 99");
  change(join(folder, "newer-keys/access.sqlite"), "PRAGMA user_version = 99");
  change(join(folder, "foreign/na.db"), "PRAGMA user_version = 1");
}

function change(path: string, sql: string): void {
  const database = new Database(path);
  database.run(sql);
  database.close();
}
