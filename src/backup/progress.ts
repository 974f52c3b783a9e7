/** How the steps of a backup report their progress. */

export interface Progress {
  /** `done` counts towards the total; `shown` is displayed. */
  update(done: number, shown: number): void;
  stop(): void;
}

/** A total of 0 means unknown. */
export type StartProgress = (label: string, total: number, what: string) => Progress;

/** Reports bytes as MiB. */
export function showingBytes(progress: Progress): (bytes: number) => void {
  return (bytes) => progress.update(bytes, Math.round(bytes / 2 ** 20));
}
