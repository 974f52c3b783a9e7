/** In charge of taking an address and a port, and of clear words when they cannot be had. */

/** The address cannot be listened on; the message says why. */
export class ListenError extends Error {
  override name = "ListenError";
}

/** The flags that choose the address, for messages. */
interface Flags {
  host: string;
  port: string;
}

export function listen(
  options: Parameters<typeof Bun.serve>[0] & { hostname: string; port: number },
  flags: Flags = { host: "--host", port: "--port" },
) {
  try {
    return Bun.serve(options);
  } catch (error) {
    const { code = "", message } = error as { code?: string; message: string };
    const where = `${options.hostname}:${options.port}`;
    throw new ListenError(`cannot listen on ${where}: ${faults(flags)[code] ?? message}`);
  }
}

/**
 * The port, or a free one for 0, taken for a moment: throws if somebody else has it, also one who would
 * share it.
 */
export async function freePort({ host, port }: { host: string; port: number }): Promise<number> {
  const server = listen({ hostname: host, port, fetch: () => new Response() });
  const taken = server.port!;
  await server.stop(true);
  return taken;
}

function faults({ host, port }: Flags): Record<string, string> {
  return {
    EADDRINUSE: `another program listens there; stop it, or choose another ${port}`,
    EADDRNOTAVAIL: `this machine has no such address; choose another ${host}`,
    ENOENT: `there is no such host; choose another ${host}`,
    EACCES: `low ports need more rights; choose a ${port} from 1024 on`,
  };
}

/** As it stands in a URL. */
export const writtenHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** IPv4 callers of a dual-stack listener come as ::ffff:1.2.3.4. */
export const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, "");

export function plainAddress(peer: { address: string } | null): string | undefined {
  return peer ? unmapped(peer.address) : undefined;
}
