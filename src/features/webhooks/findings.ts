/** What `matchbook doctor` says about hooks: nothing if there are none. */

import { type Finding, ok, someOf, warning } from "../../doctor/findings.ts";
import type { OwnServices } from "../operated.ts";
import { hookState } from "./access.ts";
import { hooksIn } from "./operations.ts";
import type { Hook } from "./stored.ts";

export async function hookFindings(services: OwnServices, now: number): Promise<Finding[]> {
  const hooks = await hooksIn(services).list();
  if (hooks.length === 0) return [];
  const { keyStore } = services;
  const records = (await keyStore.exists()) ? await keyStore.list() : [];
  const keys = new Map(records.map((record) => [record.id, record]));
  const inState = (...states: ReturnType<typeof hookState>[]) =>
    hooks
      .filter((hook) => states.includes(hookState(hook, keys.get(hook.keyId), now)))
      .filter(({ pausedBy }) => pausedBy !== "operator");
  const listed = (some: readonly Hook[]) => someOf(some.map(({ id }) => id));
  const [failing, paused] = [inState("failing"), inState("paused")];
  const keyless = inState("no-key", "key-revoked", "key-expired");
  const found = [ok("webhooks", `${inState("active").length} of ${hooks.length} active`)];
  const warn = (some: readonly Hook[], message: string, advice: string) => {
    if (some.length > 0) found.push(warning("webhooks", message, advice));
  };
  warn(
    failing,
    `the receiver of ${listed(failing)} fails`,
    "'matchbook hooks show ID' has its last response",
  );
  warn(
    paused,
    `${listed(paused)} paused, because the receiver failed for a day`,
    "fix it, then 'matchbook hooks resume ID'",
  );
  warn(
    keyless,
    `nothing is delivered to ${listed(keyless)}: the key is not valid any more`,
    "'matchbook hooks remove ID', or add it with a valid key",
  );
  return found;
}
