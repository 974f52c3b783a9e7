/** Keeps what is counted by day within one day. */

const DAY_MS = 86_400_000;

/**
 * Waits for the next day if this one (in UTC) ends within so many seconds. Awaited before the tests of a file, for those
 * whose servers count by the real clock; where the server takes a clock, pass one instead.
 */
export async function awayFromMidnight(seconds = 90): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left <= seconds * 1000) await Bun.sleep(left + 1000);
}
