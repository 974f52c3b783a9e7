/** Servers that stand in for proxies and services other than Matchbook. */

/** What scenarios can trigger, from any process. */
interface Effects {
  advance(milliseconds: number): void;
  addMatch(): Promise<void>;
}

export function startStandIns({ advance, addMatch }: Effects): {
  url: string;
  stop(): Promise<void>;
} {
  /** Requests reach it only by a redirect. */
  let strangers = 0;
  const stranger = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      strangers += 1;
      return Response.json({});
    },
  });
  const onceLimited = new Set<string>();
  const limited = (retryAfter: string, type = "text/plain") =>
    new Response("slow down", {
      status: 429,
      headers: {
        "Retry-After": retryAfter,
        "Content-Type": type,
        "X-RateLimit-Limit": "1",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "1",
      },
    });
  const page = (status: number) =>
    new Response("<h1>Hello</h1>", { status, headers: { "Content-Type": "text/html" } });

  const answers: Record<string, (url: URL) => Response | Promise<Response>> = {
    "/html": () => page(200),
    "/gateway": () => page(502),
    "/other-json": () => Response.json({ greeting: "hello" }),
    "/other-list": () => Response.json({ data: [] }),
    "/other-errors": () => Response.json({ errors: [null, "no"] }, { status: 400 }),
    "/no-upstream": () => Response.json({ message: "no upstream" }, { status: 503 }),
    "/always-limited": () => limited("1"),
    "/long-limited": () => limited("60"),
    "/date-limited": () => limited(new Date(Date.now() + 600_000).toUTCString()),
    "/once-limited": ({ pathname }) => {
      if (onceLimited.has(pathname)) return Response.json({ name: "at last" });
      onceLimited.add(pathname);
      return limited("1");
    },
    "/redirect": () => Response.redirect(`http://127.0.0.1:${stranger.port}/status`, 302),
    "/silent": () => new Promise<Response>(() => {}),
    "/strangers": () => Response.json(strangers),
    "/advance": ({ searchParams }) => {
      advance(Number(searchParams.get("milliseconds")));
      return Response.json(null);
    },
    "/add-match": async () => {
      await addMatch();
      return Response.json(null);
    },
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const url = new URL(request.url);
      const [, first] = url.pathname.split("/");
      return answers[`/${first}`]?.(url) ?? new Response("", { status: 404 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    async stop() {
      await Promise.all([server.stop(true), stranger.stop(true)]);
    },
  };
}
