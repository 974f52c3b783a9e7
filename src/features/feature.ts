/**
 * What a feature adds to the core: endpoints, tables that are derived from the served records, and its own database with
 * what operators do with it and work beside the requests.
 */

import type { Database } from "../access/key-database.ts";
import type { KeyLookup } from "../access/key-lookup.ts";
import type { KeyStore } from "../access/key-store.ts";
import type { AccessTables } from "../access/tables.ts";
import type { AddCommand } from "../cli/command.ts";
import type { Finding } from "../doctor/findings.ts";
import type { AccessPlan } from "../domain/limits.ts";
import type { MatchFacts, MatchRecord } from "../domain/match.ts";
import type { CompatProfile } from "../endpoint/compat-profile.ts";
import type { RecordsRoute } from "../endpoint/shard-request.ts";
import type { FeatureEvents, Observe } from "../observe/events.ts";
import type { MetricFamily } from "../observe/prometheus.ts";
import type { Additions } from "../openapi/document.ts";
import type { Settings } from "../settings/definitions.ts";
import type { ReadableShards } from "../store/shards.ts";
import type { Steps } from "../store/steps.ts";
import type { Transaction } from "../store/store.ts";
import type { Index, TableShape } from "../store/table.ts";

export interface Feature extends Additions {
  name: string;
  routes?: readonly RecordsRoute[];
  /** Which it also adds to the interface `FeatureEvents`. */
  events?: Partial<FeatureEvents>;
  /** What it needs of each record, by name: the parts of an outline. Computed once, when the record arrives. */
  outline?: Readonly<Record<string, (record: MatchRecord) => unknown>>;
  derived?: readonly DerivedData[];
  /** Tables that it keeps up to date in other ways. */
  tables?: readonly TableShape[];
  /** Indexes that it adds to tables of the core, by their names. */
  indexes?: Readonly<Record<string, readonly Index[]>>;
  /** Called at the end of a transaction with the names that players gained or lost. */
  onNames?(names: ReadonlySet<string>): Steps<void>;
  /** Called when the server starts. Its endpoints find the result in `running` of a request, by the name of the feature. */
  start?(services: Services): Running;
  operated?: Operated;
}

/** What a feature keeps while the server runs. */
export interface Running {
  stop?(): void;
  families?(): MetricFamily[];
}

/** What the server offers. */
export interface Services {
  settings: Settings;
  shards: ReadableShards;
  profile: CompatProfile;
  keys: Pick<KeyLookup, "find" | "mayRead">;
  clock: { now(): number; monotonic(): number };
  observe: Observe;
  /** The time-out of connections, in seconds. */
  idleSeconds: number;
  /** Changes the time-out of a connection; 0: none. */
  keepOpen(request: Request, seconds: number): void;
  /** Milliseconds by name, for tests. */
  pace: Readonly<Record<string, number>>;
}

/** A record that is served, without its resources. */
export interface Outlined {
  outline: MatchFacts & { parts: Readonly<Record<string, unknown>> };
}

/** What a transaction does to the served matches. */
export interface DerivedChange {
  came: readonly Outlined[];
  left: readonly Outlined[];
  /** The creation time of the newest served match before the transaction. */
  newestBefore: number | undefined;
}

/**
 * A table that is computed from the served matches. If it is declared with a version (`derived` in table.ts), one that is
 * new or has changed is built from the records, match by match in their order.
 */
export interface DerivedData {
  table: TableShape;
  /** Called when those that left are removed, and before those that came are added. */
  update(transaction: Transaction, change: DerivedChange): Promise<void>;
  /** Called with matches that are pruned, after `update`: keeps of them what cannot be computed any more. */
  prune?(transaction: Transaction, pruned: readonly Outlined[]): Promise<void>;
  /** When a shard is rebuilt: computes the table at the end, instead of by `update`. */
  rebuild?(transaction: Transaction): Promise<void>;
}

/** What a feature adds beside endpoints. */
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
