/**
 * All features. Without its folder and its lines here, one is gone, and the others work on; webhooks need changes, and the
 * search of the portal needs the name search. CONTRIBUTING.md says what else has its name.
 */

import type { FeatureEvents } from "../observe/events.ts";
import { changes } from "./changes/feature.ts";
import type { Feature } from "./feature.ts";
import { heroes } from "./heroes/feature.ts";
import { leaderboards } from "./leaderboards/feature.ts";
import { nameSearch } from "./name-search/feature.ts";
import { playedWith } from "./played-with/feature.ts";
import { webhooks } from "./webhooks/feature.ts";

export const FEATURES: readonly Feature[] = [
  // In the order of the documentation of the API.
  playedWith,
  nameSearch,
  leaderboards,
  changes,
  heroes,
  webhooks,
];

export const FEATURE_EVENTS: Partial<FeatureEvents> = Object.assign(
  {},
  ...FEATURES.map(({ events }) => events),
);
