/** Everything that docs/scaling.md recommends: HAProxy, two instances, two poolers, Redis, a cluster of two nodes. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { freePort, giveAway } from "../../support/postgres.ts";
import { startRedis, type TestRedis } from "../../support/redis.ts";
import { until } from "../../support/state.ts";
import { FailoverCluster } from "./cluster.ts";
import { InstanceOnMachine } from "./instance.ts";
import { start } from "./programs.ts";
import { publicProxySettings } from "./settings.ts";

export class Stack {
  readonly cluster = new FailoverCluster();
  readonly folder = this.cluster.folder;
  /** Faults hit the first; the second must carry on. */
  readonly one = new InstanceOnMachine(this.folder, "instance-one");
  readonly two = new InstanceOnMachine(this.folder, "instance-two");
  #redis: TestRedis | undefined;
  #proxy: Subprocess | undefined;
  #port = 0;

  /** The URL of the proxy, which callers use. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get redis(): TestRedis {
    return this.#redis!;
  }

  /** With `readsReplica`, the instances read from the replica, if there is one. */
  async start({ readsReplica }: { readsReplica: boolean }): Promise<void> {
    await this.cluster.start();
    this.#redis = await startRedis();
    for (const instance of [this.one, this.two]) {
      await instance.prepare(this.cluster.ports, this.#redis.url, readsReplica);
      await instance.start();
    }
    this.#port = await freePort();
    const file = join(this.folder, "public.cfg");
    writeFileSync(file, publicProxySettings(this.#port, [this.one.port, this.two.port]));
    giveAway(file);
    this.#proxy = start("haproxy", ["-db", "-f", file], this.folder, "public.log");
    await until("the proxy serves", async () => {
      try {
        return (await fetch(`${this.url}/healthz`)).ok;
      } catch {
        return false;
      }
    });
  }

  /** Resolves when every part is as it was before the fault. */
  async whole(): Promise<void> {
    await this.cluster.bothInStep();
    await Promise.all([this.one.ready(), this.two.ready()]);
  }

  async remove(): Promise<void> {
    this.#proxy?.kill("SIGKILL");
    await Promise.all([this.one.remove(), this.two.remove(), this.#redis?.remove()]);
    await this.#proxy?.exited;
    await this.cluster.remove();
  }
}
