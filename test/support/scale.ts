/** How many cases property tests generate: a quarter in `npm test`, all in `npm run test:long`. TEST_SCALE is another part. */

const SCALE = Number(process.env.TEST_SCALE ?? 0.25);

export const scaled = (cases: number): number => Math.max(5, Math.round(cases * SCALE));
