/** Requests as text: what the grammar writes, the corpus keeps, and the reference reads. */

import { METHODS } from "./heads.ts";

/** A request as it goes over the wire, one character per byte, with {KEY} and {HOST} in place of what changes. */
export interface RequestCase {
  text: string;
  /** Invalid HTTP, or several requests: judged only by whether the server copes. */
  isHostile: boolean;
}

export interface PlainRequest {
  method: string;
  target: string;
  /** In their order, the names in lower case. */
  headers: [name: string, value: string][];
}

const HOSTILE = "# hostile\n";

/** One line of the file per line of the request. Other control characters and backslashes are escaped. */
export function writeCase({ text, isHostile }: RequestCase): string {
  const written = text
    .split("\r\n")
    .map((line) => line.replaceAll(/[^\x20-\x5b\x5d-\x7e]/g, escaped))
    .join("\n");
  return (isHostile ? HOSTILE : "") + written;
}

const escaped = (character: string) =>
  character === "\\" ? "\\\\" : `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;

export function readCase(file: string): RequestCase {
  const isHostile = file.startsWith(HOSTILE);
  const text = file
    .slice(isHostile ? HOSTILE.length : 0)
    .split("\n")
    .map((line) =>
      line.replaceAll(/\\(?:\\|x([0-9a-f]{2}))/g, (_, hex?: string) =>
        hex === undefined ? "\\" : String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    )
    .join("\r\n");
  return { text, isHostile };
}

/** Undefined unless it is one well-formed request without a body, with a method that exists. */
export function readRequest(text: string): PlainRequest | undefined {
  const lines = text.split("\r\n");
  if (lines.at(-1) !== "" || lines.at(-2) !== "" || lines.slice(0, -2).includes("")) {
    return undefined;
  }
  const [, method, target] = /^([A-Z-]+) ([\x21-\x7e\x80-\xff]+) HTTP\/1\.1$/.exec(lines[0]!) ?? [];
  if (method === undefined || target === undefined) return undefined;
  if (method !== "GET" && !METHODS.includes(method)) return undefined;
  const headers = lines
    .slice(1, -2)
    .map((line) => /^([\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/.exec(line));
  if (headers.some((header) => header === null)) return undefined;
  return {
    method,
    target,
    headers: headers.map((header) => [header![1]!.toLowerCase(), header![2]!]),
  };
}

export function writeRequest({ method, target, headers }: PlainRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** The value of a header; repeated ones are joined, as HTTP says. */
export function headerOf({ headers }: PlainRequest, name: string): string | undefined {
  const values = headers.filter(([one]) => one === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(", ");
}
