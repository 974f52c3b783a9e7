/** Events of the running service. The log and the metrics decide what to show of each. */

/** Events of features, by name, without it. Each adds its own to this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: features merge with it.
export interface FeatureEvents {}

export type Event =
  | CoreEvent
  | { [Name in keyof FeatureEvents]: { event: Name } & FeatureEvents[Name] }[keyof FeatureEvents];

export type CoreEvent =
  | { event: "shard-opened"; shard: string; location: string }
  /** A shard of an older format is being migrated, which takes time in proportion to its size. */
  | { event: "shard-migrating"; shard: string; from: number; to: number }
  | { event: "shard-unavailable"; shard: string; error: unknown }
  /** It was unavailable before. */
  | { event: "shard-available"; shard: string }
  /** A listed shard that was served before had no file at the start, so that an empty one was created. */
  | { event: "shard-missing"; shard: string; location: string }
  /** A file in the data folder has the name of a shard, but is none. */
  | { event: "file-ignored"; error: unknown }
  /** A stored record is damaged. Found by a request, which was answered with 503, or by the scheduled verify. */
  | {
      event: "damaged-data";
      requestId?: string;
      shard: string;
      table: string;
      record: string | number;
    }
  /** The scheduled verify of a shard has ended. With damage, nothing of the shard is served until a verify finds none. */
  | {
      event: "shard-verified";
      shard: string;
      rows: number;
      milliseconds: number;
      damaged: number;
    }
  /** It is tried again an hour later. Without a shard: the thread that verifies failed. */
  | { event: "verify-failed"; shard?: string; error: unknown }
  /** When a shard was opened, its WAL was damaged, and SQLite ignores the commits that follow the damage. */
  | { event: "wal-damaged"; shard: string; commits: number }
  /** What a verify, or the WAL, has shown cannot be stored with the shard: other processes do not learn it. */
  | { event: "finding-not-stored"; shard: string; verdict?: FoundDamage; error: unknown }
  /** Matches older than the retention of a shard were removed, and records that are not served. */
  | {
      event: "shard-pruned";
      shard: string;
      /** Everything that was created before this time. */
      before: number;
      served: number;
      withheld: number;
      milliseconds: number;
    }
  /** Entries of the list of redactions are damaged. The shard has what they stand for. */
  | { event: "redactions-damaged"; shard: string; entries: number }
  /** It is tried again a minute later. Without a shard: the thread that prunes them failed. */
  | { event: "shard-prune-failed"; shard?: string; error: unknown }
  /** Derived tables of a shard are built from its records. What needs them responds 503 until they are complete. */
  | { event: "derived-building"; shard: string; tables: string[] }
  | { event: "derived-built"; shard: string; matches: number; milliseconds: number }
  /** It is tried again a minute later. Without a shard: the thread that builds failed. */
  | { event: "derived-build-failed"; shard?: string; error: unknown }
  /** The database of a shard does not check its pages, so that damage to them may go unnoticed. */
  | { event: "data-checksums-off"; shard: string }
  /** A replica is now used for reads, or no longer is. Replicas are numbered from 1, as in the settings. */
  | { event: "replica-included"; shard: string; replica: number }
  | { event: "replica-excluded"; shard: string; replica: number; why: string }
  | { event: "keys-reloaded"; live: number }
  /** At startup. Requests with a key get 503 until the keys are loaded. */
  | { event: "keys-load-failed"; error: unknown }
  /** The keys loaded last remain valid until a reload succeeds. */
  | { event: "keys-reload-failed"; error: unknown }
  | { event: "keys-reload-still-failing"; error: unknown }
  | { event: "keys-reload-recovered" }
  /** A key has a tier that is not in the settings. */
  | { event: "unknown-tier"; tier: string; taken: string }
  /** The settings close a shard that does not exist: yet to be created, or a typo. */
  | { event: "closed-shard-missing"; shard: string }
  /** Usage and quotas are counted in memory only, until they can be stored again. */
  | { event: "usage-write-failed"; error: unknown }
  | { event: "usage-write-still-failing"; error: unknown }
  | { event: "usage-write-recovered" }
  /** Without shared limits, every instance applies its own. */
  | { event: "shared-limits-unavailable"; error: unknown }
  | { event: "shared-limits-available" }
  /** A worker accepts requests. */
  | { event: "worker-ready"; worker: number; pid: number }
  /** A worker exited unexpectedly and is restarted after the delay. */
  | { event: "worker-exited"; worker: number; pid: number; how: string; delayMs: number }
  | { event: "restarting"; workers: number }
  | { event: "restarted"; workers: number }
  /** A new worker failed to start; the remaining old ones keep running. */
  | { event: "restart-failed"; worker: number; how: string }
  /** SIGHUP without workers to restart. */
  | { event: "reload-ignored" }
  | { event: "listening"; url: string }
  /** File descriptors run short: no connections are accepted until some are closed. At most once a minute. */
  | { event: "descriptors-low"; open: number; limit: number }
  /** Requests were refused because more arrive than can be worked on: so many since the last such event. Every ten seconds at most. */
  | { event: "overloaded"; refused: number }
  | { event: "admin-listening"; url: string }
  /** The admin listener is reachable from other machines. */
  | { event: "admin-exposed"; url: string }
  /** Every user of the machine can read the file with the admin token. */
  | { event: "admin-token-exposed"; file: string }
  | AdminRequestEvent
  | UploadEvent
  | RequestEvent
  | { event: "failure"; requestId: string; error: unknown }
  /** No code caught this error. The process shuts down. */
  | { event: "uncaught-error"; error: unknown }
  /** The buffer of the log was full because nothing read the log. There is room again. */
  | { event: "log-lines-dropped"; lines: number }
  | { event: "stopping"; signal: string; inFlight: number }
  | { event: "stopped" };

/** What a verify has found, as stores know it. */
interface FoundDamage {
  at: number;
  damaged: number;
  damage: readonly { table: string; record: string; detail: string }[];
}

/** A request that was served. */
export interface RequestEvent {
  event: "request";
  requestId: string;
  method: string;
  /** Without the query string. */
  path: string;
  /** Still encoded. May contain player names, which the log hides by default. */
  query: string;
  /** The path pattern; undefined if no route matches. */
  route: string | undefined;
  status: number;
  /** The code of the first error in an error response. */
  code: string | undefined;
  /** When the response was sent, in milliseconds since the epoch. */
  time: number;
  milliseconds: number;
  /** Milliseconds by stage, 0 for those not reached; undefined if the stages of this request were not timed. */
  stages: readonly number[] | undefined;
  /** Undefined without a valid key. */
  keyId: string | undefined;
  tier: string | undefined;
  /** Match and player records in the body. */
  records: number;
}

/** A request to the admin listener. */
export interface AdminRequestEvent {
  event: "admin-request";
  requestId: string;
  method: string;
  /** Without the query string. */
  path: string;
  /** The route with this path, whatever the method; undefined if there is none. */
  route: string | undefined;
  status: number;
  milliseconds: number;
}

/** The result of an upload. */
export interface UploadEvent {
  event: "upload";
  requestId: string;
  /** As received. */
  bytes: number;
  stored: number;
  withheld: number;
  duplicate: number;
  conflict: number;
  pruned: number;
  rejected: number;
  /** Why it was aborted, if it was. */
  broken: string | undefined;
}

export type EventName = Event["event"];

export type Observe = (event: Event) => void;

/** Calls several observers, in this order. */
export function observeAll(observers: readonly Observe[]): Observe {
  return (event) => {
    for (const observe of observers) observe(event);
  };
}

/** Drops repeated reports that a shard is unavailable, or still available, so that the log has one for each change. */
export function onlyChanges(observe: Observe): Observe {
  const reasons = new Map<string, string>();
  return (event) => {
    if (event.event === "shard-available" && !reasons.delete(event.shard)) return;
    if (event.event === "shard-unavailable") {
      const reason = event.error instanceof Error ? event.error.message : String(event.error);
      if (reasons.get(event.shard) === reason) return;
      reasons.set(event.shard, reason);
    }
    observe(event);
  };
}

/** For code that needs no log: most commands, most tests. */
export const unobserved: Observe = () => {};
