/** Starts a real Redis for tests: one per test file, on a free port, without persistence. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RedisClient, type Subprocess } from "bun";
import { freePort } from "./postgres.ts";
import { until } from "./state.ts";

export type TestRedis = Awaited<ReturnType<typeof startRedis>>;

/** Files for a server that accepts only TLS. */
export interface TlsFiles {
  certificate: string;
  key: string;
  authority: string;
}

const tlsOptions = (port: number, { certificate, key, authority }: TlsFiles): string[] => [
  ...["--port", "0", "--tls-port", String(port), "--tls-auth-clients", "no"],
  ...["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", authority],
];

export async function startRedis(options: string[] = [], tls?: TlsFiles) {
  return onFreePort((port) => startRedisAt(port, options, tls));
}

/** Starts a program on a free port; tries another when the port was taken in the meantime. */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (attempt === 5 || !/address already in use/i.test(String(error))) throw error;
    }
  }
}

async function startRedisAt(port: number, options: string[], tls?: TlsFiles) {
  const program = Bun.which("redis-server");
  if (program === null) {
    throw new Error("there is no redis-server: install it (apt-get install redis-server)");
  }
  const folder = mkdtempSync(join(tmpdir(), "matchbook-redis-"));
  const log = join(folder, "log");
  const url = `${tls ? "rediss" : "redis"}://127.0.0.1:${port}`;
  const listening = tls ? tlsOptions(port, tls) : ["--port", String(port)];
  let process: Subprocess;
  const kill = async () => {
    process.kill("SIGKILL");
    await process.exited;
  };
  const redis = {
    url,
    client: () => new RedisClient(url, { autoReconnect: false }),
    /** It stops responding but its connections stay open, as after a network failure. */
    pause: () => process.kill("SIGSTOP"),
    resume: () => process.kill("SIGCONT"),
    /** Ends it like a crash; its data is lost. */
    kill,
    async start() {
      rmSync(log, { force: true });
      const command = [program, ...listening, "--bind", "127.0.0.1", "--save", "", ...options];
      process = Bun.spawn(command, { cwd: folder, stdout: Bun.file(log), stderr: "inherit" });
      await until("redis-server is ready", () => {
        const printed = existsSync(log) ? readFileSync(log, "utf8") : "";
        if (process.exitCode !== null) throw new Error(`redis-server ended: ${printed}`);
        return printed.includes("Ready to accept connections");
      });
    },
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await redis.start();
  return redis;
}
