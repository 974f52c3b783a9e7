/** In charge of the list of things worth observing. Code says what happened; sinks decide what to show. */

export type Event =
  | { event: "shard-opened"; shard: string; location: string }
  | { event: "shard-unavailable"; shard: string; error: unknown }
  | { event: "keys-reloaded"; live: number }
  | { event: "keys-unreadable"; error: unknown }
  | { event: "listening"; url: string }
  | RequestEvent
  | { event: "failure"; requestId: string; error: unknown }
  | { event: "stopping"; signal: string; inFlight: number }
  | { event: "stopped" };

/** One answered request. The path is without its query string, which may name players. */
export interface RequestEvent {
  event: "request";
  requestId: string;
  method: string;
  path: string;
  status: number;
  milliseconds: number;
  /** Undefined when the caller showed no key that is in force. */
  keyId: string | undefined;
}

export type EventName = Event["event"];

export type Observe = (event: Event) => void;

/** For what observes nothing: most verbs of the command line, most tests. */
export const unobserved: Observe = () => {};
