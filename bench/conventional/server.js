// @ts-check
/** Starts the server, and stops it on a signal. */

import { parseArgs } from "node:util";
import pino from "pino";
import { buildApp } from "./serving/app.js";
import { openDatabase } from "./serving/database.js";

const USAGE = "usage: node server.js --db FILE [--port N] [--log-level LEVEL]";

async function serve() {
  const { values } = parseArgs({
    options: {
      db: { type: "string" },
      port: { type: "string", default: "8081" },
      "log-level": { type: "string", default: "info" },
    },
  });
  if (!values.db) throw new Error(`Specify a file created by load.js. ${USAGE}`);
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port must be an integer from 0 to 65535. ${USAGE}`);
  }

  const db = openDatabase(values.db);
  // Buffered, as pino recommends for busy servers.
  const sink = pino.destination({ dest: 2, sync: false, minLength: 4096 });
  const app = await buildApp(db, pino({ level: values["log-level"] }, sink));
  app.addHook("onClose", () => db.destroy());
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, async () => {
      await app.close();
      sink.flushSync();
    });
  }
  const address = await app.listen({ host: "127.0.0.1", port });
  console.log(`listening ${address}`);
}

serve().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
