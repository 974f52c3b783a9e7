/** Listens on an address and a port, with what both listeners owe every connection. */

import { type Awaitable, after } from "../domain/awaitable.ts";

/** The address cannot be listened on; the message says why. */
export class ListenError extends Error {
  override name = "ListenError";
}

/** The flags that choose the address, for messages. */
interface Flags {
  host: string;
  port: string;
}

interface ListenOptions {
  hostname: string;
  port: number;
  /** Whether several processes may listen on this port. */
  reusePort?: boolean;
  idleTimeout?: number;
  maxRequestBodySize?: number;
  fetch(request: Request, server: Bun.Server<undefined>): Awaitable<Response>;
  /** The response to a request whose `fetch` threw. */
  error(error: unknown): Response;
}

export function listen(
  { fetch, error: failed, reusePort = false, ...options }: ListenOptions,
  flags: Flags = { host: "--host", port: "--port" },
) {
  try {
    return Bun.serve({
      ...options,
      // Otherwise a failure returns a page with the stack trace unless NODE_ENV is "production".
      development: false,
      // Outside of development mode the runtime shares ports by default.
      reusePort,
      fetch(request, server) {
        const host = request.headers.get("host");
        if (host?.includes(",")) return badRequest();
        let response = fetch(request, server);
        if (request.method === "HEAD") response = after(response, dated);
        const isLast = endsConnection(request.headers.get("connection"), host);
        return isLast ? after(response, closing) : response;
      },
      // The request may have been a HEAD.
      error: (error) => closing(dated(failed(error))),
    });
  } catch (error) {
    const { code = "", message } = error as { code?: string; message: string };
    const where = `${options.hostname}:${options.port}`;
    throw new ListenError(`cannot listen on ${where}: ${faults(flags)[code] ?? message}`);
  }
}

/** Several Host headers are rejected, as the runtime rejects a missing one. */
const badRequest = () => closing(new Response(null, { status: 400 }));

/**
 * Whether the runtime closes the connection after the response. Without a Connection header, the client would
 * send its next request into a closed connection. The runtime hides that a request is HTTP/1.0, but only such
 * a request may lack a Host header.
 */
function endsConnection(connection: string | null, host: string | null): boolean {
  if (connection === null) return host === null;
  return connection === "close" || /(?:^|,)\s*close\s*(?:,|$)/i.test(connection);
}

/** The runtime sends a Date with every other response. */
function dated(response: Response): Response {
  response.headers.set("Date", new Date().toUTCString());
  return response;
}

function closing(response: Response): Response {
  response.headers.set("Connection", "close");
  return response;
}

/**
 * Returns the port, or a free one for 0. Throws if another process uses it, even if that process would share
 * it.
 */
export async function freePort({ host, port }: { host: string; port: number }): Promise<number> {
  const server = listen({
    hostname: host,
    port,
    fetch: async () => new Response(),
    error: () => new Response(),
  });
  const taken = server.port!;
  await server.stop(true);
  return taken;
}

function faults({ host, port }: Flags): Record<string, string> {
  return {
    EADDRINUSE: `the port is in use; stop the other program or choose another ${port}`,
    EADDRNOTAVAIL: `this machine does not have this IP address; choose another ${host}`,
    ENOENT: `unknown host; choose another ${host}`,
    EACCES: `ports below 1024 need more privileges; choose a ${port} of 1024 or above`,
  };
}

/** The host as it appears in a URL. */
export const urlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** A dual-stack listener reports IPv4 clients as ::ffff:1.2.3.4. */
export const unmappedAddress = (address: string): string =>
  address.replace(/^::ffff:(?=\d+\.)/, "");

export function peerAddress(peer: { address: string } | null): string | undefined {
  return peer ? unmappedAddress(peer.address) : undefined;
}
