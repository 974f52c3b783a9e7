/**
 * In charge of what crosses between the thread that serves and the one that stores uploads. Bytes are
 * sent only when they are asked for, so that a sender is as fast as the records are stored.
 */

import type { Report } from "../ingest/report.ts";
import type { Settings } from "../settings/table.ts";
import type { Broken } from "./broken.ts";

/** The settings that storing needs: plain values, which can be sent. */
export type StoringSettings = Pick<
  Settings,
  "data" | "shards" | "batch" | "title-id" | "max-record-bytes"
>;

/** How an upload is to be taken. */
export interface Wishes {
  /** Of records that name none; others are rejected. */
  shard: string | undefined;
  replace: boolean;
}

/** To the storing thread. `number` names an upload. */
export type Order =
  | { kind: "settings"; settings: StoringSettings; threads: number }
  | { kind: "begin"; number: number; wishes: Wishes }
  /** In answer to "more", one of these three. */
  | { kind: "bytes"; number: number; bytes: Uint8Array }
  | { kind: "end"; number: number }
  | { kind: "break"; number: number; broken: Broken }
  | { kind: "close" };

/** From the storing thread. */
export type Message =
  | { kind: "more"; number: number }
  /** Result lines of records that are durable. */
  | { kind: "lines"; number: number; text: string }
  | { kind: "done"; number: number; stored: Stored }
  | { kind: "closed" };

/** How an upload ended. */
export interface Stored {
  report: Report;
  /** Why it broke off, if it did. */
  broken?: Broken;
  /** What went wrong on our side, if that was the reason: for the log. */
  error?: Error;
}
