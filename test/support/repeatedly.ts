/** Does something again and again, so many times at once and with pauses, until the result is called, which awaits its end. */
export function repeatedly(
  atOnce: number,
  work: (at: number) => Promise<unknown>,
  pauseMs: number,
): () => Promise<void> {
  let isOver = false;
  const all = Array.from({ length: atOnce }, async (_, at) => {
    while (!isOver) {
      await work(at);
      await Bun.sleep(pauseMs);
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(all);
  };
}
