/** Asks servers for records, and returns the raw bytes of their responses. */

import type { Filters } from "../model/record.ts";
import { plainBody } from "../support/connection.ts";
import type { MatchDocument } from "../support/records.ts";
import { JSON_API, type World } from "../support/world.ts";

/** A fixed base URL for links, so that servers on different ports return equal bytes. */
export const PUBLIC_URL = "https://matchbook.example";

/** Ingests records, all of which must be accepted. */
export async function take(
  world: World,
  documents: MatchDocument[],
  batch?: number,
): Promise<void> {
  const { rejections, conflicts } = await world.ingest(documents, {
    ...(batch === undefined ? {} : { batch }),
  });
  const refused = rejections.flatMap(({ problems }) => problems);
  if (refused.length + conflicts.length > 0) {
    throw new Error(`not accepted: ${[...refused, ...conflicts].join("; ")}`);
  }
}

const ENCODINGS = ["identity", "gzip"] as const;

/** Asks in every encoding. All have the same document. */
export async function ask(world: World, path: string) {
  const replies = [];
  for (const encoding of ENCODINGS) {
    const response = await send(world, path, encoding);
    const sent = response.headers.get("content-encoding") ?? "identity";
    const body = Buffer.from(await response.arrayBuffer());
    replies.push({ asked: encoding, sent, status: response.status, response, body });
  }
  const [plain, gzip] = replies;
  for (const { asked, sent, status, response, body } of replies) {
    const fault = (what: string) => new Error(`${path} with ${asked}: ${what}`);
    if (status !== plain!.status) throw fault(`${status} instead of ${plain!.status}`);
    if (status !== 200) continue;
    if (sent !== asked) throw fault(`sent as ${sent}`);
    if (!plainBody({ headers: response.headers, body }).equals(plain!.body))
      throw fault("another document");
  }
  return {
    status: plain!.status,
    plain: plain!.body,
    gzip: gzip!.body,
    /** The encodings that were sent. */
    sent: replies.map(({ sent }) => sent),
    /** The entity tags of what was asked for. */
    tags: replies.map(({ response }) => response.headers.get("etag")),
  };
}

function send(world: World, path: string, encoding: string): Promise<Response> {
  return fetch(`${world.url}${path}`, {
    headers: {
      Authorization: `Bearer ${world.key}`,
      Accept: JSON_API,
      "Accept-Encoding": encoding,
    },
    decompress: false,
  } as RequestInit);
}

export function query(parameters: Record<string, string>): string {
  const pairs = Object.entries(parameters);
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/** A list value with escaped commas and backslashes. */
const listed = (...values: string[]): string =>
  values.map((value) => value.replaceAll(/[\\,]/g, "\\$&")).join(",");

export const FILTERS: Record<keyof Filters, string> = {
  playerNames: "filter[playerNames]",
  playerIds: "filter[playerIds]",
  teamNames: "filter[teamNames]",
  gameModes: "filter[gameMode]",
  patchVersions: "filter[patchVersion]",
};
/** Filters as the parameters of a query. */
export const parametersOf = (filters: Filters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, given]) => [
      FILTERS[name as keyof Filters],
      listed(...given),
    ]),
  );
