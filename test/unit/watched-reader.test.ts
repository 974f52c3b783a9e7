/** The reader of a shard's file, when the file is another shard's. */

import { expect, spyOn, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WatchedReader } from "../../src/store/sqlite/watched-reader.ts";
import { OtherOwner, StoreReplaced } from "../../src/store/store.ts";
import { aFolder } from "../support/world.ts";

test("a shard whose wrong file is moved away is unavailable, not absent", () => {
  const folder = aFolder();
  const path = join(folder.path, "na.db");
  let now = 0;
  const clock = spyOn(performance, "now").mockImplementation(() => now);
  try {
    const open = () => {
      throw new OtherOwner(path, "na", "eu");
    };
    const reader = new WatchedReader(
      path,
      open,
      () => {},
      () => {},
    );
    expect(reader.get()).toBeUndefined();
    writeFileSync(path, "the shard eu");
    expect(() => reader.get()).toThrow(OtherOwner);
    rmSync(path);
    for (let look = 0; look < 3; look++) {
      now += 10_000;
      expect(() => reader.get()).toThrow(StoreReplaced);
    }
    expect(reader.wasOpened).toBe(true);
  } finally {
    clock.mockRestore();
    folder.remove();
  }
});
