/** In charge of a real pgbouncer for tests, which lends a connection for one transaction at a time. */

import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { otherUserIds } from "./postgres.ts";
import { onFreePort } from "./redis.ts";

export interface Pgbouncer {
  port: number;
  /** What it has written so far. */
  log(): string;
  stop(): Promise<void>;
}

/** Debian puts it where only root's path leads. */
const PROGRAM = Bun.which("pgbouncer", { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });

/**
 * In front of the server at a port; with few connections to it, so that they really are shared. `more`
 * is what else its file says of the database.
 */
export const startPgbouncer = (serverPort: number, more = ""): Promise<Pgbouncer> =>
  onFreePort((port) => startPgbouncerAt(port, serverPort, more));

async function startPgbouncerAt(
  port: number,
  serverPort: number,
  more: string,
): Promise<Pgbouncer> {
  if (PROGRAM === null) {
    throw new Error("there is no pgbouncer: install it (apt-get install pgbouncer)");
  }
  const folder = mkdtempSync(join(tmpdir(), "matchbook-pgbouncer-"));
  const settings = join(folder, "pgbouncer.ini");
  const users = join(folder, "users.txt");
  writeFileSync(users, '"matchbook" ""\n');
  writeFileSync(
    settings,
    [
      "[databases]",
      `* = host=127.0.0.1 port=${serverPort} ${more}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = trust",
      `auth_file = ${users}`,
      "pool_mode = transaction",
      "default_pool_size = 4",
      "max_client_conn = 200",
      "verbose = 1",
      "",
    ].join("\n"),
  );
  const ids = otherUserIds();
  if (ids) for (const path of [folder, settings, users]) chownSync(path, ...ids);
  const log = join(folder, "log");
  const child = Bun.spawn([PROGRAM, settings], {
    stdin: "ignore",
    stdout: Bun.file(log),
    stderr: Bun.file(log),
    ...(ids ? { uid: ids[0], gid: ids[1] } : {}),
  });
  const said = () => readFileSync(log, "utf8");
  while (!said().includes("process up")) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended at once:\n${said()}`);
    await Bun.sleep(20);
  }
  return {
    port,
    log: said,
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
