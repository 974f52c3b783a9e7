/**
 * In charge of what lies where in the memory that workers share. The supervisor makes it; it is gone
 * with the last process that has it. Numbers of places are for all keys that are used while the
 * supervisor runs, and, of counters, on one day; only what is touched takes room.
 */

import { type OpenCounter, OwnCounter } from "../access/budget.ts";
import { SharedBuckets } from "./buckets.ts";
import { COUNTER_BYTES, SharedDayCounter } from "./day-counter.ts";
import { SharedFailures } from "./failures.ts";
import { SharedLimiter } from "./limiter.ts";
import { SEAT_BYTES, Seats } from "./seats.ts";
import { clearMemory, mapMemory, newMemory } from "./system.ts";

const LIMITED_KEYS = 2 ** 17;
const ADDRESSES = 2 ** 20;
const COUNTED_KEYS = 2 ** 14;

const BUCKET_BYTES = BigInt64Array.BYTES_PER_ELEMENT;
const SEATS_BYTES = LIMITED_KEYS * SEAT_BYTES;
const BUCKETS_BYTES = LIMITED_KEYS * BUCKET_BYTES;
const FAILURES_BYTES = ADDRESSES * BUCKET_BYTES;

/** A counter is mapped by itself, and so begins at a page, of which some machines have large ones. */
const COUNTER_STRIDE = 2 ** 16;
const INDEX_BYTES = COUNTED_KEYS * SEAT_BYTES;
const DAY_BYTES = INDEX_BYTES + COUNTED_KEYS * COUNTER_STRIDE;

if (COUNTER_BYTES > COUNTER_STRIDE) throw new Error("a counter does not fit its place");

/** Descriptors: of limits, and of the counters of even and of odd days. */
export type Descriptors = readonly [limits: number, even: number, odd: number];

export function newSharedMemory(): Descriptors {
  return [
    newMemory("matchbook-limits", SEATS_BYTES + BUCKETS_BYTES + FAILURES_BYTES),
    newMemory("matchbook-even-days", DAY_BYTES),
    newMemory("matchbook-odd-days", DAY_BYTES),
  ];
}

/** Empties the counters of a day that is long over, or that has not begun. */
export function clearDay(descriptors: Descriptors, day: number): void {
  clearMemory(descriptorOf(descriptors, day), DAY_BYTES);
}

/** `workers`: how many share. `seed`: a secret of theirs. */
export function openLimits(descriptors: Descriptors, workers: number, seed: number) {
  const [limits] = descriptors;
  const seats = new Seats(mapMemory(limits, 0, SEATS_BYTES));
  const buckets = words(mapMemory(limits, SEATS_BYTES, BUCKETS_BYTES));
  const failures = words(mapMemory(limits, SEATS_BYTES + BUCKETS_BYTES, FAILURES_BYTES));
  return {
    limiter: new SharedLimiter(seats, new SharedBuckets(buckets), workers),
    failures: new SharedFailures(new SharedBuckets(failures), BigInt(seed)),
  };
}

/**
 * When there are more keys on a day than places, the rest is counted by each worker alone, and put
 * together whenever that is written down.
 */
export function openCounters(descriptors: Descriptors): OpenCounter {
  const index = (day: number) =>
    new Seats(mapMemory(descriptorOf(descriptors, day), 0, INDEX_BYTES));
  const indexes = [index(0), index(1)];
  return (keyId, day) => {
    // The day is part of the name: what an earlier one has left is not taken for its own.
    const seat = indexes[day % 2]!.find(`${keyId} ${day}`);
    if (seat === undefined) return new OwnCounter();
    const offset = INDEX_BYTES + seat * COUNTER_STRIDE;
    return new SharedDayCounter(mapMemory(descriptorOf(descriptors, day), offset, COUNTER_STRIDE));
  };
}

const descriptorOf = (descriptors: Descriptors, day: number): number => descriptors[1 + (day % 2)]!;

const words = ({ buffer, byteOffset, byteLength }: Uint8Array): BigInt64Array =>
  new BigInt64Array(buffer, byteOffset, byteLength / BUCKET_BYTES);
