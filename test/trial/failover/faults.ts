/** The faults: what fails, and how it is repaired. */

import { SQL } from "bun";
import { until } from "../../support/state.ts";
import { LEASE_SECONDS } from "./settings.ts";
import type { Stack } from "./stack.ts";

export interface Fault {
  title: string;
  /** How long it lasts until somebody, or a supervisor such as systemd, repairs it. */
  seconds: number;
  /** Returns the repair. */
  begin(stack: Stack): Promise<() => Promise<void> | void>;
}

/** Longer than the lease, so that the other node has taken over. */
const PAST_LEASE = LEASE_SECONDS + 15;

export const FAULTS: Record<string, Fault> = {
  none: { title: "nothing fails", seconds: 15, begin: async () => () => {} },
  "primary-killed": {
    title: "the primary's machine is lost (`kill -9` of PostgreSQL and Patroni)",
    seconds: PAST_LEASE,
    async begin({ cluster }) {
      const name = await primary(cluster);
      await cluster.killNode(name);
      return () => cluster.startNode(name);
    },
  },
  "database-killed": {
    title: "the primary's PostgreSQL is killed, its Patroni runs",
    seconds: 15,
    async begin({ cluster }) {
      cluster.killDatabase(await primary(cluster));
      return () => {};
    },
  },
  "primary-frozen": {
    title: "the primary's machine is frozen (`kill -STOP` of PostgreSQL and Patroni), later reset",
    seconds: PAST_LEASE,
    async begin({ cluster }) {
      const name = await primary(cluster);
      cluster.freezeNode(name);
      // As a watchdog does: a Patroni that goes on after its lease may take the lock back.
      return async () => {
        await cluster.killNode(name);
        cluster.startNode(name);
      };
    },
  },
  switchover: {
    title: "a planned switchover",
    seconds: 15,
    async begin({ cluster }) {
      await cluster.switchOver(await primary(cluster));
      return () => {};
    },
  },
  "instance-killed": {
    title: "an instance is killed",
    seconds: 15,
    async begin({ one }) {
      one.signalServer("SIGKILL");
      return () => one.start();
    },
  },
  "instance-frozen": {
    title: "an instance is frozen in the middle of a write",
    seconds: 90,
    async begin({ one, cluster }) {
      const sql = new SQL(`postgres://matchbook@127.0.0.1:${cluster.ports.primary}/postgres`, {
        max: 1,
      });
      await until("it is frozen in the middle of a write", async () => {
        one.signalServer("SIGSTOP");
        await Bun.sleep(100);
        const held = await sql.unsafe(
          `SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory'
           AND granted AND state = 'idle in transaction' AND state_change < now() - interval '50 ms'`,
        );
        if (held.length === 0) one.signalServer("SIGCONT");
        return held.length > 0;
      });
      await sql.close();
      return () => one.signalServer("SIGCONT");
    },
  },
  "pgbouncer-killed": {
    title: "the pgbouncer of an instance is killed",
    seconds: 15,
    async begin({ one }) {
      one.signalPgbouncer("SIGKILL");
      return () => one.startPgbouncer();
    },
  },
  "pgbouncer-frozen": {
    title: "the pgbouncer of an instance is frozen",
    seconds: 60,
    async begin({ one }) {
      one.signalPgbouncer("SIGSTOP");
      return () => one.signalPgbouncer("SIGCONT");
    },
  },
  "redis-killed": {
    title: "Redis is killed",
    seconds: 15,
    async begin({ redis }) {
      await redis.kill();
      return () => redis.start();
    },
  },
  "redis-frozen": {
    title: "Redis is frozen",
    seconds: 15,
    async begin({ redis }) {
      redis.pause();
      return () => redis.resume();
    },
  },
};

const primary = (cluster: Stack["cluster"]): Promise<string> =>
  until("there is a primary", () => cluster.primary());
