/** Parsers of simple setting values. Each returns the value, or an error that says what is expected. */

import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { parseTimestamp, TIMESTAMP_EXAMPLE } from "../domain/time.ts";

export type Parsed<T> = { value: T } | { error: string };

/** A table of the settings file. */
export type Table = Readonly<Record<string, unknown>>;

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const UNITS: Record<string, number> = { "": 1, b: 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 };
const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9])?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Whether a text has no line breaks or control characters. */
const isOneLine = (text: string): boolean => !CONTROL.test(text);

export function wholeNumber(least: number, most: number): (text: string) => Parsed<number> {
  const error = `must be an integer from ${least} to ${most}`;
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? { value } : { error };
  };
}

export const DAY_MS = 86_400_000;
const MOST_DAYS = 36_500;

/** A number of days, as in 400d. */
export function days(text: string): Parsed<number> {
  const value = /^\d{1,5}d$/.test(text) ? Number(text.slice(0, -1)) : 0;
  return value >= 1 && value <= MOST_DAYS
    ? { value }
    : { error: `must be a number of days from 1d to ${MOST_DAYS}d, e.g. 400d` };
}

/** Milliseconds since the epoch. */
export function timestamp(text: string): Parsed<number> {
  const value = parseTimestamp(text);
  return value === undefined
    ? { error: `must be a time with a time zone, e.g. ${TIMESTAMP_EXAMPLE}` }
    : { value };
}

/** Plain bytes or a binary unit: 65536, 64KiB, 16MiB, 1GiB. */
export function byteSize(least: number, most: number): (text: string) => Parsed<number> {
  const error = `must be a size from ${least} to ${most} bytes, e.g. 65536, 64KiB or 16MiB`;
  return (text) => {
    const parts = /^(\d{1,15}) ?([a-z]{0,3})$/i.exec(text);
    const unit = parts && UNITS[parts[2]!.toLowerCase()];
    const value = parts && unit ? Number(parts[1]) * unit : Number.NaN;
    return value >= least && value <= most ? { value } : { error };
  };
}

/** An integer, or the word "off", which gives `off`. */
export function numberOrOff<T>(
  least: number,
  most: number,
  off: T,
): (text: string) => Parsed<number | T> {
  const parse = wholeNumber(least, most);
  return (text) => {
    if (text === "off") return { value: off };
    const parsed = parse(text);
    return "error" in parsed ? { error: `${parsed.error}, or off` } : parsed;
  };
}

/** Empty, or a text that is hard to guess and valid in a header. */
export function secret(text: string): Parsed<string> {
  if (text === "" || /^[\x21-\x7e]{24,512}$/.test(text)) return { value: text };
  return {
    error:
      'must be 24 to 512 printable ASCII characters without spaces; generate one with "openssl rand -hex 32"',
  };
}

export function shortText(most: number): (text: string) => Parsed<string> {
  const error = `must be 1 to ${most} characters on one line`;
  return (text) =>
    text.trim() !== "" && text.length <= most && isOneLine(text) ? { value: text } : { error };
}

export function oneOf<T extends string>(choices: readonly T[]): (text: string) => Parsed<T> {
  return (text) => {
    const value = choices.find((choice) => choice === text);
    return value === undefined ? { error: `must be one of ${choices.join(", ")}` } : { value };
  };
}

/** Whether only programs on this machine can connect to an address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}

/** An IP address or a host name. An IPv6 address may have the brackets that URLs need. */
export function hostName(text: string): Parsed<string> {
  const value = text.replace(/^\[(.*)\]$/, "$1");
  return isIP(value) !== 0 || (value === text && HOST_NAME.test(value))
    ? { value }
    : { error: "must be an IP address or a host name, e.g. 127.0.0.1, :: or localhost" };
}

export interface ListenAddress {
  host: string;
  port: number;
}

/** PORT on this machine, HOST:PORT, or off. */
export function listenAddress(text: string): Parsed<ListenAddress | undefined> {
  if (text === "off") return { value: undefined };
  const at = text.lastIndexOf(":");
  const host = hostName(at < 0 ? "127.0.0.1" : text.slice(0, at));
  const port = wholeNumber(0, 65_535)(text.slice(at + 1));
  return "error" in host || "error" in port
    ? { error: "must be a port from 0 to 65535, HOST:PORT (e.g. 0.0.0.0:9090), or off" }
    : { value: { host: host.value, port: port.value } };
}

export const showAddress = ({ host, port }: ListenAddress): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Empty, or the base URL of links: nothing may follow the path. */
export function publicUrl(text: string): Parsed<string> {
  if (text === "") return { value: "" };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const usable =
    url !== undefined &&
    /^https?:\/\//i.test(text) &&
    !/[?#\s]/.test(text) &&
    url.username === "" &&
    url.password === "";
  return usable
    ? { value: url.href.replace(/\/+$/, "") }
    : {
        error:
          "must be an absolute http or https URL without user, query or fragment, e.g. https://api.example.com",
      };
}

const FILE_ERRORS: Record<string, string> = {
  ENOENT: "it does not exist; check the path",
  EISDIR: "it is a folder; specify a file",
  EACCES: "permission denied; check its owner and mode",
};

/** The text of a file. `code` is the system's error code. */
export function readText(path: string): Parsed<string> & { code?: string | undefined } {
  try {
    return { value: readFileSync(path, "utf8") };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { error: `cannot be read: ${FILE_ERRORS[code ?? ""] ?? message}`, code };
  }
}
