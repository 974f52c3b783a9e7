/** What `matchbook doctor` says about hooks: nothing if there are none. */

import { type Finding, ok, someOf, warning } from "../../doctor/findings.ts";
import type { OwnServices } from "../operated.ts";
import type { HookState } from "./access.ts";
import { hooksIn } from "./operations.ts";

export async function hookFindings(services: OwnServices, now: number): Promise<Finding[]> {
  const hooks = hooksIn(services);
  const all = await hooks.describe(await hooks.list(), now);
  if (all.length === 0) return [];
  const inState = (...states: HookState[]) =>
    all.filter(({ state, pausedBy }) => states.includes(state) && pausedBy !== "operator");
  const warn = (states: HookState[], messageOf: (ids: string) => string, advice: string) => {
    const ids = inState(...states).map(({ id }) => id);
    return ids.length > 0 ? [warning("webhooks", messageOf(someOf(ids)), advice)] : [];
  };
  return [
    ok("webhooks", `${inState("active").length} of ${all.length} active`),
    ...warn(
      ["failing"],
      (ids) => `the receiver of ${ids} fails`,
      "'matchbook hooks show ID' has its last response",
    ),
    ...warn(
      ["paused"],
      (ids) => `${ids} paused, because the receiver failed for a day`,
      "fix it, then 'matchbook hooks resume ID'",
    ),
    ...warn(
      ["no-key", "key-revoked", "key-expired"],
      (ids) => `nothing is delivered to ${ids}: the key is not valid any more`,
      "'matchbook hooks remove ID', or add it with a valid key",
    ),
  ];
}
