/** Decides whether the response to a hostile request is correct. */

import { type Exchange, plainBody, type RawReply } from "../../support/connection.ts";
import { checkReply } from "../../support/replies.ts";
import type { HostileRequest } from "./hostile-requests.ts";

export interface Rules {
  /** The statuses, with empty bodies, that the runtime may send before any of our code runs. */
  refusals: ReadonlySet<number>;
  /** With a compatibility profile, documents contain more than their description says. */
  hasProfile: boolean;
}

/** What is wrong with an exchange; undefined when it is correct. */
export function complaintAbout(
  request: Omit<HostileRequest, "kind">,
  exchange: Exchange,
  rules: Rules,
): string | undefined {
  const { replies, rest, isClosed, isHung } = exchange;
  if (isHung) return `no end after ${replies.length} replies`;
  if (rest.length > 0 && !request.mayBeSilent)
    return `bytes that are no reply: ${rest.toString("latin1").slice(0, 200)}`;
  for (const [at, reply] of replies.entries()) {
    const target = request.methods.length === 1 ? request.target : undefined;
    const complaint = replyComplaint(reply, request.methods[at] ?? "GET", target, rules);
    if (complaint !== undefined) return `${reply.status}: ${complaint}`;
  }
  if (replies.length === 0 && !request.mayBeSilent) return "silence";
  const isRefused = replies.some((reply) => !isOurs(reply));
  if (request.afterwards === "keep" && !request.mayBeSilent && !isRefused) {
    if (replies.length < request.methods.length) return `${replies.length} replies`;
    if (isClosed) return "the connection was closed";
  }
  return undefined;
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

export const isOurs = ({ headers }: RawReply): boolean => headers.has("x-request-id");

function replyComplaint(
  reply: RawReply,
  method: string,
  target: string | undefined,
  rules: Rules,
): string | undefined {
  const { status, headers, body } = reply;
  if (!isOurs(reply)) {
    if (!rules.refusals.has(status)) return "this refusal of the runtime is not documented";
    return body.length > 0 ? "a refusal of the runtime has a body" : undefined;
  }
  if (status >= 500) return `a failure of ours: ${body}`;
  if (method === "HEAD" || status === 204 || status === 304) {
    return body.length > 0 ? "there is a body" : undefined;
  }
  if (status >= 300 && status < 400) return "a redirection";
  const text = plainBody(reply);
  const type = headers.get("content-type") ?? "";
  if (type.startsWith("text/html")) return pageComplaint(reply, text);
  // The icon of the portal and robots.txt.
  if (status === 200 && /^(image\/|text\/plain)/.test(type)) return undefined;
  if (rules.hasProfile && status < 400) {
    JSON.parse(decode(text));
    return undefined;
  }
  try {
    checkReply({
      ...lookAt(reply, method, target, text),
      status,
      headers,
      text: decode(text),
    });
    return undefined;
  } catch (error) {
    return (error as Error).message.slice(0, 800);
  }
}

/**
 * The portal page is the same for everybody, except for its title, description and links, which are tags without markup,
 * and its data, in which markup is escaped.
 */
let page: string | undefined;
const OWN_TAGS = /<title>[^<>"]*<\/title>(\s*<(meta|link)( \w+="[^<>"]*")+>)*/;

const OWN_DATA = /<script type="application\/json" id="page-data">[^<]*<\/script>/;

function pageComplaint({ status, headers }: RawReply, text: Uint8Array): string | undefined {
  if (status !== 200 && status !== 404) return `a page with status ${status}`;
  if (!headers.get("content-security-policy")) return "a page without a policy";
  const common = decode(text).replace(OWN_TAGS, "").replace(OWN_DATA, "");
  page ??= common;
  return common === page ? undefined : "another page";
}

/**
 * The path that describes a response. The runtime decides where a strange target is routed, so an error
 * is checked against the description of any path that has it.
 */
function lookAt(
  { status, headers }: RawReply,
  method: string,
  target: string | undefined,
  text: Uint8Array,
): { method: string; path: string } {
  const body = JSON.parse(decode(text)) as { errors?: { code: string }[] };
  if (status < 400) return { method, path: target ?? pathOf(body) };
  const isUnrouted = status === 414 || body.errors?.[0]?.code === "unknown-route";
  if (isUnrouted) return { method: "GET", path: "/nowhere" };
  if (status === 405) return { method: "POST", path: "/shards/na/matches" };
  // Of a path that needs no key.
  if (status === 400 && !headers.has("ratelimit")) return { method: "GET", path: "/status" };
  if (status === 410) return { method: "GET", path: "/shards/na/changes" };
  return { method: "GET", path: status === 404 ? "/shards/na/matches/m" : "/shards/na/matches" };
}

/** The path a document comes from. */
function pathOf(body: object): string {
  const { links } = body as { links?: { self: string } };
  if (links) return links.self;
  if ("openapi" in body) return "/openapi.json";
  if ("today" in body) return "/usage";
  if ("shards" in body) return "/status";
  return JSON.stringify(body).includes("ready") ? "/readyz" : "/healthz";
}
