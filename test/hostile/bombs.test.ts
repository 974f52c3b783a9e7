/** Tests small files that expand enormously, against the real program: rejected in bounded memory and time. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gzipSync, inflateRawSync } from "node:zlib";
import { ndjson, TOKEN, uploadTo } from "../support/admin.ts";
import { startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { someOf, testLong } from "../support/scale.ts";
import { aFolder } from "../support/world.ts";
import { balloons, gzipBomb, UNFOLDING } from "./bombs.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
/** Documents may be 16 MiB; some take considerably more once parsed. */
const MEMORY = 768 * MIB;
/** Only a hang takes as long. */
const PATIENCE = 300_000;

const folder = aFolder();
afterAll(folder.remove);

async function ingest(...files: string[]) {
  const measure = join(import.meta.dir, "measure.ts");
  const verb = ["ingest", "--json", "--data", join(folder.path, "data")];
  const child = Bun.spawn([process.execPath, measure, ...verb, ...files], {
    stdout: "pipe",
  });
  const { stdout, ...rest } = JSON.parse(await new Response(child.stdout).text());
  return { ...rest, report: JSON.parse(stdout) };
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder.path, name);
  writeFileSync(path, content);
  return path;
}

/** The file after a bomb is still ingested. */
const sound = () => file("sound.ndjson", `${JSON.stringify(aMatch())}\n`);

let usual: number;
beforeAll(async () => {
  usual = (await ingest(sound())).memory;
});

const BOMBS: [name: string, start: string, character: string][] = [
  ["after a sound record", `${JSON.stringify(aMatch())}\n{"data":"`, "a"],
  ["of text", '{"data":"', "a"],
  ["of line ends", "", "\n"],
  ["of brackets", "[", "["],
  ["of line ends in an array", "[", "\n"],
  ["of opened objects", '{"a":', "{"],
  ["of spaces", "", " "],
  ["that is not JSON", "x", "a"],
];

describe("a gzip bomb", () => {
  test.each(someOf(BOMBS, 4))(
    "%s is abandoned, and the next file is read",
    async (name, start, character) => {
      const bomb = file("bomb.gz", gzipBomb(start, character, GIB));
      const { exitCode, stderr, report, memory } = await ingest(bomb, sound());
      expect(stderr).toContain("the rest of the input is not read");
      expect({ exitCode, rejected: report.rejected }).toEqual({ exitCode: 1, rejected: 1 });
      expect(report.stored).toBe(name === "after a sound record" ? 2 : 1);
      expect(memory).toBeLessThan(usual + 256 * MIB);
    },
    PATIENCE,
  );
});

test.each([
  ["of text", '{"data":"', "a"],
  ["of spaces", "", " "],
])(
  "a gzip bomb %s over POST /ingest is refused in bounded memory, and the server goes on",
  async (_, start, character) => {
    const home = ["--data", join(folder.path, "served"), "--drain-ms", "0"];
    const server = await startServerProcess([...home, "--admin-port", "0"], {
      env: { MATCHBOOK_ADMIN_TOKEN: TOKEN },
    });
    try {
      const admin = await server.saying(/^admin listener on (http:\S+)\n/m);
      const bomb = new Uint8Array(gzipBomb(start, character, GIB));
      const { status, report, notStored } = await uploadTo(admin, bomb);
      expect([status, report.stored, report.rejected]).toEqual([422, 0, 1]);
      expect(notStored[0]!.problems!.join()).toContain("the rest of the input is not read");
      const after = await uploadTo(admin, ndjson([aMatch()]));
      expect([after.status, after.report.stored]).toEqual([200, 1]);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      expect(peakMemory(server.child.pid)).toBeLessThan(MEMORY);
    } finally {
      expect(await server.end()).toBe(0);
    }
  },
  PATIENCE,
);

/** Only Linux reports it. */
function peakMemory(process: number): number {
  const file = `/proc/${process}/status`;
  if (!existsSync(file)) return 0;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, "utf8"))![1]) * 1024;
}

describe("a document that needs far more memory than its size:", () => {
  test.each(someOf(UNFOLDING))(
    "%s",
    async (_name, reason, make) => {
      const bomb = file("unfolding.json", make());
      const { exitCode, stderr, report, memory } = await ingest(bomb, sound());
      expect(stderr).toMatch(reason);
      expect(stderr.length).toBeLessThan(200_000);
      expect({ exitCode, stored: report.stored }).toEqual({ exitCode: 1, stored: 1 });
      expect(memory).toBeLessThan(MEMORY);
    },
    PATIENCE,
  );
});

testLong(
  "records that compress to almost nothing are not collected beyond the memory of a batch",
  async () => {
    const path = file("balloons.gz", balloons(250, MIB));
    const { report, memory } = await ingest(path);
    expect(report.stored).toBe(250);
    expect(memory).toBeLessThan(MEMORY);
  },
  PATIENCE,
);

describe("a truncated gzip file", () => {
  /** Several times as much as is decompressed at once, in few records. */
  const LINES = 300;
  const UNPACKED_AT_ONCE = 512 * 1024;
  const noise = () => Array.from({ length: 100 }, () => crypto.randomUUID()).join();
  const line = () => `${JSON.stringify(aMatch({ stats: { noise: noise() } }))}\n`;
  const whole = () => gzipSync(Array.from({ length: LINES }, line).join(""));

  test.each([
    ["in its checksum", (gzip: Buffer) => gzip.subarray(0, -4)],
    ["in the middle", (gzip: Buffer) => gzip.subarray(0, gzip.length / 2)],
    ["in its header", (gzip: Buffer) => gzip.subarray(0, 5)],
  ])(
    "%s loses only the missing part",
    async (name, cut) => {
      const bytes = cut(whole());
      const path = file("broken.gz", bytes);
      const { exitCode, stderr, report } = await ingest(path, sound());
      expect(stderr).toContain(`the rest of ${path} cannot be read`);
      const left = wholeLinesIn(bytes);
      if (name === "in the middle") expect(left).toBeWithin(LINES / 3, LINES);
      // The truncated part is one rejection, and the next file is read.
      expect([exitCode, report.stored, report.rejected]).toEqual([1, left + 1, 1]);
    },
    PATIENCE,
  );

  testLong(
    "followed by other data loses no more than is decompressed at once",
    async () => {
      const path = file("broken.gz", Buffer.concat([whole(), Buffer.from("and so on")]));
      const { exitCode, stderr, report } = await ingest(path, sound());
      expect(stderr).toContain(`the rest of ${path} cannot be read`);
      expect([exitCode, report.rejected]).toEqual([1, 1]);
      const most = Math.ceil(UNPACKED_AT_ONCE / line().length);
      expect(report.stored).toBeWithin(LINES - most, LINES + 2);
    },
    PATIENCE,
  );
});

/** How many complete lines a truncated gzip file contains. */
function wholeLinesIn(gzip: Buffer): number {
  if (gzip.length < GZIP_HEADER_BYTES) return 0;
  const left = gzip.subarray(GZIP_HEADER_BYTES);
  const text = inflateRawSync(left, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  return text.split("\n").length - 1;
}

const GZIP_HEADER_BYTES = 10;

test(
  "a gzip file with a flipped bit is never accepted as complete",
  async () => {
    const bytes = gzipSync(`${JSON.stringify(aMatch())}\n`.repeat(50));
    const paths = [0.3, 0.5, 0.7, 0.9].map((at) => {
      const flipped = Buffer.from(bytes);
      flipped[Math.floor(at * bytes.length)]! ^= 0x10;
      return file(`flipped-${at}.gz`, flipped);
    });
    const { exitCode, stderr } = await ingest(...paths);
    expect(exitCode).toBe(1);
    // The reason of a rejection names the file.
    for (const path of paths) expect(stderr).toContain(path);
  },
  PATIENCE,
);
