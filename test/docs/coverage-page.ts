/** Reads a page that lists promises with their tests, e.g. docs/interface-coverage.md. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasTest, titlesIn } from "./titles.ts";

const ROOT = join(import.meta.dir, "../..");
export const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

export interface Row {
  id: string;
  /** The text between the id and the tests. */
  words: string;
  citations: string[];
}

export interface CoveragePage {
  text: string;
  rows: Row[];
  /** What is not built yet. */
  later: Row[];
}

const LATER = "## Not yet";

/** From a heading on, if the page has other tables before it. */
export function coveragePage(path: string, heading = ""): CoveragePage {
  const page = read(path);
  const text = page.slice(page.indexOf(heading));
  const [built = "", later = ""] = text.split(LATER);
  return { text, rows: rowsOf(built), later: rowsOf(later) };
}

/** The rows of all tables in a text, without headers. */
function rowsOf(text: string): Row[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| Id "))
    .map((line) => {
      const cells = line.slice(2, -2).split(" | ");
      const [id = "", ...words] = cells;
      const tests = words.pop() ?? "";
      return { id: id.replaceAll("`", ""), words: words.join(" | "), citations: citedIn(tests) };
    });
}

function citedIn(cell: string): string[] {
  return cell.split("<br>").flatMap((one) => /^`(.*)`$/.exec(one)?.[1] ?? []);
}

const sources = new Map<string, { source: string; titles: ReturnType<typeof titlesIn> }>();
function testsOf(path: string) {
  const source = read(path);
  const known = sources.get(path) ?? { source, titles: titlesIn(source) };
  sources.set(path, known);
  return known;
}

const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

/** Whether only the long run has the test. */
export function isLong(citation: string): boolean {
  const [path = "", title = ""] = citation.split(" › ");
  if (path.endsWith(".long.test.ts")) return true;
  if (!existsSync(join(ROOT, path))) return false;
  const { source, titles } = testsOf(path);
  const always = titles.filter((one) => !one.isLong);
  return hasTest(source, titles, title) && !hasTest(source, always, title);
}

/** What is wrong with a citation, which names a test or a command; undefined when it is correct. */
export function faultOf(citation: string): string | undefined {
  const script = /^npm run ([\w:-]+)(?: -- .+)?$/.exec(citation)?.[1];
  if (script !== undefined) {
    return script in scripts ? undefined : `package.json has no script ${script}`;
  }
  const [path = "", title] = citation.split(" › ");
  if (title === undefined) return "it is not written as a file › a title";
  if (!/^test\/[\w/-]+(\.long)?(\.test)?\.ts$/.test(path)) return `${path} is not a test file`;
  if (!existsSync(join(ROOT, path))) return `there is no ${path}`;
  const { source, titles } = testsOf(path);
  return hasTest(source, titles, title) ? undefined : `${path} has no test "${title}"`;
}
