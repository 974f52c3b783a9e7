/** Judges what was found at the location of each shard. */

import { formatTimestamp } from "../domain/time.ts";
import { MAX_WAL_BYTES } from "../open-stores.ts";
import type { Settings } from "../settings/definitions.ts";
import { type ShardLocation, showLocation } from "../settings/shard-locations.ts";
import type {
  Examined,
  ExaminedReplica,
  ExaminedServer,
  ExaminedShard,
} from "../store/examined.ts";
import type { Findings } from "../store/store.ts";
import { describeError } from "../text/system-errors.ts";
import { walEstimate } from "./data-folder.ts";
import { type Finding, ok, problem, showBytes, warning } from "./findings.ts";

const HOUR_MS = 3_600_000;

/** A shard, and what was found there; an error if it cannot be used. */
export interface ShardFacts {
  id: string;
  location: ShardLocation;
  found: Examined | { error: Error };
}

/** What the findings depend on besides. */
export interface ShardRules {
  settings: Settings;
  now: number;
  /** Whether a server has served this one from a file. */
  wasServed: boolean;
}

export function shardFindings({ id, location, found }: ShardFacts, rules: ShardRules): Finding[] {
  const subject = `shard ${id}`;
  const shown = showLocation(location);
  if (found === "empty") return [ok(subject, `${shown} has no records yet`)];
  if (found === "missing" && rules.wasServed) {
    const advice = "put the file back, or restore the shard from a backup";
    return [problem(subject, `${shown} was served before, and does not exist any more`, advice)];
  }
  if (found === "missing") {
    const advice = "check its location in the settings; 'matchbook ingest' creates it";
    return [warning(subject, `${shown} does not exist`, advice)];
  }
  if (found === "foreign") return [foreignFinding(subject, shown, rules)];
  if ("error" in found) return [problem(subject, describeError(found.error))];
  const findings = [
    ...lossFindings(id, found),
    ...storedFindings(id, found.findings, rules),
    ...stateFindings(subject, found, rules),
    ...(found.server ? serverFindings(subject, found.server) : []),
  ];
  return [describeShard(subject, shown, found), ...findings];
}

function foreignFinding(subject: string, shown: string, { settings }: ShardRules): Finding {
  const message = `${shown} is an SQLite file, but not a Matchbook shard`;
  return settings.shards.length > 0
    ? problem(subject, message, "correct its location in the settings")
    : warning("files", `${message}: it is ignored`, "move it out of the data folder");
}

function describeShard(subject: string, shown: string, found: ExaminedShard): Finding {
  const { format, summary, bytes, walBytes = 0, server, findings } = found;
  const parts = [
    shown,
    ...(server ? [`PostgreSQL ${server.version}`] : []),
    `format ${format}`,
    `${summary.matches} ${summary.matches === 1 ? "match" : "matches"}`,
    showBytes(bytes),
    ...(summary.newestMatch === undefined
      ? []
      : [`newest ${formatTimestamp(summary.newestMatch)}`]),
    ...(walBytes > 0 ? [`WAL ${showBytes(walBytes)}`] : []),
    findings.verdict ? `verified ${formatTimestamp(findings.verdict.at)}` : "never verified",
  ];
  return ok(subject, parts.join(", "));
}

/** Commits that a damaged WAL has lost: what was noticed when the shard was opened, and what will be. */
function lossFindings(
  id: string,
  { findings: { wal }, lostCommits = 0 }: ExaminedShard,
): Finding[] {
  const losses = [
    ...(lostCommits > 0 ? [`the WAL is damaged: ${lostCommits}`] : []),
    ...(wal
      ? [
          `the WAL was damaged when the shard was opened at ${formatTimestamp(wal.at)}: ${wal.commits}`,
        ]
      : []),
  ];
  const advice = `send the records of the last minutes before the crash again, then run 'matchbook verify ${id}', which ends this report`;
  return losses.map((loss) =>
    problem(`shard ${id}`, `${loss} commits that follow the damage are lost`, advice),
  );
}

/** What servers and commands have found out about the shard, and stored in it. */
function storedFindings(id: string, { verdict }: Findings, rules: ShardRules): Finding[] {
  const subject = `shard ${id}`;
  const found: Finding[] = [];
  if (verdict && verdict.damaged > 0) {
    const { table, record } = verdict.damage[0] ?? {};
    const first = `e.g. table ${table}, record ${record}`;
    const message = `verify found ${verdict.damaged} damaged records at ${formatTimestamp(verdict.at)} (${first}): nothing of the shard is served`;
    const advice = `run 'matchbook repair ${id}' or restore a backup, then 'matchbook verify ${id}'`;
    found.push(problem(subject, message, advice));
  }
  const hours = rules.settings["verify-hours"] ?? Number.POSITIVE_INFINITY;
  if (verdict && rules.now - verdict.at > 2 * hours * HOUR_MS) {
    const message = `the last verify was at ${formatTimestamp(verdict.at)}, although verify-hours is ${hours}`;
    const advice = `check the log of the server for why, or run 'matchbook verify ${id}'`;
    found.push(warning(subject, message, advice));
  }
  return found;
}

const TOLERATED_AHEAD_MS = 60_000;

/** About what nobody has stored: the size of the WAL, and the clocks. */
function stateFindings(subject: string, found: ExaminedShard, rules: ShardRules): Finding[] {
  const { walBytes = 0, summary } = found;
  const { newestMatch = 0 } = summary;
  const findings: Finding[] = [];
  if (walBytes > walEstimate(rules.settings.batch)) {
    const limit = `its limit of ${showBytes(MAX_WAL_BYTES)} and one transaction`;
    const message = `the WAL has ${showBytes(walBytes)}, more than ${limit}: a long read keeps it from being emptied, and slows ingest down`;
    const advice =
      "end that read, e.g. a backup or a forgotten transaction ('fuser FILE' lists the processes)";
    findings.push(warning(subject, message, advice));
  }
  if (newestMatch - rules.now > TOLERATED_AHEAD_MS) {
    const message = `the newest match is dated ${formatTimestamp(newestMatch)}, which is in the future: it is not listed until then`;
    const advice = "compare the clocks of this machine and of the game servers with a time server";
    findings.push(warning(subject, message, advice));
  }
  return findings;
}

function serverFindings(
  subject: string,
  { hasDataChecksums, unsafeSettings, isReplica, replicas }: ExaminedServer,
): Finding[] {
  const found: Finding[] = [];
  if (isReplica) {
    const message = "the server is a replica, so that no records can be added";
    found.push(problem(subject, message, "set the URL to the primary, and list replicas as such"));
  }
  if (!hasDataChecksums) {
    const message = "data_checksums are off: PostgreSQL does not notice damaged pages";
    found.push(warning(subject, message, "stop PostgreSQL and run 'pg_checksums' with --enable"));
  }
  for (const setting of unsafeSettings) {
    const message = `${setting} is off: a power failure can lose acknowledged records and damage the database`;
    found.push(warning(subject, message, "set it to on in postgresql.conf, and reload PostgreSQL"));
  }
  return [...found, ...replicas.map((replica) => replicaFinding(subject, replica))];
}

function replicaFinding(subject: string, { shown, reason }: ExaminedReplica): Finding {
  if (reason === undefined) return ok(subject, `replica ${shown} replicates the primary`);
  const advice =
    "check that it runs, and its replication; until then, the primary or other replicas serve its requests";
  return warning(subject, `replica ${shown}: ${reason}`, advice);
}
