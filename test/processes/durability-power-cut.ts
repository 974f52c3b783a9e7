/** A few power cuts; `npm run trial -- power-cuts` makes more. */

import { expect, test } from "bun:test";
import { powerCuts } from "../trial/power-cuts/power-cuts.ts";

const CUTS = 12;

test("nothing acknowledged is lost or changed by a power cut at any moment, and no damage is left", async () => {
  const seed = Math.floor(Math.random() * 1e6);
  const { acknowledged, compared, ...rest } = await powerCuts(seed, CUTS);
  expect({ seed, ...rest }).toEqual({ seed, cuts: CUTS, lost: 0, wrong: 0, problems: [] });
  expect(Math.min(acknowledged, compared)).toBeGreaterThan(0);
});
