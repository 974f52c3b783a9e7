/** Writes a request as a curl command, and as a program in JavaScript (fetch) and Python. */

const MEDIA_TYPE = "application/vnd.api+json";

export interface SampleRequest {
  url: string;
  /** Undefined for endpoints that need no key. */
  key: string | undefined;
}

const headersOf = ({ key }: SampleRequest): [name: string, value: string][] =>
  Object.entries(key === undefined ? {} : { Authorization: `Bearer ${key}`, Accept: MEDIA_TYPE });

/** `-g` stops curl from interpreting `[` and `]`. */
export function curlOf(request: SampleRequest): string {
  return [
    "curl -g --compressed \\",
    ...headersOf(request).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)} \\`),
    `  ${quoted(request.url)}`,
  ].join("\n");
}

export function fetchOf(request: SampleRequest): string {
  const headers = headersOf(request).map(([name, value]) => `    ${name}: ${literal(value)},`);
  const options = headers.length === 0 ? "" : `, {\n  headers: {\n${headers.join("\n")}\n  },\n}`;
  return [
    `const response = await fetch(${literal(request.url)}${options});`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is part of the program.
    "if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);",
    "console.log(await response.json());",
    "",
  ].join("\n");
}

/** With the standard library, so that it runs as it is. */
export function pythonOf(request: SampleRequest): string {
  const headers = headersOf(request).map(
    ([name, value]) => `        ${literal(name)}: ${literal(value)},`,
  );
  return [
    "import json",
    "from urllib.request import Request, urlopen",
    "",
    "request = Request(",
    `    ${literal(request.url)},`,
    ...(headers.length === 0 ? [] : ["    headers={", ...headers, "    },"]),
    ")",
    "with urlopen(request) as response:",
    "    print(json.dumps(json.load(response), indent=2))",
    "",
  ].join("\n");
}

/** Inside single quotes, a shell interprets nothing but the closing quote. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A string literal of JavaScript is one of Python too. */
const literal = (text: string): string => JSON.stringify(text);
