/** How many cases property tests generate: all with TEST_SCALE=1, half of them in CI, otherwise a quarter. */

const SCALE = Number(process.env.TEST_SCALE ?? 0.25);

export const scaled = (cases: number): number => Math.max(5, Math.round(cases * SCALE));
