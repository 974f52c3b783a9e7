/**
 * Reads the titles of tests from a source file without running it. It relies on Biome's formatting: nested
 * code is indented, and a call that is broken continues on its own lines.
 */

export interface Title {
  /** The titles from the outermost describe to the test, as written, including placeholders. */
  path: string;
  /** Whether the test never runs. */
  isSkipped: boolean;
  /** Whether only the long run has it. */
  isLong: boolean;
}

const CALL = /^( *)(describe|test|it)(Long)?((?:\.\w+)*)[(<]/;
const CALLED_TWICE = /\.(each|if|skipIf|todoIf)$/;
const LITERAL = /^("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)/;
/** The start of the second of two calls; the last one on a line is the outer one. */
const SECOND_CALL = /^.*\)\((?=$|["'`])/;

/** All tests of a source in order. Throws when a title cannot be read. */
export function titlesIn(source: string): Title[] {
  const lines = source.split("\n");
  const titles: Title[] = [];
  const around: (Omit<Title, "path"> & { depth: number; title: string })[] = [];
  for (const [at, line] of lines.entries()) {
    const call = CALL.exec(line);
    if (!call) continue;
    const [, indent = "", kind, long, modifiers = ""] = call;
    const depth = indent.length;
    while (around.length > 0 && around.at(-1)!.depth >= depth) around.pop();
    const title = titleAt(lines, at, indent, CALLED_TWICE.test(modifiers));
    const isSkipped = /\.(skip|todo)\b/.test(modifiers) || around.some((outer) => outer.isSkipped);
    const isLong = long !== undefined || around.some((outer) => outer.isLong);
    if (kind === "describe") around.push({ depth, title, isSkipped, isLong });
    else {
      const path = [...around.map((outer) => outer.title), title].join(" > ");
      titles.push({ path, isSkipped, isLong });
    }
  }
  return titles;
}

function titleAt(lines: string[], at: number, indent: string, isCalledTwice: boolean): string {
  const [line, rest] = isCalledTwice ? secondCall(lines, at, indent) : firstCall(lines, at);
  const written = LITERAL.exec(rest === "" ? (lines[line + 1] ?? "").trim() : rest)?.[1];
  if (written === undefined) throw new Error(`no title can be read in: ${lines[at]}`);
  return written.startsWith('"') ? JSON.parse(written) : written.slice(1, -1);
}

const firstCall = (lines: string[], at: number): [line: number, rest: string] => [
  at,
  lines[at]!.slice(lines[at]!.indexOf("(") + 1),
];

/** A table of cases may span many lines; its closing line has the same indentation as its first. */
function secondCall(lines: string[], at: number, indent: string): [line: number, rest: string] {
  for (let line = at; line < lines.length; line++) {
    const text = lines[line]!;
    const isOfTheCall =
      line === at || (text.startsWith(indent) && /[\])]/.test(text[indent.length]!));
    const found = isOfTheCall ? SECOND_CALL.exec(text) : null;
    if (found) return [line, text.slice(found[0].length)];
    if (line > at && isOfTheCall) break;
  }
  return [at, "?"];
}

const PLACEHOLDER = /(%[sdifjop#]|\$\{[^}]*\})/;

/**
 * Whether a source has a test with this title: as written, or as a case of a table whose values are in
 * the same source.
 */
export function hasTest(source: string, titles: readonly Title[], title: string): boolean {
  return titles.some(({ path, isSkipped }) => {
    if (isSkipped) return false;
    if (path === title) return true;
    const parts = path.split(PLACEHOLDER);
    const pattern = parts.map((part, index) => (index % 2 === 0 ? RegExp.escape(part) : "(.+)"));
    const values = new RegExp(`^${pattern.join("")}$`, "su").exec(title)?.slice(1);
    return values?.every((value, index) => isIn(source, value, parts[2 * index + 1]!)) ?? false;
  });
}

/** Whether a table value occurs in the source, quoted or as is. A placeholder stands for every value. */
function isIn(source: string, value: string, placeholder: string): boolean {
  if (value === placeholder || placeholder === "%#") return true;
  if (source.includes(JSON.stringify(value)) || source.includes(`'${value}'`)) return true;
  return placeholder !== "%s" && source.includes(value);
}
