/** A list that is written line by line, at the end of the space: a line is written whole, or the command fails. */

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MATCHBOOK, matchbook } from "../support/process.ts";
import { sharedFolder } from "../support/shared.ts";

const folder = sharedFolder();

const BLOCK = 512;

/** Runs a command that can make files of at most so many blocks; the write that reaches the limit is partial. */
function limitedTo(blocks: number, args: string[], stdin = "") {
  const program = join(folder, "limited");
  const script = `#!/bin/sh\ntrap '' XFSZ\nulimit -f ${blocks}\nexec ${MATCHBOOK} "$@"\n`;
  writeFileSync(program, script, { mode: 0o755 });
  return matchbook(args, { program, stdin });
}

test("a rejected record that does not fit into the file of --rejects fails the ingest", async () => {
  const rejects = join(folder, "rejects.ndjson");
  const record = JSON.stringify({
    data: { type: "match", id: "not an id", note: "-".repeat(BLOCK) },
  });
  const args = ["ingest", "-", "--data", join(folder, "data"), "--rejects", rejects];
  const { stderr } = await limitedTo(1, args, `${record}\n`);
  expect(readFileSync(rejects)).toHaveLength(BLOCK);
  expect(stderr).toContain("EFBIG");
});
