/** Shards in PostgreSQL over TLS, if openssl is installed. */

import { hasProgram, needs } from "../support/needs.ts";

await needs("openssl", hasProgram("openssl"), () => import("./postgres-tls.ts"));
