/** The reference library of Standard Webhooks verifies what Matchbook sends. */

import { expect, test } from "bun:test";
import { aMatch } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { startHookWorld, startReceiver } from "../support/webhooks.ts";
import { withPackages } from "./support.ts";

withPackages("standardwebhooks", () => {
  const world = shared(() => startHookWorld([aMatch()]));
  const receiver = shared(async () => startReceiver());

  test("accepts deliveries, by both secrets during a rotation, and nothing else", async () => {
    const { Webhook } = await import("standardwebhooks");
    const old = await world.add(receiver.url);
    await world.hooks.rotateSecret(old, world.clock.now());
    const { secret } = await world.hooks.find(old.id);
    await world.ingest([aMatch({ id: "new" })]);
    await world.deliver();
    const [{ headers, body, message }] = receiver.received as [(typeof receiver.received)[0]];
    const signed = Object.fromEntries(headers);
    for (const one of [secret, old.secret]) {
      expect(new Webhook(one).verify(body, signed)).toEqual(message);
    }
    const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
    expect(() => new Webhook(other).verify(body, signed)).toThrow();
    expect(() => new Webhook(secret).verify(`${body} `, signed)).toThrow();
  });
});
