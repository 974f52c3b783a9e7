/**
 * What features send beside the responses of endpoints. As in src/features/list.ts, one is gone without its file and its
 * line here.
 */

import type { Json } from "../../src/domain/json.ts";
import type { MatchDocument } from "../support/records.ts";
import type { World } from "../support/world.ts";
import { changes } from "./changes.ts";
import { webhooks } from "./webhooks.ts";

/** By names, from a server with these records and at this time. */
export type FeatureResponses = (
  world: World,
  records: readonly MatchDocument[],
  now: string,
) => Promise<Record<string, Json>>;

export const FEATURES: readonly FeatureResponses[] = [changes, webhooks];
