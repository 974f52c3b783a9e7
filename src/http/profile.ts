/**
 * In charge of how strictly callers are held to the contract: strictly by default, or as the
 * libraries written for older services of this kind expect. The pipeline asks the profile wherever
 * the two differ; nothing else knows which one is in force.
 */

import type { Decorate } from "../document/stitch.ts";
import type { Resource } from "../domain/json.ts";
import { formatTimestamp } from "../domain/time.ts";
import { type Endpoint, fieldsType, findParameter, MAX_RECORDS } from "../query/parameters.ts";
import { splitQuery, writeQuery } from "../query/query-string.ts";
import { acceptsAnyJson, acceptsMediaType } from "./negotiate.ts";

export interface Profile {
  /** The Authorization header as credentials are read from it. */
  authorization(header: string | null): string | null;
  accepts(header: string | null): boolean;
  /** The query string as it is parsed. */
  query(raw: string, endpoint: Endpoint, types: ReadonlySet<string>): string;
  /** What matches may be asked to include beyond what their records carry. */
  includePaths: ReadonlySet<string>;
  /** What is added to a resource while a reply is made; undefined when nothing is. */
  decorate: Decorate | undefined;
  /** The `meta` of a document that has none of its own; undefined when it stays without. */
  meta: object | undefined;
  /** What is added to `/status`. */
  status(service: { version: string; startedAt: number }): object;
  /** Whether a collection without a hit is answered with 404. */
  emptyIsMissing: boolean;
}

const STRICT: Profile = {
  authorization: (header) => header,
  accepts: acceptsMediaType,
  query: (raw) => raw,
  includePaths: new Set(),
  decorate: undefined,
  meta: undefined,
  status: () => ({}),
  emptyIsMissing: false,
};

/** By type, the relationships such clients read without asking whether they are there. */
const EXPECTED: ReadonlyMap<string, Record<string, [] | null>> = new Map([
  ["match", { assets: [], rounds: [], spectators: [] }],
  ["player", { assets: [] }],
  ["roster", { team: null }],
  ["participant", {}],
]);
const TITLED: ReadonlySet<string> = new Set(["match", "player"]);

const GAMELOCKER: Profile = {
  authorization: (header) =>
    header !== null && !header.trim().includes(" ") ? `Bearer ${header.trim()}` : header,
  accepts: (header) => header === null || acceptsMediaType(header) || acceptsAnyJson(header),
  query: relaxedQuery,
  includePaths: new Set(Object.keys(EXPECTED.get("match")!)),
  decorate: withExpectedMembers,
  meta: {},
  status: ({ version, startedAt }) => ({
    data: {
      type: "status",
      id: "matchbook",
      attributes: { version, releasedAt: formatTimestamp(startedAt) },
    },
  }),
  emptyIsMissing: true,
};

export const PROFILES = { off: STRICT, gamelocker: GAMELOCKER } as const;

/**
 * Leaves out what such clients send without meaning it, and lowers limits to the highest there is.
 * All else stays as it was sent, so that the parser says what is wrong with it.
 */
function relaxedQuery(raw: string, endpoint: Endpoint, types: ReadonlySet<string>): string {
  const parts = raw.split("&").flatMap((part) => {
    const [pair] = splitQuery(part, []);
    if (!pair) return [part];
    const [name, value] = pair;
    const parameter = findParameter(name);
    if (!parameter?.endpoints.includes(endpoint)) return [];
    if (parameter.kind === "fields" && !types.has(fieldsType(name))) return [];
    if (value === "" && parameter.kind !== "include") return [];
    // There is one page of players, whatever offset such a client sends.
    if (parameter.kind === "offset" && endpoint === "players") return [];
    const most = MAX_RECORDS[endpoint];
    const isTooLarge = parameter.kind === "limit" && Number(value) > most && /^\d+$/.test(value!);
    return isTooLarge ? [writeQuery([[name, String(most)]])] : [part];
  });
  return parts.join("&");
}

function withExpectedMembers(resource: Resource, lastMatchAt?: number): Resource {
  const expected = EXPECTED.get(resource.type);
  if (!expected) return resource;
  const { attributes = {}, relationships = {} } = resource;
  const { titleId, titleID } = attributes;
  const title = TITLED.has(resource.type) ? { titleId: titleId ?? titleID ?? "" } : {};
  const time = lastMatchAt === undefined ? {} : { createdAt: formatTimestamp(lastMatchAt) };
  const links = Object.entries(expected).map(([name, data]) => [
    name,
    { data, ...relationships[name] },
  ]);
  return {
    ...resource,
    attributes: { ...time, ...attributes, ...title },
    relationships: { ...relationships, ...Object.fromEntries(links) },
  };
}
