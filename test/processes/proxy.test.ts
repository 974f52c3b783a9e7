/** Runs the tests of the recommended proxy settings, if HAProxy is installed. */

import { hasProgram, needs } from "../support/needs.ts";

await needs("haproxy", hasProgram("haproxy"), () => import("./proxy.ts"));
