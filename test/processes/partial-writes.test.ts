/** A list that is written line by line, at the end of the space: a line is written whole, or the command fails. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MATCHBOOK, matchbook } from "../support/process.ts";
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
