/** In charge of what a supervisor and its workers say to each other. */

import type { Family } from "../observe/prometheus.ts";

/** What a worker is told when it has said that it is there. */
export interface Orders {
  /** From 1 on. */
  number: number;
  /** How many there are in all. */
  workers: number;
  host: string;
  port: number;
  /** A secret that all of them share. */
  seed: number;
  /** A key that the portal offers to every visitor. */
  offeredKey: string | undefined;
}

export type ToWorker =
  | { say: "begin"; orders: Orders }
  /** To be answered, with the same number. */
  | { say: "count"; ask: number }
  | { say: "look-at-keys"; ask: number }
  /** To be answered by the end of the process. May be said again, with less time. */
  | { say: "stop"; signal: string; farewellMs: number };

/** What a worker has counted: of the service, and of its process. */
export interface Counted {
  service: Family[];
  process: Family[];
}

export type FromWorker =
  | { say: "here" }
  | { say: "ready"; url: string }
  | { say: "counted"; ask: number; counted: Counted }
  | { say: "looked"; ask: number }
  /** Before a good end, with the last count. */
  | { say: "bye"; service: Family[] };
