/** Every setting: name, default, parser, help, and how its value is shown. */

import { concealUser, parseKeysDatabase, parseRedis } from "./database-urls.ts";
import {
  byteSize,
  hostName,
  listenAddress,
  numberOrOff,
  oneOf,
  type Parsed,
  publicUrl,
  secret,
  shortText,
  showAddress,
  type Table,
  wholeNumber,
} from "./parsers.ts";
import { parseShards, showShards } from "./shard-locations.ts";
import {
  BUILT_IN_TIERS,
  parseClosedShards,
  parseMatchesPerDay,
  parseRate,
  parseTiers,
  showTiers,
} from "./tiers.ts";
import { AddressSet } from "./trusted-proxies.ts";

/** A simple value: a flag, a variable or a key of the file. */
export interface ValueSetting<T> {
  help: string;
  /** As text: the default goes through the parser like any other value. */
  default: string;
  parse(text: string): Parsed<T>;
  /** The value as text; String when absent. */
  show?(value: T): string;
  /** Has no flag, because every user of the machine can read flags. */
  isSecret?: boolean;
  /** Hides the secrets in a value given for this setting, valid or not. */
  conceal?(text: string): string;
}

/** Tables of the settings file, which have neither a flag nor a variable. */
export interface TableSetting<T> {
  help: string;
  default: Table;
  /** TOML that shows how to write it. */
  example: readonly string[];
  parse(table: Table): Parsed<T>;
  /** The value as tables, secrets hidden. */
  show(value: T): Table;
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

const COMPRESSIONS = ["auto", "fast", "small"] as const;
const COMPAT_PROFILES = ["off", "gamelocker"] as const;

/** Higher than any offset a client can send. */
const NO_CEILING = Number.MAX_SAFE_INTEGER;

/** For a value that is a secret as a whole. */
const HIDDEN = {
  isSecret: true,
  show: (value: string) => (value === "" ? "" : "***"),
  conceal: (text: string) => (text === "" ? "" : "***"),
};

// Both keep the value type of each entry, which an annotation of the table would lose.
const setting = <T>(entry: ValueSetting<T>): ValueSetting<T> => entry;
const tables = <T>(entry: TableSetting<T>): TableSetting<T> => entry;

const DATA = {
  data: setting({
    default: "data",
    help: "folder of the shards and the API keys",
    parse: shortText(4096),
  }),
  shards: tables({
    default: {},
    help: "shards to serve and where each is stored; if empty, every store in the data folder",
    example: [
      "[shards.na]                 # in the data folder",
      "[shards.eu]",
      'url = "sqlite:/srv/eu.db"   # or postgres://USER:PASSWORD@HOST/DATABASE',
    ],
    parse: parseShards,
    show: showShards,
  }),
  "title-id": setting({
    default: "matchbook",
    help: "titleID of players whose records have none",
    parse: shortText(128),
  }),
  "max-record-bytes": setting({
    default: "16MiB",
    help: "maximum size of a record; an upload may have 256 times as much",
    parse: byteSize(1024, 1024 ** 3),
  }),
  "verify-hours": setting({
    default: "24",
    help: "hours between two verifies of each shard, at low priority beside requests, or off for none",
    parse: numberOrOff(1, 8760, undefined),
    show: (value: number | undefined) => (value === undefined ? "off" : String(value)),
  }),
};

const LISTEN = {
  host: setting({
    default: "127.0.0.1",
    help: "address to listen on",
    parse: hostName,
  }),
  port: setting({
    default: "8080",
    help: "port to listen on; 0 picks a free one",
    parse: wholeNumber(0, 65_535),
  }),
  workers: setting({
    default: "1",
    help: "number of worker processes on the port; more than 1 requires Linux",
    parse: wholeNumber(1, 64),
  }),
  "public-url": setting({
    default: "",
    help: "base URL of links; if empty, the host of the request",
    parse: publicUrl,
  }),
  "trusted-proxies": setting({
    default: "",
    help: "IP addresses or CIDR blocks of proxies whose forwarding headers are trusted",
    parse: AddressSet.parse,
  }),
  "drain-ms": setting({
    default: "500",
    help: "graceful shutdown: how long a stopping server still accepts requests, in milliseconds",
    parse: wholeNumber(0, 60_000),
  }),
};

const KEYS = {
  rate: setting({
    default: "60",
    help: "requests per minute for keys whose tier sets no rate",
    parse: parseRate,
  }),
  "matches-per-day": setting({
    default: "5000",
    help: "daily match quota: distinct matches a key may read per UTC day, if its tier sets none; 0 means unlimited",
    parse: parseMatchesPerDay,
  }),
  tiers: tables({
    default: BUILT_IN_TIERS,
    help: "tiers of keys and their limits; keys without a tier get the first; the tier visitor is for portal visitors",
    example: ["[tiers.hobby]", "[tiers.partner]", "rate = 300", 'shards = ["*", "beta"]'],
    parse: parseTiers,
    show: showTiers,
  }),
  "closed-shards": setting({
    default: "",
    help: "shards that only tiers and keys that name them may read",
    parse: parseClosedShards,
    show: (ids) => ids.join(","),
  }),
  "keys-database": setting({
    default: "",
    help: "postgres:// URL of a database for API keys and usage, shared by several instances; if empty, the data folder",
    parse: parseKeysDatabase,
    show: (location) => location?.given ?? "",
    conceal: concealUser,
  }),
  redis: setting({
    default: "",
    help: "redis:// URL through which instances share rate limits and daily match quotas; if empty, each has its own",
    parse: parseRedis,
    conceal: concealUser,
  }),
  "open-requests-per-minute": setting({
    default: "600",
    help: "requests that need no key, or have no valid one, that one client address may send per minute to an instance, a twentieth of them with an invalid key; 0 means unlimited",
    parse: wholeNumber(0, 1_000_000),
  }),
  "max-offset": setting({
    default: "10000",
    help: "highest page[offset] that is served, or off for no limit",
    parse: numberOrOff(0, 1_000_000_000, NO_CEILING),
    show: (value: number) => (value === NO_CEILING ? "off" : String(value)),
  }),
};

const PORTAL = {
  portal: setting({
    default: "on",
    help: "serve the web portal at / and /portal: on or off",
    parse: oneOf(["on", "off"]),
  }),
  "portal-visitors": setting({
    default: "off",
    help: "let visitors of the portal read without a key, within the limits of the tier visitor per client address: on or off; quickstart: on",
    parse: oneOf(["on", "off"]),
  }),
  compat: setting({
    default: "off",
    help: "compatibility profile: off, or gamelocker for clients written for older services of this kind",
    parse: oneOf(COMPAT_PROFILES),
  }),
  hooks: setting({
    default: "on",
    help: "deliver changes to webhooks (see 'matchbook hooks'): on, off, or private: also to addresses that are not public, and over http; for receivers in your own network",
    parse: oneOf(["on", "off", "private"]),
  }),
};

const ADMIN = {
  "admin-port": setting({
    default: "off",
    help: "port of the admin listener (metrics, keys, uploads) on 127.0.0.1, or HOST:PORT, which clients must not reach; 0 picks a free one, off disables it",
    parse: listenAddress,
    show: (value) => (value === undefined ? "off" : showAddress(value)),
  }),
  "admin-token": setting({
    default: "",
    help: "bearer token of the admin listener, which also signs the tokens of portal visitors, the same for several instances; set it by variable or in the file, not by flag",
    parse: secret,
    ...HIDDEN,
  }),
  "admin-token-file": setting({
    default: "",
    help: "file with the token of the admin listener, if MATCHBOOK_ADMIN_TOKEN is not set",
    parse: (text) => ({ value: text }),
  }),
  "log-level": setting({
    default: "info",
    help: `minimum log level: ${LOG_LEVELS.join(", ")}; quickstart: warn`,
    parse: oneOf(LOG_LEVELS),
  }),
};

const ADVANCED = {
  "cache-mib": setting({
    default: "256",
    help: "cache per shard for the matches, players and teams read most often, in MiB; responses have an eighth of it, per process",
    parse: wholeNumber(0, 1_000_000),
  }),
  compression: setting({
    default: "auto",
    help: "compress responses as a whole: auto unless the server is busy, fast never, small always",
    parse: oneOf(COMPRESSIONS),
  }),
  "max-delay-ms": setting({
    default: "50",
    help: "milliseconds that requests may wait for others in a process; beyond, clients get 503 overloaded; 0 means unlimited",
    parse: wholeNumber(0, 60_000),
  }),
  "max-in-flight": setting({
    default: "256",
    help: "requests to one shard that may wait for its database in a process; beyond, clients get 503 overloaded",
    parse: wholeNumber(1, 100_000),
  }),
  "leaderboard-depth": setting({
    default: "1000",
    help: "entries of a leaderboard that are listed; ranks are counted as far",
    parse: wholeNumber(1, 100_000),
  }),
  batch: setting({
    default: "5000",
    help: "records per transaction when ingesting",
    parse: wholeNumber(1, 10_000),
  }),
};

/** By the heading of each group, in help and documentation. */
export const GROUPS = {
  Data: DATA,
  Listen: LISTEN,
  "Keys and limits": KEYS,
  "Portal and webhooks": PORTAL,
  "Admin listener and log": ADMIN,
  Advanced: ADVANCED,
};

export const SETTINGS = { ...DATA, ...LISTEN, ...KEYS, ...PORTAL, ...ADMIN, ...ADVANCED };

export type SettingName = keyof typeof SETTINGS;

export type Settings = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends {
    parse(given: never): Parsed<infer T>;
  }
    ? T
    : never;
};

type TableName = "shards" | "tiers";
export type ValueName = Exclude<SettingName, TableName>;

export const isSettingName = (text: string): text is SettingName => Object.hasOwn(SETTINGS, text);

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];
export const VALUE_NAMES = SETTING_NAMES.filter((name): name is ValueName => !isTableName(name));
export const FLAG_NAMES = VALUE_NAMES.filter((name) => !settingOf(name).isSecret);

export function isTableName(text: string): text is TableName {
  return isSettingName(text) && "example" in SETTINGS[text];
}
export function settingOf(name: ValueName): ValueSetting<unknown> {
  return SETTINGS[name];
}
export function groupOf(name: SettingName): string {
  return Object.entries(GROUPS).find(([, group]) => name in group)![0];
}
export const flagOf = (name: string): string => `--${name}`;
export const variableOf = (name: string): string =>
  `MATCHBOOK_${name.toUpperCase().replaceAll("-", "_")}`;

/** The value of a setting with its secrets hidden. */
export function shownValue(values: Settings, name: ValueName): string {
  const { show = String, conceal = (text) => text } = settingOf(name);
  return conceal(show(values[name]));
}

/** The error for a setting that has no flag or variable, with the tables to write instead. */
export function fileOnly(given: string, name: TableName): string {
  const lines = SETTINGS[name].example.map((line) => `    ${line}`);
  return `${given} is not supported: define ${name} as tables in the settings file (--config), for example:\n${lines.join("\n")}`;
}
