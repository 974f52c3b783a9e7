/** The rows of the table of damage, in PostgreSQL. */

import { testDamage } from "./holds.ts";

testDamage("PostgreSQL");
