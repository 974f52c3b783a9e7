/**
 * Runs all scenarios in Node with the installed package. The facts are an argument; the output is
 * one line of JSON per scenario.
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
