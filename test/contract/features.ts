/**
 * What features send beside responses. As in src/features/list.ts, one is gone without its file and its line here.
 */

import type { Json } from "../../src/domain/json.ts";
import type { MatchDocument } from "../support/records.ts";
import { webhooks } from "./webhooks.ts";

/** By names, with these records. */
export type FeatureMessages = (records: readonly MatchDocument[]) => Promise<Record<string, Json>>;

export const FEATURES: readonly FeatureMessages[] = [webhooks];
