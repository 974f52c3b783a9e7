/** A PostgreSQL that is stopped, frozen or slow. */

import { type Cluster, startCluster } from "../../../support/postgres.ts";
import { startProxy, type TcpProxy } from "../../../support/tcp-proxy.ts";
import { begin, type FaultKind } from "../kind.ts";
import type { Scene } from "../scene.ts";
import { missesNothing } from "./disks.ts";
import { acknowledgedMore } from "./kills.ts";

let cluster: Promise<Cluster> | undefined;

/** One cluster for all runs, with the durability of production. */
const theCluster = () => {
  cluster ??= startCluster(["fsync = on", "synchronous_commit = on"]);
  return cluster;
};
/** Ends what the runs share. */
export async function removeDatabases(): Promise<void> {
  (await cluster)?.remove();
}

/** Does something to the database, and undoes it. `isBack` resolves when it was undone. */
type DatabaseFault = (scene: Scene, cluster: Cluster, proxy: TcpProxy) => Promise<void>;

function postgresKind(name: string, what: string, fault: DatabaseFault): FaultKind {
  return {
    name,
    what,
    async run(scene) {
      const database = await theCluster();
      const proxy = await startProxy(database.port);
      scene.cleanup(() => proxy.stop());
      const schema = `faults_${scene.seed}`;
      const place = `postgres://matchbook@127.0.0.1:${proxy.port}/postgres?schema=${schema}`;
      await begin(scene, { place });
      const sending = scene.send(scene.ledger.open);
      await acknowledgedMore(scene);
      scene.hit();
      await fault(scene, database, proxy);
      await sending;
      await scene.sendOpen();
      scene.cleanup(() => {
        const drop = `DROP SCHEMA IF EXISTS ${schema} CASCADE`;
        database.run("psql", ["-q", "-c", drop, database.url]);
      });
    },
  };
}

/** Waits until readers notice, or for as long as a short failure takes. */
const whileAway = (scene: Scene) =>
  scene.random.share(0.6) ? missesNothing(scene) : Bun.sleep(scene.random.between(50, 1500));

export const DATABASES = [
  postgresKind(
    "postgres-stopped",
    "PostgreSQL (fsync on) is stopped, normally or as in a crash, and started again",
    async (scene, database) => {
      const mode = scene.random.pick(["fast", "immediate"] as const);
      scene.note(mode);
      await database.stop(mode);
      await whileAway(scene).finally(() => database.start());
    },
  ),
  postgresKind(
    "postgres-frozen",
    "PostgreSQL does not respond for a while; its connections stay open",
    async (scene, database) => {
      database.pause();
      await whileAway(scene).finally(() => database.goOn());
    },
  ),
  postgresKind(
    "postgres-slow",
    "every packet from and to PostgreSQL is delayed, and at the end connections are cut",
    async (scene, _, proxy) => {
      proxy.delayMs = scene.random.between(5, 120);
      scene.note(`${proxy.delayMs} ms`);
      await whileAway(scene);
      proxy.delayMs = 0;
      if (scene.random.share(0.5)) proxy.cut();
    },
  ),
];
