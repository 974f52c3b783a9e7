/**
 * The memory that workers share: the token buckets of keys and of client addresses. The supervisor
 * creates it; it is gone with the last process that has it. Only what is touched takes room.
 */

import { SharedBuckets } from "./buckets.ts";
import { SharedFailures } from "./failures.ts";
import { SharedLimiter } from "./limiter.ts";
import { SLOT_BYTES, SlotTable } from "./slots.ts";
import { mapMemory, newMemory } from "./system.ts";

/** All keys that are used while the supervisor runs. */
const KEYS = 2 ** 17;
const ADDRESSES = 2 ** 20;

const BUCKET_BYTES = BigInt64Array.BYTES_PER_ELEMENT;
const SLOTS_BYTES = KEYS * SLOT_BYTES;
const BUCKETS_BYTES = KEYS * BUCKET_BYTES;
const FAILURES_BYTES = ADDRESSES * BUCKET_BYTES;

/** A file descriptor that workers inherit. */
export function newSharedMemory(): number {
  return newMemory("matchbook-limits", SLOTS_BYTES + BUCKETS_BYTES + FAILURES_BYTES);
}

/** `workers`: how many share the memory. `seed`: a secret of theirs. */
export function openSharedLimits(descriptor: number, workers: number, seed: number) {
  const slots = new SlotTable(mapMemory(descriptor, 0, SLOTS_BYTES));
  const buckets = words(mapMemory(descriptor, SLOTS_BYTES, BUCKETS_BYTES));
  const failures = words(mapMemory(descriptor, SLOTS_BYTES + BUCKETS_BYTES, FAILURES_BYTES));
  return {
    limiter: new SharedLimiter(slots, new SharedBuckets(buckets), workers),
    failures: new SharedFailures(new SharedBuckets(failures), BigInt(seed)),
  };
}

const words = ({ buffer, byteOffset, byteLength }: Uint8Array): BigInt64Array =>
  new BigInt64Array(buffer, byteOffset, byteLength / BUCKET_BYTES);
