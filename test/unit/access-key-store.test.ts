/** The key file in a data folder; test/conformance/access.ts covers both engines. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { AccessError } from "../../src/access/key-database.ts";
import { KEY_TABLES } from "../../src/access/tables.ts";
import { openAccess } from "../../src/open-access.ts";
import { aFolder } from "../support/world.ts";

const root = aFolder();
afterAll(() => root.remove());

let folders = 0;
const freshFolder = () => join(root.path, `deep/${folders++}`);

describe("the key file", () => {
  const fileIn = (folder: string) => join(folder, KEY_TABLES.file);

  test("is readable by its owner only, and never contains a key in plain text", async () => {
    const folder = freshFolder();
    const access = openAccess({ data: folder });
    const { key } = await access.keys.create({ name: "one" }, 1000);
    const files = readdirSync(folder);
    expect(files).toContain("access.sqlite");
    for (const file of files) {
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, file)).includes(key.slice(3))).toBe(false);
    }
    await access.close();
  });

  test.each([
    ["a newer version", 99, "newer Matchbook"],
    [
      "a development version",
      2,
      "development version of Matchbook \\(format 2\\), .* create keys and hooks again",
    ],
  ])("of %s is refused, with its name", async (_, format, reason) => {
    const folder = freshFolder();
    const access = openAccess({ data: folder });
    await access.keys.create({ name: "one" }, 1);
    await access.close();
    const database = new Database(fileIn(folder));
    database.run(`PRAGMA user_version = ${format}`);
    database.close();
    const list = () => openAccess({ data: folder }).keys.list();
    expect(list).toThrow(AccessError);
    expect(list).toThrow(new RegExp(`access\\.sqlite.*${reason}`));
  });
});
