/**
 * In charge of members that stand twice in one object. Parsing keeps the last of them alone, so that
 * what the others said would be lost without a word.
 */

/** The first few places of a text where an object has a member twice; mostly there are none. */
export function repeatedMembers(json: string, content: unknown): string[] {
  // In a text, every name ends in a quotation mark and a colon. Where there are as many such ends as
  // members after parsing, none was dropped. Strings may hold such pairs too: hence the closer look.
  return nameEnds(json) === memberCount(content) ? [] : findRepeats(json);
}

const MOST_PLACES = 5;
const MOST_STEPS = 8;
const DEEPEST_COUNTED = 500;

const QUOTE = '"'.charCodeAt(0);
const SPACE = " ".charCodeAt(0);

/** How many names the text seems to hold; never fewer than it does. */
export function nameEnds(json: string): number {
  let count = 0;
  for (let at = json.indexOf(":"); at >= 0; at = json.indexOf(":", at + 1)) {
    const before = json.charCodeAt(at - 1);
    if (before === QUOTE) count += 1;
    // Few texts have a blank before a colon; the others are counted by the quicker way.
    else if (before <= SPACE) return json.match(/"[ \n\t\r]*:/g)?.length ?? 0;
  }
  return count;
}

/** NaN, which equals nothing, where the content is nested too deeply to be counted like this. */
function memberCount(content: unknown, depth = 0): number {
  if (typeof content !== "object" || content === null) return 0;
  if (depth === DEEPEST_COUNTED) return Number.NaN;
  let count = 0;
  if (Array.isArray(content)) {
    for (const item of content) count += memberCount(item, depth + 1);
    return count;
  }
  for (const name in content) {
    count += 1 + memberCount((content as Record<string, unknown>)[name], depth + 1);
  }
  return count;
}

/** An object or a list that is being read, and where in it the reading is. */
interface Level {
  /** Undefined in a list. */
  names: Set<string> | undefined;
  at: string | number;
}

/** Follows the brackets, commas and strings of a text that is known to be JSON. */
function findRepeats(json: string): string[] {
  const found = new Set<string>();
  const levels: Level[] = [];
  const token = /["{}[\],]/g;
  for (let match = token.exec(json); match !== null; match = token.exec(json)) {
    const level = levels.at(-1);
    const [character] = match;
    if (character === "{") levels.push({ names: new Set(), at: "" });
    else if (character === "[") levels.push({ names: undefined, at: 0 });
    else if (character === "}" || character === "]") levels.pop();
    else if (character === ",") {
      if (typeof level?.at === "number") level.at += 1;
    } else {
      const end = stringEnd(json, match.index);
      token.lastIndex = end;
      if (!level?.names || !isBeforeColon(json, end)) continue;
      level.at = JSON.parse(json.slice(match.index, end)) as string;
      if (level.names.has(level.at)) found.add(placeOf(levels));
      if (found.size === MOST_PLACES) break;
      level.names.add(level.at);
    }
  }
  return [...found];
}

/** The place after the closing quotation mark of the string that begins at `start`. */
function stringEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
}

function isBeforeColon(json: string, at: number): boolean {
  const colon = /[ \n\t\r]*:/y;
  colon.lastIndex = at;
  return colon.test(json);
}

/** "included.3.attributes.kills"; of a deep place, its last steps. */
function placeOf(levels: Level[]): string {
  const steps = levels.slice(-MOST_STEPS).map(({ at }) => at);
  return `${levels.length > MOST_STEPS ? "…" : ""}${steps.join(".")}`;
}
