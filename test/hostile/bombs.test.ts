/** Small files that want to become large, against the real program: turned away in bounded memory and time. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { aMatch } from "../support/records.ts";
import { aFolder } from "../support/world.ts";
import { balloons, gzipBomb, UNFOLDING } from "./bombs.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
/** Documents may be 16 MiB; parsed, some take a good deal more. */
const MEMORY = 768 * MIB;
const PATIENCE = 60_000;

const folder = aFolder();
afterAll(folder.remove);

interface Ended {
  exitCode: number;
  stderr: string;
  report: { stored: number; rejected: number };
  memory: number;
}

async function ingest(...files: string[]): Promise<Ended> {
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

/** What stands behind a bomb still comes in. */
const sound = () => file("sound.ndjson", `${JSON.stringify(aMatch())}\n`);

let usual: number;
beforeAll(async () => {
  usual = (await ingest(sound())).memory;
});

describe("a gzip bomb on one line", () => {
  test.each([
    ["of text", '{"data":"', "a"],
    ["that is no JSON", "x", "a"],
    ["of brackets", "[", "["],
    ["of opened objects", '{"a":', "{"],
    ["of blanks", "", " "],
    ["after a sound record", `${JSON.stringify(aMatch())}\n{"data":"`, "a"],
  ])(
    "%s is given up on, and the next file is read",
    async (name, start, character) => {
      const bomb = file("bomb.gz", gzipBomb(start, character, 4 * GIB));
      const { exitCode, stderr, report, memory } = await ingest(bomb, sound());
      expect(stderr).toContain(`the rest of ${bomb} is not read`);
      expect({ exitCode, rejected: report.rejected }).toEqual({ exitCode: 1, rejected: 1 });
      expect(report.stored).toBe(name === "after a sound record" ? 2 : 1);
      expect(memory).toBeLessThan(usual + 256 * MIB);
    },
    PATIENCE,
  );
});

describe("a document that wants far more than its size:", () => {
  test.each(UNFOLDING)(
    "%s",
    async (_name, reason, make) => {
      const bomb = file("unfolding.json.gz", gzipSync(make(), { level: 1 }));
      const { exitCode, stderr, report, memory } = await ingest(bomb, sound());
      expect(stderr).toMatch(reason);
      expect(stderr.length).toBeLessThan(200_000);
      expect({ exitCode, stored: report.stored }).toEqual({ exitCode: 1, stored: 1 });
      expect(memory).toBeLessThan(MEMORY);
    },
    PATIENCE,
  );
});

test(
  "records that compress to nothing are not gathered beyond a batch's memory",
  async () => {
    const path = file("balloons.gz", balloons(100, 8 * MIB));
    const { report, memory } = await ingest(path);
    expect(report.stored).toBe(100);
    expect(memory).toBeLessThan(MEMORY);
  },
  PATIENCE,
);

describe("a gzip file that breaks off", () => {
  const lines = Array.from({ length: 400 }, () => `${JSON.stringify(aMatch())}\n`);
  const whole = gzipSync(lines.join(""));

  test.each([
    ["in its checksum", whole.subarray(0, -4)],
    ["in the middle", whole.subarray(0, whole.length / 2)],
    ["in its header", whole.subarray(0, 5)],
    ["and goes on as something else", Buffer.concat([whole, Buffer.from("and so on")])],
  ])(
    "%s loses only what was lost",
    async (_name, bytes) => {
      const path = file("broken.gz", bytes);
      const { exitCode, stderr, report } = await ingest(path, sound());
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`the rest of ${path} cannot be read`);
      expect(report.rejected).toBeWithin(1, 3);
      expect(report.stored).toBeGreaterThan(0);
    },
    PATIENCE,
  );
});

test(
  "a gzip file in which a bit was flipped is never taken for whole",
  async () => {
    const bytes = gzipSync(`${JSON.stringify(aMatch())}\n`.repeat(50));
    for (const at of [0.3, 0.5, 0.7, 0.9]) {
      const flipped = Buffer.from(bytes);
      flipped[Math.floor(at * bytes.length)]! ^= 0x10;
      const { exitCode, report } = await ingest(file("flipped.gz", flipped));
      expect(exitCode).toBe(1);
      expect(report.rejected).toBeGreaterThan(0);
    }
  },
  PATIENCE,
);
