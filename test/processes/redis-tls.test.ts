/** In charge of limits shared over TLS, where the machine has a Redis. */

import { hasProgram, needs } from "../support/needs.ts";

await needs("redis-server", hasProgram("redis-server"), () =>
  needs("openssl", hasProgram("openssl"), () => import("./redis-tls.ts")),
);
