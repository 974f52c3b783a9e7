/**
 * What features add to the tests of processes. As in src/features/list.ts, one is gone without its file and its line here.
 */

import type { Steps } from "../../src/store/steps.ts";
import { nameSearch } from "./name-search.ts";
import { webhooks } from "./webhooks.ts";

export interface Lookup {
  table: string;
  read: () => Steps<unknown>;
}

export interface ChangeResource {
  id: string;
  attributes: { kind: string };
  relationships: { match: { data: { id: string } } };
}

/** Follows the changes of a shard. */
export interface Consumer {
  name: string;
  follow(hasAll: (seen: ChangeResource[]) => boolean, seconds: number): Promise<ChangeResource[]>;
  /** Called when the server was killed. */
  serverEnded(): Promise<void>;
  stop(): void;
}

export interface FeatureProcesses {
  /** What may cost no more in a large shard: with the entries that it finds, and by how many keys. */
  reads?: (readonly [what: string, lookup: Lookup & { entries: number; keys: number }])[];
  consumer?(data: string): Promise<Consumer>;
}

export const FEATURES: readonly FeatureProcesses[] = [nameSearch, webhooks];
