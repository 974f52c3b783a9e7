/** Every setting: name, default, parser, help, and how its value is shown. */

import { concealUser, parseKeysDatabase, parseRedis } from "./database-urls.ts";
import {
  byteSize,
  hostName,
  numberOrOff,
  oneOf,
  type Parsed,
  publicUrl,
  secret,
  shortText,
  type Table,
  wholeNumber,
} from "./parsers.ts";
import { parseShards, showShards } from "./shard-locations.ts";
import {
  parseBurst,
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
  /** As it would be written: the default goes through the parser like any other text. */
  default: string;
  parse(text: string): Parsed<T>;
  /** The value as text; String when absent. */
  show?(value: T): string;
  /** Given by a variable or in the file, never by a flag, which every user of the machine can read. */
  isSecret?: boolean;
  /** Hides the secrets in a text given for this setting, well-formed or not. */
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

const COMPAT_PROFILES = ["off", "gamelocker"] as const;

/** Higher than any offset a caller can send. */
const NO_CEILING = Number.MAX_SAFE_INTEGER;

// Both keep each entry's own value type, which a plain annotation of the table would lose.
const setting = <T>(entry: ValueSetting<T>): ValueSetting<T> => entry;
const tables = <T>(entry: TableSetting<T>): TableSetting<T> => entry;

export const SETTINGS = {
  data: setting({
    default: "data",
    help: "folder of the stores and the API keys",
    parse: shortText(4096),
  }),
  host: setting({
    default: "127.0.0.1",
    help: "address to listen on",
    parse: hostName,
  }),
  port: setting({
    default: "8080",
    help: "port to listen on; 0 takes a free one",
    parse: wholeNumber(0, 65_535),
  }),
  workers: setting({
    default: "1",
    help: "processes that serve on that port; more than 1 needs Linux",
    parse: wholeNumber(1, 64),
  }),
  shards: tables({
    default: {},
    help: "shards to serve and where each is stored; empty: every store in the data folder",
    example: [
      "[shards.na]                 # in the data folder",
      "[shards.eu]",
      'url = "sqlite:/srv/eu.db"   # or postgres://USER:PASSWORD@HOST/DATABASE',
    ],
    parse: parseShards,
    show: showShards,
  }),
  "public-url": setting({
    default: "",
    help: "URL that links are built on; empty: the host of the request",
    parse: publicUrl,
  }),
  "trusted-proxies": setting({
    default: "",
    help: "addresses or CIDR blocks of proxies whose forwarding headers are trusted",
    parse: AddressSet.parse,
  }),
  "title-id": setting({
    default: "matchbook",
    help: "titleID of players whose records carry none",
    parse: shortText(128),
  }),
  rate: setting({
    default: "60",
    help: "requests per minute for keys whose tier sets no rate",
    parse: parseRate,
  }),
  burst: setting({
    default: "0",
    help: "requests an idle key may send at once; 0: as many as its rate",
    parse: parseBurst,
  }),
  "matches-per-day": setting({
    default: "5000",
    help: "daily match quota: different matches a key may read per UTC day, unless its tier sets it; 0: any number",
    parse: parseMatchesPerDay,
  }),
  tiers: tables({
    default: {
      hobby: {},
      community: { rate: 300, "matches-per-day": 50_000 },
      commercial: { rate: 3000, "matches-per-day": 500_000 },
    },
    help: "tiers of keys and the limits of each; the first is for keys that name none",
    example: ["[tiers.hobby]", "[tiers.partner]", "rate = 300", 'shards = ["*", "beta"]'],
    parse: parseTiers,
    show: showTiers,
  }),
  "closed-shards": setting({
    default: "",
    help: "shards that only tiers and keys which name them may read",
    parse: parseClosedShards,
    show: (ids) => ids.join(","),
  }),
  "keys-database": setting({
    default: "",
    help: "postgres://… that stores the API keys and their usage, for several instances; empty: the data folder",
    parse: parseKeysDatabase,
    show: (location) => location?.given ?? "",
    conceal: concealUser,
  }),
  redis: setting({
    default: "",
    help: "redis://… through which instances share rate limits and daily match quotas; empty: each has its own",
    parse: parseRedis,
    conceal: concealUser,
  }),
  "auth-failures-per-minute": setting({
    default: "30",
    help: "invalid keys that one client address may send per minute; 0: any number",
    parse: wholeNumber(0, 1_000_000),
  }),
  "max-offset": setting({
    default: "10000",
    help: "highest page[offset] that is served, or off for any",
    parse: numberOrOff(0, 1_000_000_000, NO_CEILING),
    show: (value: number) => (value === NO_CEILING ? "off" : String(value)),
  }),
  "cache-mib": setting({
    default: "256",
    help: "memory per shard for the players and teams read most often, in MiB",
    parse: wholeNumber(0, 1_000_000),
  }),
  compat: setting({
    default: "off",
    help: "off, or gamelocker to serve clients written for older services of this kind",
    parse: oneOf(COMPAT_PROFILES),
  }),
  portal: setting({
    default: "on",
    help: "whether the web portal is served at / and /portal",
    parse: oneOf(["on", "off"]),
  }),
  "drain-ms": setting({
    default: "500",
    help: "how long a stopping server still accepts requests and asks callers to close their connections",
    parse: wholeNumber(0, 60_000),
  }),
  "log-level": setting({
    default: "info",
    help: `lowest level that is logged: ${LOG_LEVELS.join(", ")}`,
    parse: oneOf(LOG_LEVELS),
  }),
  "log-player-names": setting({
    default: "off",
    help: "whether the log shows the player names in requests",
    parse: oneOf(["on", "off"]),
  }),
  "admin-port": setting({
    default: "off",
    help: "port of the private listener (metrics, keys, ingest); 0 takes a free one; off: none",
    parse: numberOrOff(0, 65_535, undefined),
    show: (value: number | undefined) => (value === undefined ? "off" : String(value)),
  }),
  "admin-host": setting({
    default: "127.0.0.1",
    help: "address of the private listener; keep it where callers cannot reach it",
    parse: hostName,
  }),
  "admin-token": setting({
    default: "",
    help: "bearer token of the private listener; from the variable or the file only",
    parse: secret,
    isSecret: true,
    show: (value) => (value === "" ? "" : "***"),
    conceal: (text) => (text === "" ? "" : "***"),
  }),
  "admin-token-file": setting({
    default: "",
    help: "file that contains the token of the private listener, if MATCHBOOK_ADMIN_TOKEN is not set",
    parse: (text) => ({ value: text }),
  }),
  "max-upload-bytes": setting({
    default: "4GiB",
    help: "largest request body that the private listener accepts",
    parse: byteSize(1024, 1024 ** 4),
  }),
  "max-record-bytes": setting({
    default: "16MiB",
    help: "largest record that ingest accepts",
    parse: byteSize(1024, 1024 ** 3),
  }),
  batch: setting({
    default: "2000",
    help: "records that ingest stores in one transaction",
    parse: wholeNumber(1, 10_000),
  }),
};

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
export const flagOf = (name: string): string => `--${name}`;
export const variableOf = (name: string): string =>
  `MATCHBOOK_${name.toUpperCase().replaceAll("-", "_")}`;

/** A setting's value as an operator may read it: secrets hidden. */
export function shownValue(values: Settings, name: ValueName): string {
  const { show = String, conceal = (text) => text } = settingOf(name);
  return conceal(show(values[name]));
}

/** Says that a setting has no flag or variable, and what to write in the file instead. */
export function fileOnly(given: string, name: TableName): string {
  const lines = SETTINGS[name].example.map((line) => `    ${line}`);
  return `${given} is not supported: write the ${name} as tables in the settings file (--config), for example\n${lines.join("\n")}`;
}
