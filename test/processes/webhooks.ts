/** A webhook as a consumer of changes. */

import { doneAt } from "../support/places.ts";
import { until } from "../support/state.ts";
import { endLease, startReceiver } from "../support/webhooks.ts";
import type { ChangeResource, FeatureProcesses } from "./features.ts";

export const webhooks: FeatureProcesses = {
  async consumer(data) {
    const receiver = startReceiver();
    const [{ id }] = JSON.parse(await doneAt(data, ["keys", "list", "--json"]));
    const flags = ["--url", receiver.url, "--hooks", "private"];
    await doneAt(data, ["hooks", "add", "--key", id, ...flags]);
    return {
      name: "webhook",
      /** Accepts what it gets; refuses the second request. */
      async follow(hasAll, seconds) {
        const seen: ChangeResource[] = [];
        receiver.respond = ({ message }) => {
          if (receiver.received.length === 2) return new Response("not now", { status: 503 });
          seen.push(...message.data.changes);
          return new Response();
        };
        await until("the webhook receives the last change", () => hasAll(seen), seconds);
        return seen;
      },
      serverEnded: () => endLease({ data }),
      stop: () => receiver.stop(),
    };
  },
};
