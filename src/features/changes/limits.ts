/** The limits of the change feed, counted in this process: open streams of a key, and its changes per minute. */

const MINUTE_MS = 60_000;

export class FeedLimits {
  readonly #open = new Map<string, number>();
  #minute = 0;
  /** Changes in the current minute, by key. */
  readonly #sent = new Map<string, number>();
  /** Changes sent to all keys since the start. */
  total = 0;

  constructor(private readonly clock: { now(): number }) {}

  /** False if the key has as many streams open as it may have. Otherwise `close` must follow. */
  open(keyId: string, most: number): boolean {
    const open = this.#open.get(keyId) ?? 0;
    if (open >= most) return false;
    this.#open.set(keyId, open + 1);
    return true;
  }

  close(keyId: string): void {
    const open = this.#open.get(keyId)! - 1;
    if (open > 0) this.#open.set(keyId, open);
    else this.#open.delete(keyId);
  }

  /** How many of these changes the key may get now. They count as sent. */
  take(keyId: string, wanted: number, perMinute: number): number {
    const minute = Math.floor(this.clock.now() / MINUTE_MS);
    if (minute !== this.#minute) this.#sent.clear();
    this.#minute = minute;
    const sent = this.#sent.get(keyId) ?? 0;
    const granted = Math.max(0, Math.min(wanted, perMinute - sent));
    this.#sent.set(keyId, sent + granted);
    this.total += granted;
    return granted;
  }

  msToNextMinute(): number {
    return MINUTE_MS - (this.clock.now() % MINUTE_MS);
  }
}
