/** What `matchbook doctor` says about hooks: nothing if there are none. */

import { type Finding, ok, someOf, warning } from "../../doctor/findings.ts";
import type { OwnServices } from "../feature.ts";
import { Hooks } from "./operations.ts";

export async function hookFindings(services: OwnServices, now: number): Promise<Finding[]> {
  const hooks = new Hooks(services);
  const all = await hooks.describe(await hooks.context.store.list(), now);
  if (all.length === 0) return [];
  const broken = all.filter(({ state, pausedBy }) => state !== "active" && pausedBy !== "operator");
  if (broken.length === 0) return [ok("webhooks", `${all.length} without a failure`)];
  const message = `not delivered to ${someOf(broken.map(({ id, state }) => `${id} (${state})`))}`;
  const advice =
    "'matchbook hooks show ID' has the last result; fix the receiver and 'matchbook hooks resume ID', or remove it";
  return [warning("webhooks", message, advice)];
}
