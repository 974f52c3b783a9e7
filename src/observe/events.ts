/** In charge of the list of things worth observing. Code says what happened; sinks decide what to show. */

export type Event =
  | { event: "shard-opened"; shard: string; location: string }
  | { event: "shard-unavailable"; shard: string; error: unknown }
  | { event: "keys-reloaded"; live: number }
  | { event: "keys-unreadable"; error: unknown }
  /** A key names a tier that the settings do not have. */
  | { event: "tier-unknown"; tier: string; taken: string }
  | { event: "usage-unwritten"; error: unknown }
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
  | { event: "listening"; url: string }
  | { event: "admin-listening"; url: string }
  /** The private listener can be reached from other machines. */
  | { event: "admin-exposed"; url: string }
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
  /** Milliseconds by stage of the request, in their order; 0 for those that were not reached. */
  stages: readonly number[];
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
