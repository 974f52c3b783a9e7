/** What happens while the service runs. The log and the metrics decide what to show of it. */

export type Event =
  | { event: "shard-opened"; shard: string; location: string }
  | { event: "shard-unavailable"; shard: string; error: unknown }
  /** A replica is used for reads, or no longer. Replicas are numbered from 1, as in the settings. */
  | { event: "replica-included"; shard: string; replica: number }
  | { event: "replica-excluded"; shard: string; replica: number; why: string }
  | { event: "keys-reloaded"; live: number }
  /** The keys that were read last stay valid until they can be read again. */
  | { event: "keys-reload-failed"; error: unknown }
  | { event: "keys-reload-still-failing"; error: unknown }
  | { event: "keys-reload-recovered" }
  /** A key names a tier that the settings do not have. */
  | { event: "unknown-tier"; tier: string; taken: string }
  /** The settings close a shard that does not exist: not yet, or its name is mistyped. */
  | { event: "closed-shard-missing"; shard: string }
  /** Usage and quotas are counted in memory only, until they can be stored again. */
  | { event: "usage-write-failed"; error: unknown }
  | { event: "usage-write-still-failing"; error: unknown }
  | { event: "usage-write-recovered" }
  /** While shared limits are unavailable, every instance applies limits of its own. */
  | { event: "shared-limits-unavailable"; error: unknown }
  | { event: "shared-limits-available" }
  /** A worker has started to serve. */
  | { event: "worker-ready"; worker: number; pid: number }
  /** A worker ended unexpectedly. Another starts after the delay. */
  | { event: "worker-exited"; worker: number; pid: number; how: string; delayMs: number }
  | { event: "restarting"; workers: number }
  | { event: "restarted"; workers: number }
  /** A new worker could not start; the old ones stay. */
  | { event: "restart-failed"; worker: number; how: string }
  /** SIGHUP without workers that could be replaced. */
  | { event: "reload-ignored" }
  | { event: "listening"; url: string }
  | { event: "admin-listening"; url: string }
  /** The private listener can be reached from other machines. */
  | { event: "admin-exposed"; url: string }
  /** Every user of the machine can read the file with the token of the private listener. */
  | { event: "admin-token-exposed"; file: string }
  | AdminRequestEvent
  | UploadEvent
  | RequestEvent
  | { event: "failure"; requestId: string; error: unknown }
  /** The log was not read for so long that its buffer was full. It is read again now. */
  | { event: "log-lines-dropped"; lines: number }
  | { event: "stopping"; signal: string; inFlight: number }
  | { event: "stopped" };

/** One answered request. */
export interface RequestEvent {
  event: "request";
  requestId: string;
  method: string;
  /** Without the query string. */
  path: string;
  /** Still encoded. It may name players: the log shows them only on request. */
  query: string;
  /** The path with its variables' names; undefined when nothing is served there. */
  route: string | undefined;
  status: number;
  /** Of the first error, if the reply is one. */
  code: string | undefined;
  /** Milliseconds since the epoch at which it was answered. */
  time: number;
  milliseconds: number;
  /** Milliseconds by stage, in their order, 0 for those not reached; undefined for a request that was not timed so. */
  stages: readonly number[] | undefined;
  /** Undefined when the caller showed no key that is in force. */
  keyId: string | undefined;
  tier: string | undefined;
  /** Match and player records in the body. */
  records: number;
}

/** One answered request of the private listener; of an upload, when it is over. */
export interface AdminRequestEvent {
  event: "admin-request";
  requestId: string;
  method: string;
  /** Without the query string. */
  path: string;
  /** The route that has this path, whatever the method; undefined when there is none. */
  route: string | undefined;
  status: number;
  milliseconds: number;
}

/** What became of the records of an upload. */
export interface UploadEvent {
  event: "upload";
  requestId: string;
  /** As they were sent. */
  bytes: number;
  stored: number;
  withheld: number;
  duplicate: number;
  conflict: number;
  rejected: number;
  /** Why it broke off, if it did. */
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

/** For whatever needs no log: most commands, most tests. */
export const unobserved: Observe = () => {};
