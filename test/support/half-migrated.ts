/**
 * A process that migrates the shard at its first argument (a path, or the target of a PostgreSQL session as JSON) with a
 * made-up migration, prints a line before the commit, and then waits to be killed.
 */

import { writeSync } from "node:fs";
import { prepare } from "../../src/store/postgres/open.ts";
import { Session } from "../../src/store/postgres/session.ts";
import { openForReading } from "../../src/store/sqlite/open.ts";
import { ROOT } from "./process.ts";

/** The made-up migration. */
export const ADD_NOTE = "ALTER TABLE {shard} ADD COLUMN note TEXT";

/** Runs the process on a shard, and kills it before the commit. */
export async function killMigration(location: string): Promise<void> {
  const child = Bun.spawn([process.execPath, import.meta.path, location], {
    cwd: ROOT,
    stdout: "pipe",
  });
  const { value } = await child.stdout.getReader().read();
  if (Buffer.from(value ?? "").toString() !== "all but committed\n") throw new Error("it ended");
  child.kill("SIGKILL");
  await child.exited;
}

function waitForTheEnd(): void {
  writeSync(1, "all but committed\n");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

if (import.meta.main) {
  const location = process.argv[2]!;
  if (location.startsWith("{")) {
    const migration = async (connection: { run(text: string): Promise<number> }) => {
      await connection.run(ADD_NOTE);
      waitForTheEnd();
    };
    await prepare(new Session(JSON.parse(location)), "na", () => {}, [migration]);
  }
  openForReading(location, "na", () => {}, [
    (database) => {
      database.run(ADD_NOTE.replace(/[{}]/g, ""));
      waitForTheEnd();
    },
  ]);
}
