/**
 * The rules of docs/api.md for query strings, written a second time and as simply as possible: which problems a query
 * has, and what it means. Shares no code with the parser, only the table of parameters.
 */

import { crc32 } from "node:zlib";
import { type Filters, MODES } from "../../model/record.ts";
import type { Gap } from "../../model/state.ts";
import { FILTERS } from "../../properties/asking.ts";
import { PARAMETERS, type Row } from "../../support/parameters.ts";

/** "code parameter", as in an error document. */
export type Problems = Set<string>;

export interface Meaning {
  limit: number | undefined;
  offset: number;
  after: Gap | undefined;
  before: Gap | undefined;
  /** A cursor of another endpoint, which may have expired. */
  hasOtherCursor: boolean;
  sort: "createdAt" | "-createdAt";
  window: { start: number; end: number };
  filters: Filters;
  include: string[] | undefined;
  fields: Record<string, string[]>;
}

export interface Rules {
  /** Undefined for a path without parameters. */
  endpoint: string | undefined;
  now: number;
  /** The last segment of the path of a leaderboard. */
  board: string;
  /** What a record may have added to the standard words; whether a path or type of them exists is not predicted. */
  words: ReadonlySet<string>;
}

const PATHS = ["rosters", "rosters.participants", "rosters.participants.player", "rosters.team"];
const TYPES = ["match", "roster", "participant", "player", "team"];
const LIMITS: Record<string, number> = {
  matches: 5,
  players: 6,
  changes: 200,
  leaderboards: 100,
  "played-with": 50,
};
export const SORTS = "hero matches wins winRate pickRate kills deaths assists gold farm".split(" ");
export const BOARDS = ["skill-tier", "ranked-wins", "win-rate", "win-streak"];
const DAY = 24 * 60 * 60 * 1000;

/** Undefined if the rules cannot decide. */
export function readQuery(
  raw: string,
  rules: Rules,
): { problems: Problems; meaning: Meaning } | undefined {
  const problems: Problems = new Set();
  const reader = new Reader(raw, rules, problems);
  const meaning = reader.read();
  return reader.isUndecided ? undefined : { problems, meaning };
}

class Reader {
  isUndecided = false;
  readonly #known = new Map<string, { parameter: Row; value: string | undefined }>();

  constructor(
    private readonly raw: string,
    private readonly rules: Rules,
    private readonly problems: Problems,
  ) {}

  read(): Meaning {
    this.#readNames();
    const { endpoint, now, board } = this.rules;
    const whole = (name: string) => this.#value(name);
    const meaning: Meaning = {
      limit: this.#number("page[limit]", 1, LIMITS[endpoint ?? ""] ?? 0),
      offset: this.#offset() ?? 0,
      after: undefined,
      before: undefined,
      hasOtherCursor: false,
      sort: "createdAt",
      window: { start: now - 28 * DAY, end: now },
      filters: {},
      include: undefined,
      fields: {},
    };
    this.#readCursors(meaning);
    this.#readSort(meaning);
    this.#readFilters(meaning);
    this.#readShape(meaning);
    if (endpoint === "matches") this.#readWindow(meaning);
    const near = whole("filter[near]");
    if (near !== undefined && ([...near].length > 64 || near.includes("\0"))) {
      this.#report("invalid-parameter", "filter[near]");
    }
    if (endpoint === "names" && !this.#known.has("filter[near]")) {
      this.#report("empty-parameter", "filter[near]");
    }
    const period = whole("filter[period]");
    const isRecent = ["ranked-wins", "win-rate"].includes(board);
    if (period !== undefined && (period === "28d" ? !isRecent : period !== "all")) {
      this.#report("invalid-parameter", "filter[period]");
    }
    return meaning;
  }

  #report(code: string, parameter = ""): void {
    this.problems.add(`${code} ${parameter}`);
  }

  #readNames(): void {
    const seen = new Set<string>();
    const parts = this.raw.split("&").filter((part) => part !== "");
    if (parts.length > 100) this.#report("malformed-query");
    for (const part of parts.slice(0, 100)) {
      const [, before, after] = /^([^=]*)(?:=(.*))?$/s.exec(part)!;
      const name = decoded(before!);
      if (name === undefined || name === "") {
        this.#report("malformed-query");
        continue;
      }
      const value = decoded(after ?? "");
      if (value === undefined) this.#report("malformed-query", name);
      const parameter = this.#find(name);
      if (!parameter) this.#report("unknown-parameter", name);
      else if (seen.has(name)) this.#report("repeated-parameter", name);
      else this.#known.set(name, { parameter, value });
      seen.add(name);
    }
    for (const [name, { parameter, value }] of this.#known) {
      if (value === "" && !parameter.mayBeEmpty) this.#report("empty-parameter", name);
    }
  }

  #find(name: string): Row | undefined {
    const { endpoint } = this.rules;
    const written = /^fields\[.*\]$/s.test(name) ? "fields[TYPE]" : name;
    const rows: readonly Row[] = PARAMETERS;
    return rows.find((row) => row.name === written && endpoint && row.endpoints.includes(endpoint));
  }

  /** Undefined if it is missing, empty or could not be decoded. */
  #value(name: string): string | undefined {
    return this.#known.get(name)?.value || undefined;
  }

  #number(name: string, least: number, most: number): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (/^[0-9]+$/.test(value) && Number(value) >= least && Number(value) <= most) {
      return Number(value);
    }
    this.#report("invalid-parameter", name);
    return undefined;
  }

  #offset(): number | undefined {
    const value = this.#value("page[offset]");
    if (this.rules.endpoint === "players") return this.#number("page[offset]", 0, 0);
    if (value !== undefined && /^[0-9]+$/.test(value) && Number(value) > 10_000) {
      this.#report("offset-too-deep", "page[offset]");
      return undefined;
    }
    return this.#number("page[offset]", 0, 10_000);
  }

  #readCursors(meaning: Meaning): void {
    const { endpoint } = this.rules;
    const [AFTER, BEFORE, OFFSET] = ["page[after]", "page[before]", "page[offset]"] as const;
    for (const [name, side] of [
      [AFTER, "after"],
      [BEFORE, "before"],
    ] as const) {
      const value = this.#value(name);
      if (value === undefined) continue;
      if (endpoint === "changes" || endpoint === "leaderboards") {
        const isValid =
          endpoint === "changes" ? value === "oldest" || isLogCursor(value) : isBoardCursor(value);
        if (isValid) meaning.hasOtherCursor = true;
        else this.#report("invalid-cursor", name);
        continue;
      }
      meaning[side] = matchCursor(value);
      if (!meaning[side]) this.#report("invalid-cursor", name);
    }
    if (endpoint === "leaderboards" && this.#known.has("filter[playerIds]")) {
      for (const name of ["page[limit]", AFTER]) {
        if (this.#known.has(name)) this.#report("conflicting-parameters", name);
      }
    }
    if (endpoint !== "matches") return;
    if (this.#known.has(AFTER) && this.#known.has(BEFORE)) {
      this.#report("conflicting-parameters", BEFORE);
    }
    if (this.#known.has(OFFSET) && (this.#known.has(AFTER) || this.#known.has(BEFORE))) {
      this.#report("conflicting-parameters", OFFSET);
    }
  }

  #readSort(meaning: Meaning): void {
    const value = this.#value("sort");
    if (value === undefined) return;
    const accepted = this.rules.endpoint === "heroes" ? SORTS : ["createdAt"];
    if (!accepted.includes(value.replace(/^-/, ""))) this.#report("invalid-parameter", "sort");
    else meaning.sort = value as Meaning["sort"];
  }

  #readFilters(meaning: Meaning): void {
    for (const [filter, name] of Object.entries(FILTERS) as [keyof Filters, string][]) {
      const value = this.#value(name);
      if (value === undefined) continue;
      const items = listIn(value);
      const most = this.rules.endpoint === "leaderboards" ? 20 : 50;
      if (items === undefined) this.#report("invalid-parameter", name);
      else if (items.length > most) this.#report("too-many-values", name);
      else if (filter === "gameModes" && items.some((mode) => !MODES.includes(mode))) {
        this.#report("invalid-parameter", name);
      } else meaning.filters[filter] = items;
    }
  }

  #readShape(meaning: Meaning): void {
    for (const [name, { parameter, value }] of this.#known) {
      if (parameter.kind === "fields") {
        const type = name.slice("fields[".length, -1);
        if (!TYPES.includes(type)) {
          if (this.rules.words.has(type)) this.isUndecided = true;
          else this.#report("unknown-type", name);
        }
        if (value === undefined) continue;
        const words = value === "" ? [] : value.split(",");
        if (words.includes("")) this.#report("invalid-parameter", name);
        else meaning.fields[type] = words;
      }
      if (parameter.kind !== "include" || value === undefined) continue;
      const paths = value === "" ? [] : value.split(",");
      meaning.include = paths;
      const isOfMatches = this.rules.endpoint === "matches" || this.rules.board === "matches";
      const known = isOfMatches ? PATHS : [];
      const unknown = paths.filter((path) => !known.includes(path));
      const mayExist = (path: string) =>
        isOfMatches && path.split(".").every((step) => this.rules.words.has(step));
      if (paths.includes("")) this.#report("invalid-parameter", name);
      else if (unknown.some((path) => !mayExist(path))) this.#report("unknown-include-path", name);
      else if (unknown.length > 0) this.isUndecided = true;
    }
  }

  #readWindow(meaning: Meaning): void {
    const [START, END] = ["filter[createdAt-start]", "filter[createdAt-end]"] as const;
    const moments = [START, END].map((name) => {
      const value = this.#value(name);
      const moment = value === undefined ? undefined : momentIn(value);
      if (value !== undefined && moment === undefined) this.#report("invalid-parameter", name);
      return moment;
    });
    const [start, end] = moments;
    const { now } = this.rules;
    if (start !== undefined) meaning.window.start = start;
    meaning.window.end = Math.min(end ?? now, now);
    if (meaning.window.start < meaning.window.end) return;
    if (start !== undefined && (start >= now || end !== undefined)) {
      this.#report("invalid-window", START);
    } else if (end !== undefined && !this.#known.has(START)) this.#report("invalid-window", END);
  }
}

/** Undefined for an escape that is not two digits, and for bytes that are not UTF-8. */
export function decoded(text: string): string | undefined {
  const bytes: number[] = [];
  for (const [token] of text.matchAll(/%[0-9a-f]{2}|./gisu)) {
    if (token === "%") return undefined;
    if (token.length === 3) bytes.push(Number.parseInt(token.slice(1), 16));
    else bytes.push(...Buffer.from(token === "+" ? " " : token));
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(bytes),
    );
  } catch {
    return undefined;
  }
}

/** Distinct items; undefined if one is empty or a backslash escapes nothing. */
function listIn(text: string): string[] | undefined {
  const items = [""];
  for (const [token] of text.matchAll(/\\[\\,]|./gsu)) {
    if (token === "\\") return undefined;
    if (token === ",") items.push("");
    else items.push(items.pop()! + (token === "\\," ? "," : token === "\\\\" ? "\\" : token));
  }
  return items.includes("") ? undefined : [...new Set(items)];
}

/** A space before the offset of the zone was an unescaped plus. */
export function momentIn(text: string): number | undefined {
  const parts =
    /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:Z|([ +-])([01]\d|2[0-3]):([0-5]\d))$/.exec(
      text,
    );
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", sign, hours, minutes] = parts;
  const isLeap = +year! % 4 === 0 && (+year! % 100 !== 0 || +year! % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][+month! - 1];
  if (days === undefined || +day! < 1 || +day! > days) return undefined;
  const milliseconds = fraction.padEnd(3, "0").slice(0, 3);
  const utc = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}Z`);
  const offset = sign ? (sign === "-" ? -1 : 1) * (+hours! * 60 + +minutes!) * 60_000 : 0;
  const moment = utc - offset;
  const isWithin = moment >= Date.parse("0000-01-01T00:00:00Z") && moment < Date.UTC(10_000, 0, 1);
  return isWithin ? moment : undefined;
}

const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Reads the part of a cursor that says where it is. */
function matchCursor(text: string): Gap | undefined {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.toString("base64url") !== text || bytes.length < 15 || bytes[0] !== 1) return undefined;
  if (crc32(bytes.subarray(5)) !== bytes.readUInt32BE(1) || bytes[5]! > 1) return undefined;
  const id = bytes.toString("latin1", 14).split(" ")[0]!;
  const at = Number(bytes.readBigInt64BE(6));
  return ID.test(id) ? { at, id, side: bytes[5] === 0 ? "before" : "after" } : undefined;
}

/** A number as base 36 writes it, small enough to be exact. */
const isBase36 = (text: string) =>
  /^(0|[1-9a-z][0-9a-z]*)$/.test(text) && Number.parseInt(text, 36) <= Number.MAX_SAFE_INTEGER;

function isLogCursor(text: string): boolean {
  const parts = text.split("-");
  return parts.length === 2 && parts.every(isBase36) && parts[1]!.length <= 7;
}

function isBoardCursor(text: string): boolean {
  const [score = "", ...rest] = text.split(".");
  return rest.length === 1 && isBase36(score) && ID.test(rest[0]!);
}
