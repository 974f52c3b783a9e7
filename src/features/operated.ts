/** What a feature adds beside endpoints: its own database, what operators do with it, and work beside the requests. */

import type { Database } from "../access/key-database.ts";
import type { KeyStore } from "../access/key-store.ts";
import type { AccessTables } from "../access/tables.ts";
import type { AddCommand } from "../cli/command.ts";
import type { Finding } from "../doctor/findings.ts";
import type { AccessPlan } from "../domain/limits.ts";
import type { Observe } from "../observe/events.ts";
import type { MetricFamily } from "../observe/prometheus.ts";
import type { Settings } from "../settings/definitions.ts";
import type { ReadableShards } from "../store/shards.ts";

export interface Operated {
  /** Its tables, beside those of the keys. */
  tables: AccessTables;
  /** A group of `matchbook`, by its name. Loaded only when it is needed. */
  command(open: OpenServices): Promise<AddCommand>;
  /** For `matchbook doctor`. */
  findings(services: OwnServices, now: number): Promise<Finding[]>;
  /** What one process of a deployment does beside the requests. */
  background(services: OwnServices & BackgroundServices): Background;
}

/** What these parts are given. */
export interface OwnServices {
  settings: Settings;
  /** Where its tables are. */
  database: Database;
  keyStore: Pick<KeyStore, "version" | "exists" | "find" | "list">;
  plan: AccessPlan;
  shards: Pick<ReadableShards, "list" | "reader">;
}

/** For one command. With `isReadOnly`, nothing is created or changed, e.g. in a backup. */
export type OpenServices = <T>(
  settings: Settings,
  work: (services: OwnServices) => Promise<T>,
  isReadOnly?: boolean,
) => Promise<T>;

export interface BackgroundServices {
  clock: { now(): number };
  observe: Observe;
}

export interface Background {
  start(): void;
  stop(): Promise<void>;
  families(): MetricFamily[];
}
