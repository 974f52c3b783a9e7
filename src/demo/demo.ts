/**
 * Generates demo data: a stream of realistic match documents of an invented game, in order of time, over the thirty
 * days before a given time.
 *
 * Equal options give equal documents. Players and teams depend only on the seed and the shard, so runs with the same
 * seed share them. Match ids depend on every option, so the matches of such runs do not conflict.
 */

import type { JsonObject } from "../domain/json.ts";
import { matchDocument } from "./match.ts";
import { DEMO_SHARDS, Population, weightOf } from "./people.ts";
import { Random } from "./random.ts";

export interface DemoOptions {
  matches: number;
  seed: number;
  /** Milliseconds since the epoch; no match is later. */
  until: number;
  /** Default: six regions and a tournament server. */
  shards?: string[];
}

const WINDOW_SECONDS = 30 * 86_400;
const CLOSING_GAP_SECONDS = 45;

/** One JSON:API document per match, with all linked resources in `included`. */
export function* demoDocuments(options: DemoOptions): Generator<JsonObject> {
  const { matches, seed, until } = options;
  const shards = [...new Set(options.shards ?? DEMO_SHARDS)];
  if (shards.length === 0) throw new RangeError("the demo needs at least one shard");
  const weights = shards.map(weightOf);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const populations = shards.map(
    (shard, at) => new Population(seed, shard, (matches * weights[at]!) / total),
  );
  const end = Math.floor(until / 1000);
  // Every shard of a demo should have a recent match: the last ones are in each, the largest last.
  const closing = Math.min(shards.length, Math.ceil(matches / 50));

  for (let number = 0; number < matches; number++) {
    const random = new Random(seed, "match", until, matches, ...shards, number);
    const left = matches - number;
    const earlier = (1 - (number + random.unit()) / matches) * WINDOW_SECONDS;
    const ago = left > closing ? earlier : Math.min(earlier, left * CLOSING_GAP_SECONDS);
    const shard = left > closing ? random.weighted(weights) : left - 1;
    const share = 1 - ago / WINDOW_SECONDS;
    yield matchDocument(random, populations[shard]!, Math.floor(end - ago), share);
  }
}
