/** One Matchbook instance with the pgbouncer of its machine, on ports that stay the same over restarts. */

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { TOKEN } from "../../support/admin.ts";
import { freePort, giveAway } from "../../support/postgres.ts";
import { startServerProcess } from "../../support/process.ts";
import { until } from "../../support/state.ts";
import { familyOf, signalAll } from "../../support/workers.ts";
import { start } from "./programs.ts";
import { type DatabasePorts, pgbouncerSettings } from "./settings.ts";

export class InstanceOnMachine {
  readonly folder: string;
  /** The settings file, which commands can use too. */
  readonly config: string;
  #ports = { server: 0, admin: 0, pgbouncer: 0 };
  #server: Awaited<ReturnType<typeof startServerProcess>> | undefined;
  #pgbouncer: Subprocess | undefined;

  constructor(parent: string, name: string) {
    this.folder = join(parent, name);
    this.config = join(this.folder, "matchbook.toml");
    mkdirSync(this.folder);
    giveAway(this.folder);
  }

  get port(): number {
    return this.#ports.server;
  }

  get adminUrl(): string {
    return `http://127.0.0.1:${this.#ports.admin}`;
  }

  /** Starts the pooler. Commands that use the settings file work from here on. */
  async prepare(ports: DatabasePorts, redis: string, readsReplica: boolean): Promise<void> {
    const [server, admin, pgbouncer] = [await freePort(), await freePort(), await freePort()];
    this.#ports = { server, admin, pgbouncer };
    writeFileSync(join(this.folder, "users.txt"), '"matchbook" ""\n');
    writeFileSync(join(this.folder, "pgbouncer.ini"), pgbouncerSettings(pgbouncer, ports));
    const database = (name: string) =>
      `postgres://matchbook@127.0.0.1:${pgbouncer}/${name}?prepare=off`;
    const replicas = `replicas = ["${database("matchbook_replica")}"]\n`;
    writeFileSync(
      this.config,
      `data = ${JSON.stringify(join(this.folder, "data"))}
trusted-proxies = ["127.0.0.1"]
keys-database = "${database("matchbook")}"
redis = "${redis}"
rate = 100000000
matches-per-day = 0
[shards.na]
url = "${database("matchbook")}&schema=na"
${readsReplica ? replicas : ""}`,
    );
    this.startPgbouncer();
  }

  async start(): Promise<void> {
    const { server, admin } = this.#ports;
    const ports = ["--port", String(server), "--admin-port", String(admin)];
    this.#server = await startServerProcess(
      ["--config", this.config, ...ports, "--log-level", "warn"],
      {
        env: { MATCHBOOK_ADMIN_TOKEN: TOKEN },
      },
    );
    void this.#listen(this.#server.child.stderr);
  }

  startPgbouncer(): void {
    this.#pgbouncer = start("pgbouncer", ["pgbouncer.ini"], this.folder, "pgbouncer.log");
  }

  signalServer(name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    signalAll(familyOf(this.#server!.child.pid), name);
  }

  signalPgbouncer(name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    signalAll([this.#pgbouncer!.pid], name);
  }

  /** Resolves when it can read its shard. */
  async ready(): Promise<void> {
    const isReady = async () => {
      try {
        const signal = AbortSignal.timeout(2000);
        return (await fetch(`http://127.0.0.1:${this.port}/readyz`, { signal })).ok;
      } catch {
        return false;
      }
    };
    await until(`the instance in ${this.folder} is ready`, isReady, 120);
  }

  /** A graceful shutdown; returns the exit code. */
  stop(): Promise<number> {
    return this.#server!.end();
  }

  /** Ends everything at once. */
  async remove(): Promise<void> {
    const children = [this.#server?.child, this.#pgbouncer].filter((child) => child !== undefined);
    signalAll(
      children.flatMap(({ pid }) => familyOf(pid)),
      "SIGKILL",
    );
    await Promise.all(children.map(({ exited }) => exited));
  }

  async #listen(stderr: ReadableStream<Uint8Array>): Promise<void> {
    for await (const piece of stderr) appendFileSync(join(this.folder, "server.log"), piece);
  }
}
