/** Triggers the messages of the command line and the settings: one real run for each. */

import { Database } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { gzipBomb } from "../hostile/bombs.ts";
import { type Finished, matchbook } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { aFolder } from "../support/world.ts";

export interface CommandMessage {
  command: string;
  exitCode: number;
  /** Standard error. */
  output: string;
}

/** What these commands print, as they are written in messages.json. */
export async function commandMessages(commands: readonly string[]): Promise<CommandMessage[]> {
  using folder = aFolder();
  const taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const port = taken.port!;
  try {
    await prepare(folder.path);
    const messages: CommandMessage[] = [];
    for (const command of commands) {
      const { args, env } = parse(command, port);
      const ended = await matchbook(args, { cwd: folder.path, env });
      messages.push(message(command, ended, folder.path, port));
    }
    return messages;
  } finally {
    await taken.stop();
  }
}

/** A command is as in a shell: variables, `matchbook`, and arguments separated by spaces. */
function parse(command: string, port: number) {
  const [variables = "", args = ""] = command.split(/(?:^| )matchbook /);
  return {
    args: args.split(" ").map((word) => (word === "PORT" ? String(port) : word)),
    env: Object.fromEntries(variables.split(" ").flatMap((one) => (one ? [one.split("=")] : []))),
  };
}

const message = (
  command: string,
  { exitCode, stderr }: Finished,
  cwd: string,
  port: number,
): CommandMessage => ({
  command,
  exitCode,
  output: shortened(stderr.replaceAll(cwd, "").replaceAll(`:${port}`, ":PORT").trimEnd()),
});

/** Shortens long output to its first and last lines. */
function shortened(output: string): string {
  const lines = output.split("\n");
  return lines.length <= 12 ? output : [...lines.slice(0, 4), "[…]", ...lines.slice(-3)].join("\n");
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
  const params = { [constants.ZSTD_c_checksumFlag]: 1 };
  const zstd = zstdCompressSync(match("m1").repeat(3), { params });
  write("cut.ndjson.zst", zstd.subarray(0, -20));
  write("header.ndjson.zst", zstd.subarray(0, 5));
  write("half.ndjson.zst", Buffer.concat([zstd, zstdCompressSync("").subarray(0, 6)]));
  const flipped = Buffer.from(zstd);
  flipped[zstd.length - 2]! ^= 0x10;
  write("flipped.ndjson.zst", flipped);
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
  write("empty-token", " \n");
  write("short-token", "short");
  write("spaced-token", "a token that has blanks in it");

  await matchbook(["ingest", "sound.ndjson"], { cwd: folder });
  await matchbook(["keys", "create", "--name", "x"], { cwd: folder });
  for (const name of ["garbage", "newer", "foreign", "garbage-keys", "newer-keys", "old-keys"]) {
    mkdirSync(join(folder, name));
  }
  write("garbage/na.db", "this is no database".repeat(100));
  write("garbage-keys/access.sqlite", "this is no database".repeat(100));
  await matchbook(["ingest", "sound.ndjson", "--data", "newer"], { cwd: folder });
  await matchbook(["keys", "create", "--name", "x", "--data", "newer-keys"], { cwd: folder });
  await matchbook(["keys", "create", "--name", "x", "--data", "old-keys"], { cwd: folder });
  change(join(folder, "old-keys/access.sqlite"), "PRAGMA user_version = 2");
  change(join(folder, "newer/na.db"), "PRAGMA user_version = 99");
  change(join(folder, "newer-keys/access.sqlite"), "PRAGMA user_version = 99");
  change(join(folder, "foreign/na.db"), "PRAGMA user_version = 1");
}

function change(path: string, sql: string): void {
  const database = new Database(path);
  database.run(sql);
  database.close();
}
