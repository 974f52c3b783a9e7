/** The list of all scenarios. */

import { CACHING } from "./caching.ts";
import { FOLLOWING } from "./changes.ts";
import { FAILING } from "./failing.ts";
import { PAGING } from "./paging.ts";
import { RECORDS } from "./records.ts";
import { REFUSING } from "./refusing.ts";
import type { Scenario } from "./scenario.ts";

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...RECORDS,
  ...PAGING,
  ...FOLLOWING,
  ...CACHING,
  ...FAILING,
  ...REFUSING,
};
