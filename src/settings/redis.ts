/** In charge of the address of the Redis that instances share their limits through. */

import type { Parsed } from "./parsers.ts";

const RIGHT =
  "must be redis://USER:PASSWORD@HOST:PORT/NUMBER, or rediss:// for a server with TLS; all but the host may be left out";

/** Empty, or an address. */
export function parseRedis(text: string): Parsed<string> {
  if (text === "") return { value: "" };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isRight =
    url !== undefined &&
    /^rediss?:\/\//i.test(text) &&
    url.hostname !== "" &&
    /^(\/\d{0,3})?$/.test(url.pathname) &&
    url.search === "" &&
    url.hash === "";
  return isRight ? { value: text } : { error: RIGHT };
}

/** Hides the user and the password of an address, well-formed or not. */
export function concealUser(text: string): string {
  return text.replace(/^((?:[a-z0-9+]+:)?\/\/)?.*@/is, "$1***@");
}
