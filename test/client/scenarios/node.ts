/**
 * In charge of all scenarios inside Node, with the package as its users have it. The facts come as an
 * argument; a line of JSON for each scenario goes out.
 */

import assert from "node:assert/strict";
import { SCENARIOS } from "./all.ts";
import type { Facts } from "./scenario.ts";

assert(!("Bun" in globalThis), "this is not Node");
const facts = JSON.parse(process.argv[2]!) as Facts;
const installed = "matchbook-client";
const client = await import(installed);

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  let complaint: string | undefined;
  try {
    await scenario({ client, facts });
  } catch (error) {
    complaint = (error as Error).stack;
  }
  console.log(JSON.stringify({ name, complaint }));
}
