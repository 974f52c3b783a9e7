/**
 * Webhooks: changes of matches are sent to the receivers that operators add. One of them is called a hook. Delivers what
 * the change feed has.
 */

import type { Feature } from "../feature.ts";
import { Deliverer } from "./deliverer.ts";
import { EVENTS } from "./events.ts";
import { hookFindings } from "./findings.ts";
import { Hooks } from "./operations.ts";
import { HOOK_TABLES } from "./stored.ts";

export const webhooks: Feature = {
  name: "webhooks",
  events: EVENTS,
  operated: {
    tables: HOOK_TABLES,
    command: async (open) => (await import("./command.ts")).hooksCommand(open),
    findings: hookFindings,
    background: ({ clock, observe, ...services }) => {
      const isOff = services.settings.hooks === "off";
      return new Deliverer({ ...new Hooks(services).context, isOff, clock, observe });
    },
  },
};
