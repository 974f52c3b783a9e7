/** In charge of the one table of settings: name, default, parser, help and how each is shown. */

import { concealAccess, parseAccess, showAccess } from "./access.ts";
import {
  byteSize,
  hostName,
  numberOrOff,
  oneOf,
  type Parsed,
  publicUrl,
  secret,
  shortText,
  wholeNumber,
} from "./parsers.ts";
import { AddressSet } from "./proxies.ts";
import { concealUser, parseRedis } from "./redis.ts";
import { concealShards, parseShards, parseShardTable, showShards } from "./shards.ts";
import {
  parseBurst,
  parseClosedShards,
  parseMatchesPerDay,
  parseRate,
  parseTiers,
  parseTierTable,
  showTiers,
} from "./tiers.ts";

export interface Setting<T> {
  /** As it would be written: the default goes through the parser like any other text. */
  default: string;
  placeholder: string;
  help: string;
  parse(text: string): Parsed<T>;
  /** For settings that may also be a table in the file. */
  parseTable?(table: Record<string, unknown>): Parsed<T>;
  /** The value as text; String when absent. */
  show?(value: T): string;
  /** Given by a variable or in the file, never by a flag, which every user of the machine can read. */
  isSecret?: boolean;
  /** Hides the secrets in a text given for this setting, well-formed or not. */
  conceal?(text: string): string;
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

const COMPAT_PROFILES = ["off", "gamelocker"] as const;

/** Higher than any offset that could be asked for. */
const NO_CEILING = Number.MAX_SAFE_INTEGER;

/** The least and the most characters. */
const TOKEN_LENGTH = [24, 512] as const;

// Keeps each entry's own value type, which a plain annotation of the table would lose.
const setting = <T>(entry: Setting<T>): Setting<T> => entry;

export const SETTINGS = {
  data: setting({
    default: "data",
    placeholder: "DIR",
    help: "folder of the stores and the API keys",
    parse: shortText(4096),
  }),
  host: setting({
    default: "127.0.0.1",
    placeholder: "HOST",
    help: "address to listen on",
    parse: hostName,
  }),
  port: setting({
    default: "8080",
    placeholder: "PORT",
    help: "port to listen on; 0 takes a free one",
    parse: wholeNumber(0, 65_535),
  }),
  workers: setting({
    default: "1",
    placeholder: "N",
    help: "processes that serve on that port; more than 1 needs Linux",
    parse: wholeNumber(1, 64),
  }),
  shards: setting({
    default: "",
    placeholder: "LIST",
    help: "shards to serve, each ID, ID=sqlite:PATH or ID=postgres://…; empty: every store in the data folder",
    parse: parseShards,
    parseTable: parseShardTable,
    show: showShards,
    conceal: concealShards,
  }),
  "public-url": setting({
    default: "",
    placeholder: "URL",
    help: "address that links are built on; empty: the host the caller used",
    parse: publicUrl,
  }),
  "trusted-proxies": setting({
    default: "",
    placeholder: "LIST",
    help: "addresses or CIDR blocks of proxies whose forwarding headers are believed",
    parse: AddressSet.parse,
  }),
  "title-id": setting({
    default: "matchbook",
    placeholder: "ID",
    help: "titleID of players whose records carry none",
    parse: shortText(128),
  }),
  rate: setting({
    default: "60",
    placeholder: "N",
    help: "requests a minute for keys whose tier says nothing else",
    parse: parseRate,
  }),
  burst: setting({
    default: "0",
    placeholder: "N",
    help: "requests a rested key may send at once; 0: as many as its rate",
    parse: parseBurst,
  }),
  "matches-per-day": setting({
    default: "5000",
    placeholder: "N",
    help: "different match records a key may read in a UTC day, if its tier says nothing else; 0: any number",
    parse: parseMatchesPerDay,
  }),
  tiers: setting({
    default:
      "hobby; community rate=300 matches-per-day=50000; commercial rate=3000 matches-per-day=500000",
    placeholder: "TIERS",
    help: "tiers of keys and what each grants: rate, burst, matches-per-day, shards; the first is for keys that name none",
    parse: parseTiers,
    parseTable: parseTierTable,
    show: showTiers,
  }),
  "closed-shards": setting({
    default: "",
    placeholder: "LIST",
    help: "shards that only tiers and keys which name them may read",
    parse: parseClosedShards,
    show: (ids) => ids.join(","),
  }),
  access: setting({
    default: "",
    placeholder: "URL",
    help: "postgres://… that keeps the API keys and their usage, for several instances; empty: the data folder",
    parse: parseAccess,
    show: showAccess,
    conceal: concealAccess,
  }),
  redis: setting({
    default: "",
    placeholder: "URL",
    help: "redis://… that instances share their limits and budgets through; empty: each has its own",
    parse: parseRedis,
    conceal: concealUser,
  }),
  "failed-keys": setting({
    default: "30",
    placeholder: "N",
    help: "wrong keys that one client address may show in a minute; 0: any number",
    parse: wholeNumber(0, 1_000_000),
  }),
  "max-offset": setting({
    default: "10000",
    placeholder: "N",
    help: "highest page[offset] that is served, or off for any",
    parse: numberOrOff(0, 1_000_000_000, NO_CEILING),
    show: (value: number) => (value === NO_CEILING ? "off" : String(value)),
  }),
  "cache-mib": setting({
    default: "256",
    placeholder: "MIB",
    help: "memory for the players and teams of one shard that are asked for most, in MiB",
    parse: wholeNumber(0, 1_000_000),
  }),
  compat: setting({
    default: "off",
    placeholder: "PROFILE",
    help: "off, or gamelocker to answer clients written for older services of this kind",
    parse: oneOf(COMPAT_PROFILES),
  }),
  portal: setting({
    default: "on",
    placeholder: "on|off",
    help: "whether the pages for people are served at / and /portal",
    parse: oneOf(["on", "off"]),
  }),
  "farewell-ms": setting({
    default: "500",
    placeholder: "N",
    help: "how long a stopping server tells callers to close their connections",
    parse: wholeNumber(0, 60_000),
  }),
  "log-level": setting({
    default: "info",
    placeholder: "LEVEL",
    help: `least level that is logged: ${LOG_LEVELS.join(", ")}`,
    parse: oneOf(LOG_LEVELS),
  }),
  "log-names": setting({
    default: "off",
    placeholder: "on|off",
    help: "whether the log shows the player names that callers ask for",
    parse: oneOf(["on", "off"]),
  }),
  "admin-port": setting({
    default: "off",
    placeholder: "PORT",
    help: "port of the private listener (metrics, keys, ingest); 0 takes a free one; off: none",
    parse: numberOrOff(0, 65_535, undefined),
    show: (value: number | undefined) => (value === undefined ? "off" : String(value)),
  }),
  "admin-host": setting({
    default: "127.0.0.1",
    placeholder: "HOST",
    help: "address of the private listener; keep it where callers cannot reach it",
    parse: hostName,
  }),
  "admin-token": setting({
    default: "",
    placeholder: "TOKEN",
    help: "secret that the private listener asks for; from the variable or the file only",
    parse: secret(TOKEN_LENGTH),
    isSecret: true,
    show: (value) => (value === "" ? "" : "***"),
    conceal: (text) => (text === "" ? "" : "***"),
  }),
  "admin-token-file": setting({
    default: "",
    placeholder: "FILE",
    help: "file that holds the secret of the private listener, if MATCHBOOK_ADMIN_TOKEN does not",
    parse: (text) => ({ value: text }),
  }),
  "max-upload-bytes": setting({
    default: "4GiB",
    placeholder: "SIZE",
    help: "largest body that the private listener takes in one request",
    parse: byteSize(1024, 1024 ** 4),
  }),
  "max-record-bytes": setting({
    default: "16MiB",
    placeholder: "SIZE",
    help: "largest record that ingest takes",
    parse: byteSize(1024, 1024 ** 3),
  }),
  batch: setting({
    default: "2000",
    placeholder: "N",
    help: "records that ingest stores in one transaction",
    parse: wholeNumber(1, 10_000),
  }),
};

export type SettingName = keyof typeof SETTINGS;

export type Settings = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never;
};

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export const isSettingName = (text: string): text is SettingName => Object.hasOwn(SETTINGS, text);
export const settingOf = (name: SettingName): Setting<unknown> => SETTINGS[name];
export const flagOf = (name: string): string => `--${name}`;
export const variableOf = (name: string): string =>
  `MATCHBOOK_${name.toUpperCase().replaceAll("-", "_")}`;

/** A setting's value as an operator may read it: secrets hidden. */
export function shownValue(values: Settings, name: SettingName): string {
  const { show = String, conceal = (text) => text } = settingOf(name);
  return conceal(show(values[name]));
}
