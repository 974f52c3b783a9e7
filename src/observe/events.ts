/** In charge of the list of things worth observing. Code says what happened; sinks decide what to show. */

export type Event =
  | { event: "shard-opened"; shard: string; location: string }
  | { event: "shard-unavailable"; shard: string; error: unknown }
  /** A replica is read from now, or no longer. They are numbered from 1, as in the settings. */
  | { event: "replica-used"; shard: string; replica: number }
  | { event: "replica-left-out"; shard: string; replica: number; why: string }
  | { event: "keys-reloaded"; live: number }
  /** The keys read last go on counting, until they can be read again. */
  | { event: "keys-unreadable"; error: unknown }
  | { event: "keys-still-unreadable"; error: unknown }
  | { event: "keys-readable" }
  /** A key names a tier that the settings do not have. */
  | { event: "tier-unknown"; tier: string; taken: string }
  /** The settings close a shard that is not there: it may still come, or its name is mistyped. */
  | { event: "closed-shard-missing"; shard: string }
  /** Usage and budgets are counted in memory only, until they can be written down again. */
  | { event: "usage-unwritten"; error: unknown }
  | { event: "usage-still-unwritten"; error: unknown }
  | { event: "usage-written" }
  /** Limits that instances share: every instance goes on with limits of its own, or no longer does. */
  | { event: "shared-limits-away"; error: unknown }
  | { event: "shared-limits-up" }
  /** One of several processes serves. */
  | { event: "worker-ready"; worker: number; pid: number }
  /** It ended and was not meant to; another begins after a while. */
  | { event: "worker-lost"; worker: number; pid: number; how: string; delayMs: number }
  | { event: "restarting"; workers: number }
  | { event: "restarted"; workers: number }
  /** A new worker could not begin; the old ones go on. */
  | { event: "restart-broken-off"; worker: number; how: string }
  /** A SIGHUP came, and there are no workers that could be replaced. */
  | { event: "nothing-reloaded" }
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
  | { event: "stopping"; signal: string; inFlight: number }
  | { event: "stopped" };

/** One answered request. */
export interface RequestEvent {
  event: "request";
  requestId: string;
  method: string;
  /** Without the query string. */
  path: string;
  /** Still encoded. It may name players: a log shows them only if it is told to. */
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

/** Tells several observers, in this order. */
export function observeAll(observers: readonly Observe[]): Observe {
  return (event) => {
    for (const observe of observers) observe(event);
  };
}

/** For what observes nothing: most verbs of the command line, most tests. */
export const unobserved: Observe = () => {};
