/** Lists that are written line by line, at the end of the space: a line is written whole, or the command fails. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ingestAt } from "../support/places.ts";
import { MATCHBOOK, matchbook } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { aFolder } from "../support/world.ts";

let folder: ReturnType<typeof aFolder>;
beforeEach(() => {
  folder = aFolder();
});
afterEach(() => folder.remove());

const BLOCK = 512;

/** Runs a command that can make files of at most so many blocks; the write that reaches the limit is partial. */
function limitedTo(blocks: number, args: string[], stdin = "") {
  const program = join(folder.path, "limited");
  const script = `#!/bin/sh\ntrap '' XFSZ\nulimit -f ${blocks}\nexec ${MATCHBOOK} "$@"\n`;
  writeFileSync(program, script, { mode: 0o755 });
  return matchbook(args, { program, stdin });
}

test("a rejected record that does not fit into the file of --rejects fails the ingest", async () => {
  const rejects = join(folder.path, "rejects.ndjson");
  const record = JSON.stringify({
    data: { type: "match", id: "not an id", note: "-".repeat(BLOCK) },
  });
  const args = ["ingest", "-", "--data", join(folder.path, "data"), "--rejects", rejects];
  const { stderr } = await limitedTo(1, args, `${record}\n`);
  expect(readFileSync(rejects)).toHaveLength(BLOCK);
  expect(stderr).toContain("EFBIG");
});

test("a redaction that does not fit into the list is not reported as done", async () => {
  const data = join(folder.path, "data");
  mkdirSync(data);
  await ingestAt(data, [
    JSON.stringify(aMatch({ shard: "na", rosters: duel({ id: "ada" }, { id: "bob" }) })),
  ]);
  const blocks = 20_000;
  writeFileSync(join(data, "redactions.ndjson"), "\n".repeat(blocks * BLOCK - 20));
  const args = ["redact", "na", "ada", "--yes", "--data", data];
  const { exitCode, stdout, stderr } = await limitedTo(blocks, args);
  expect([exitCode, stdout, stderr]).toEqual([1, "", expect.stringContaining("EFBIG")]);

  writeFileSync(join(data, "redactions.ndjson"), "");
  expect((await matchbook(args)).exitCode).toBe(0);
  expect(readFileSync(join(data, "redactions.ndjson"), "utf8")).toContain('"ada"');
});
