/** How many cases property tests generate: all with TEST_SCALE=1, as in CI, otherwise a part of them. */

const SCALE = Number(process.env.TEST_SCALE ?? 0.25);

export const scaled = (cases: number): number => Math.max(5, Math.round(cases * SCALE));
