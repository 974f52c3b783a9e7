/**
 * Compatibility profiles: strict by default, or as the client libraries of older services expect. Only this
 * file knows how they differ.
 */

import type { AdditionsByType } from "../document/assemble.ts";
import type { Additions } from "../document/project.ts";
import { formatTimestamp } from "../domain/time.ts";
import { type Endpoint, fieldsType, findParameter } from "../query/endpoint.ts";
import { splitQuery, writeQuery } from "../query/query-string.ts";
import { acceptsAnyJson, acceptsMediaType } from "./negotiate.ts";

export interface CompatProfile {
  /** The Authorization header to read the credentials from. */
  authorization(header: string | null): string | null;
  accepts(header: string | null): boolean;
  /** The query string to parse. */
  query(raw: string, endpoint: Endpoint, types: ReadonlySet<string>): string;
  /** Values that `include` accepts beyond those of the records. */
  includePaths: ReadonlySet<string>;
  /** Added to resources while a response is built; undefined when nothing is added. */
  additions: AdditionsByType | undefined;
  /** The `meta` of a document that has none of its own. */
  meta: object | undefined;
  /** Members to add to `/status`. */
  status(service: { version: string; startedAt: number }): object;
  /** Whether an empty collection returns 404. */
  emptyIsMissing: boolean;
}

const STRICT: CompatProfile = {
  authorization: (header) => header,
  accepts: acceptsMediaType,
  query: (raw) => raw,
  includePaths: new Set(),
  additions: undefined,
  meta: undefined,
  status: () => ({}),
  emptyIsMissing: false,
};

const MATCH_RELATIONSHIPS: Record<string, []> = { assets: [], rounds: [], spectators: [] };
const TITLE = { name: "titleId", of: "titleID" };

/** Members that such clients read without checking that they exist. */
const ADDITIONS: AdditionsByType = new Map<string, Additions>([
  ["match", { alias: TITLE, relationships: MATCH_RELATIONSHIPS }],
  ["player", { alias: TITLE, time: "createdAt", relationships: { assets: [] } }],
  ["roster", { relationships: { team: null } }],
  ["participant", { relationships: {} }],
]);

const GAMELOCKER: CompatProfile = {
  authorization: (header) =>
    header !== null && !header.trim().includes(" ") ? `Bearer ${header.trim()}` : header,
  accepts: (header) => header === null || acceptsMediaType(header) || acceptsAnyJson(header),
  query: relaxedQuery,
  includePaths: new Set(Object.keys(MATCH_RELATIONSHIPS)),
  additions: ADDITIONS,
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
 * Drops parameters that such clients send out of habit, and caps limits at the maximum. Everything else
 * stays as it was sent, so that the parser reports what is wrong with it.
 */
function relaxedQuery(raw: string, endpoint: Endpoint, types: ReadonlySet<string>): string {
  const parts = raw.split("&").flatMap((part) => {
    const [pair] = splitQuery(part, []);
    if (!pair) return [part];
    const [name, value] = pair;
    const parameter = findParameter(endpoint, name);
    if (!parameter) return [];
    if (parameter.kind === "fields" && !types.has(fieldsType(name))) return [];
    if (value === "" && parameter.kind !== "include") return [];
    // Players have one page, whatever offset such a client sends.
    if (parameter.kind === "offset" && parameter.most === 0) return [];
    if (parameter.kind !== "limit" || !/^\d+$/.test(value!)) return [part];
    return Number(value) > parameter.most ? [writeQuery([[name, String(parameter.most)]])] : [part];
  });
  return parts.join("&");
}
