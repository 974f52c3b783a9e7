/** The settings of Patroni, HAProxy and pgbouncer: those of the folder deploy, with the addresses of the test. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { binaries } from "../../support/postgres.ts";
import { ROOT } from "../../support/process.ts";

export interface NodePlace {
  name: string;
  folder: string;
  port: number;
  /** The port of Patroni's API on the node. */
  statePort: number;
}

/** Patroni accepts nothing below 20. A lost node is replaced when its lease has expired. */
export const LEASE_SECONDS = 20;

/** JSON, which is also valid YAML. */
export function patroniSettings(place: NodePlace, etcdPort: number): string {
  const { name, folder, port, statePort } = place;
  return JSON.stringify({
    scope: "matchbook",
    name,
    restapi: { listen: `127.0.0.1:${statePort}`, connect_address: `127.0.0.1:${statePort}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: LEASE_SECONDS,
        loop_wait: 2,
        retry_timeout: 5,
        // A commit is acknowledged once both nodes have it, as long as there are two.
        synchronous_mode: true,
        // A crashed database is not restarted in place: the other node takes over at once.
        master_start_timeout: 0,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: { max_connections: 100, wal_log_hints: "on", synchronous_commit: "on" },
        },
      },
      initdb: [{ encoding: "UTF8" }, "data-checksums"],
      pg_hba: ["local all all trust", "host all all 127.0.0.1/32 trust"].concat(
        "host replication all 127.0.0.1/32 trust",
      ),
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: `${folder}/data`,
      bin_dir: binaries(),
      pgpass: `${folder}/pgpass`,
      authentication: {
        superuser: { username: "matchbook" },
        replication: { username: "replication" },
        rewind: { username: "matchbook" },
      },
      parameters: { unix_socket_directories: folder },
    },
    watchdog: { mode: "off" },
  });
}

/** The ports of whichever node is the primary now, and of the one that is a replica. */
export interface DatabasePorts {
  primary: number;
  replica: number;
}

export function databaseProxySettings(ports: DatabasePorts, nodes: readonly NodePlace[]): string {
  const servers = nodes.map(
    (node) =>
      `    server ${node.name} 127.0.0.1:${node.port} check port ${node.statePort} maxconn 100`,
  );
  const endpoint = (role: keyof DatabasePorts) => `
listen ${role}
    bind 127.0.0.1:${ports[role]}
    option httpchk GET /${role}
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
  return `defaults
    mode tcp
    timeout connect 2s
    timeout client 30m
    timeout server 30m
    timeout check 2s
${endpoint("primary")}${endpoint("replica")}`;
}

/** The proxy in front of the instances. */
export function publicProxySettings(port: number, instancePorts: readonly number[]): string {
  const changes = instancePorts.map((instancePort, index): [RegExp, string] => [
    new RegExp(`(server matchbook-${index + 1}) \\S+$`, "gm"),
    `$1 127.0.0.1:${instancePort}`,
  ]);
  return deployed("haproxy.cfg", [[/^( {4}bind) :8080$/gm, `$1 127.0.0.1:${port}`], ...changes]);
}

/** The pooler of an instance. */
export const pgbouncerSettings = (port: number, { primary, replica }: DatabasePorts): string =>
  deployed("pgbouncer.ini", [
    [/host=db\S+ port=\d+ dbname=\S+/g, `host=127.0.0.1 port=${primary} dbname=postgres`],
    [/host=replica\S+ port=\d+ dbname=\S+/g, `host=127.0.0.1 port=${replica} dbname=postgres`],
    [/^listen_port = .*$/gm, `listen_port = ${port}\nunix_socket_dir =`],
    [/^auth_type = .*$/gm, "auth_type = trust"],
    [/^auth_file = .*$/gm, "auth_file = users.txt"],
  ]);

/** A file of the folder deploy with changes, each of which must apply. */
function deployed(name: string, changes: readonly [RegExp, string][]): string {
  let text = readFileSync(join(ROOT, "deploy", name), "utf8");
  for (const [from, to] of changes) {
    if (text.search(from) === -1) throw new Error(`deploy/${name} does not contain ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}
