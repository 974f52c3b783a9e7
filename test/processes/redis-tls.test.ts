/** Limits shared over TLS, if Redis is installed. */

import { hasProgram, needs } from "../support/needs.ts";

await needs("redis-server", hasProgram("redis-server"), () =>
  needs("openssl", hasProgram("openssl"), () => import("./redis-tls.ts")),
);
