/** A webhook in the frozen contract. */

import type { JsonObject } from "../../src/domain/json.ts";
import { startHookWorld, startReceiver } from "../support/webhooks.ts";
import type { FeatureMessages } from "./features.ts";
import { frozen } from "./frozen.ts";

/** The message of a webhook, with its headers. */
export const webhooks: FeatureMessages = async (records) => {
  const receiver = startReceiver();
  const world = await startHookWorld(records.slice(1, 2));
  try {
    await world.add(receiver.url);
    await world.ingest(records.slice(0, 1));
    await world.deliver();
    const { headers, message } = receiver.received[0]!;
    const body = message as JsonObject;
    return { "a webhook": frozen({ status: 0, headers, text: "", body }) };
  } finally {
    await world.stop();
    await receiver.stop();
  }
};
