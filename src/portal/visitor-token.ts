/**
 * Sends requests as a visitor without a key. The page contains a token, which is renewed before it ends or when it is
 * refused.
 */

import type { Fetch } from "../../client/src/index.ts";
import { pageData, type VisitorToken } from "./page-data.ts";

interface Token {
  text: string;
  /** By the clock of this browser, which may be wrong. */
  until: number;
}

/** Renewed this long before its end, so that no request arrives too late. */
const EARLY_MS = 30_000;

let token = pageData.token && tokenOf(pageData.token);
let fetching: Promise<Token | Response> | undefined;

/** `onClosed` is called when the server does not give tokens any more. */
export const fetchAsVisitor =
  (onClosed: () => void): Fetch =>
  async (url, options) => {
    const send = ({ text }: Token) =>
      fetch(url, { ...options, headers: { ...options.headers, Authorization: `Bearer ${text}` } });
    const first = await currentToken();
    if (first instanceof Response) return refusal(first, onClosed);
    const response = await send(first);
    if (response.status !== 401) return response;
    // The token has ended, or the server was restarted with another secret.
    const second = await currentToken(first.text);
    return second instanceof Response ? refusal(second, onClosed) : send(second);
  };

/** A token other than the refused one, or the response that gives none. */
async function currentToken(refused?: string): Promise<Token | Response> {
  if (token && token.text !== refused && Date.now() < token.until) return token;
  fetching ??= newToken().finally(() => {
    fetching = undefined;
  });
  return fetching;
}

async function newToken(): Promise<Token | Response> {
  const response = await fetch("/portal/visitor-token");
  if (!response.ok) return response;
  token = tokenOf((await response.json()) as VisitorToken);
  return token;
}

function tokenOf({ token: text, expiresIn }: VisitorToken): Token {
  return { text, until: Date.now() + expiresIn * 1000 - EARLY_MS };
}

/** Several requests may wait for the same response, and each reads its body. */
function refusal(response: Response, onClosed: () => void): Response {
  if (response.status === 404) onClosed();
  return response.status === 404 ? unauthorized() : response.clone();
}

/** The response to a request that is not sent, because it would be refused. */
export function unauthorized(): Response {
  const error = {
    status: "401",
    code: "unauthorized",
    title: "API key required",
    detail: "Add your API key to see this.",
  };
  return Response.json({ errors: [error] }, { status: 401 });
}
