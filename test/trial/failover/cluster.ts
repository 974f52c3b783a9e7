/** A PostgreSQL cluster of two nodes, managed by Patroni with etcd, behind HAProxy. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { freePort, giveAway } from "../../support/postgres.ts";
import { until } from "../../support/state.ts";
import { familyOf, signalAll } from "../../support/workers.ts";
import { start } from "./programs.ts";
import {
  type DatabasePorts,
  databaseProxySettings,
  type NodePlace,
  patroniSettings,
} from "./settings.ts";

/** A cluster member as Patroni reports it. */
interface Member {
  name: string;
  role: string;
  state: string;
}

export class FailoverCluster {
  readonly folder = mkdtempSync(join(tmpdir(), "matchbook-ha-"));
  readonly #nodes: NodePlace[] = [];
  readonly #patronis = new Map<string, Subprocess>();
  readonly #others: Subprocess[] = [];
  ports: DatabasePorts = { primary: 0, replica: 0 };

  async start(): Promise<void> {
    giveAway(this.folder);
    const etcdPort = await this.#startEtcd();
    for (const name of ["one", "two"]) this.#nodes.push(await this.#place(name));
    for (const place of this.#nodes) {
      const file = join(place.folder, "patroni.json");
      writeFileSync(file, patroniSettings(place, etcdPort));
      giveAway(file);
    }
    // One after the other: the first creates the database, the second copies it.
    for (const { name } of this.#nodes) {
      this.startNode(name);
      await until(`the node ${name} runs`, () => this.#runs(name), 90);
    }
    await this.#startProxy();
    await this.bothInStep();
  }

  /** The current primary. */
  async primary(): Promise<string | undefined> {
    const members = await this.#members();
    return members.find(({ role, state }) => role === "leader" && state === "running")?.name;
  }

  /** Resolves when each commit is on two nodes again. */
  async bothInStep(): Promise<void> {
    const isSo = async () => {
      const members = await this.#members();
      return (
        members.some(({ role, state }) => role === "leader" && state === "running") &&
        members.some(({ role }) => role === "sync_standby")
      );
    };
    await until("the other node is a synchronous copy", isSo, 180);
  }

  /** Like the loss of its machine: kills the database and its Patroni at once. */
  async killNode(name: string): Promise<void> {
    signalAll(this.#processes(name), "SIGKILL");
    await this.#patronis.get(name)!.exited;
  }

  /** Like a crash of the database alone. */
  killDatabase(name: string): void {
    signalAll(this.#database(name), "SIGKILL");
  }

  /** Like a machine that hangs: connections stay open, and nothing responds. */
  freezeNode(name: string): void {
    signalAll(this.#processes(name), "SIGSTOP");
  }

  /** A planned switchover, as before maintenance of the primary. */
  async switchOver(leader: string): Promise<void> {
    const { statePort } = this.#nodes.find(({ name }) => name === leader)!;
    const response = await fetch(`http://127.0.0.1:${statePort}/switchover`, {
      method: "POST",
      body: JSON.stringify({ leader }),
    });
    if (!response.ok) throw new Error(`Patroni refuses the switchover: ${await response.text()}`);
  }

  startNode(name: string): void {
    const { folder } = this.#nodes.find((node) => node.name === name)!;
    const settings = join(folder, "patroni.json");
    this.#patronis.set(name, start("patroni", [settings], folder, "patroni.log"));
  }

  async remove(): Promise<void> {
    const others = [...this.#patronis.values(), ...this.#others];
    const nodes = this.#nodes.flatMap(({ name }) => this.#processes(name));
    signalAll([...others.flatMap(({ pid }) => familyOf(pid)), ...nodes], "SIGKILL");
    await Promise.all(others.map(({ exited }) => exited));
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #place(name: string): Promise<NodePlace> {
    const folder = join(this.folder, name);
    mkdirSync(folder, { mode: 0o700 });
    giveAway(folder);
    return { name, folder, port: await freePort(), statePort: await freePort() };
  }

  async #startEtcd(): Promise<number> {
    const [port, peerPort] = [await freePort(), await freePort()];
    const [own, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
    const flags = [
      ["--name", "etcd"],
      ["--data-dir", join(this.folder, "etcd")],
      ["--listen-client-urls", own, "--advertise-client-urls", own],
      ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
      ["--initial-cluster", `etcd=${peer}`],
    ];
    this.#others.push(start("etcd", flags.flat(), this.folder, "etcd.log"));
    await until("etcd responds", () => responds(`${own}/health`));
    return port;
  }

  async #startProxy(): Promise<void> {
    this.ports = { primary: await freePort(), replica: await freePort() };
    const file = join(this.folder, "haproxy.cfg");
    writeFileSync(file, databaseProxySettings(this.ports, this.#nodes));
    giveAway(file);
    this.#others.push(start("haproxy", ["-db", "-f", file], this.folder, "haproxy.log"));
  }

  async #runs(name: string): Promise<boolean> {
    const member = (await this.#members()).find((one) => one.name === name);
    return member !== undefined && /^(running|streaming)$/.test(member.state);
  }

  /** Empty when no node responds. */
  async #members(): Promise<Member[]> {
    for (const { statePort } of this.#nodes) {
      try {
        const response = await fetch(`http://127.0.0.1:${statePort}/cluster`, {
          signal: AbortSignal.timeout(2000),
        });
        if (response.ok) return ((await response.json()) as { members: Member[] }).members;
      } catch {
        // The other node may respond.
      }
    }
    return [];
  }

  /** The database and its Patroni. */
  #processes(name: string): number[] {
    const patroni = this.#patronis.get(name);
    return [...(patroni ? familyOf(patroni.pid) : []), ...this.#database(name)];
  }

  /** The postmaster on a node and its children; empty when it is not running. */
  #database(name: string): number[] {
    const data = join(this.folder, name, "data");
    try {
      const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
      // A killed postmaster leaves its pid file behind, and another process may have that pid by now.
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(data) ? familyOf(pid) : [];
    } catch {
      return [];
    }
  }
}

async function responds(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
