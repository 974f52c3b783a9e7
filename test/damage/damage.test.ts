/** The rows of the table of damage, in SQLite. */

import { testDamage } from "./holds.ts";

testDamage("SQLite");
