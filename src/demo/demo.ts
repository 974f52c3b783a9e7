/**
 * Generates demo data: a stream of realistic match documents of an invented game, in order of time, over the thirty
 * days before a given time.
 *
 * Equal options give equal documents. Memory holds two numbers per player (at most 200,000 players per shard) and
 * a table of the thirty days, but no matches. Players and teams depend only on the seed and the shard, so runs with
 * the same seed share them. Match ids depend on every option, so the matches of such runs do not conflict.
 */

import type { JsonObject } from "../domain/json.ts";
import { Calendar } from "./calendar.ts";
import { arrange, matchDocument } from "./match.ts";
import { Population } from "./people.ts";
import { Random, wordOf } from "./random.ts";
import { DEMO_SHARDS, regionOf } from "./regions.ts";

export interface DemoOptions {
  matches: number;
  seed: number;
  /** Milliseconds since the epoch; no match is later. */
  until: number;
  /** Default: six regions and a tournament server. */
  shards?: string[];
  /** Leaves out as many of the oldest matches, which saves most of their time. The others stay the same. */
  skip?: number;
  /** Ends after as many of the oldest matches. */
  end?: number;
}

const MATCH = wordOf("match");
const CLOSING_GAP = 45;

/** One JSON:API document per match, with all linked resources in `included`. */
export function* demoDocuments(options: DemoOptions): Generator<JsonObject> {
  const { matches, seed, until, skip = 0, end = matches } = options;
  const regions = [...new Set(options.shards ?? DEMO_SHARDS)].map(regionOf);
  if (regions.length === 0) throw new RangeError("the demo needs at least one shard");
  const calendar = new Calendar(until, regions);
  const weights = regions.reduce((sum, region) => sum + region.weight, 0);
  const populations = regions.map((region) => {
    return new Population(seed, region, calendar, (matches * region.weight) / weights);
  });
  const closing = closingRegions(regions, matches);
  const shardsWord = wordOf(regions.map(({ shard }) => shard).join());

  for (let number = 0; number < end; number++) {
    const random = new Random(seed, MATCH, until, matches, shardsWord, number);
    const left = matches - number;
    const usual = calendar.timeOf((number + random.unit()) / matches);
    const time = left > closing.length ? usual : Math.max(usual, calendar.end - left * CLOSING_GAP);
    const region = closing[closing.length - left] ?? calendar.regionAt(time, random);
    const population = populations[region]!;
    const arranged = arrange(random, population, time);
    if (number >= skip) yield matchDocument(random, population, arranged, calendar.patchAt(time));
  }
}

/** The shards of the last matches, largest last: every shard of a demo should have recent matches. */
function closingRegions(regions: { weight: number; tournament: boolean }[], matches: number) {
  return regions
    .map((_, at) => at)
    .filter((at) => !regions[at]!.tournament)
    .sort((one, other) => regions[other]!.weight - regions[one]!.weight)
    .slice(0, Math.ceil(matches / 50))
    .reverse();
}
