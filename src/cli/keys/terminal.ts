/** In charge of what the terminal can show: how wide it is, and whether it knows more than ASCII. */

/** Both are given, so that nothing here depends on where the program runs. */
export interface Surroundings {
  /** Undefined when the output is no terminal. */
  columns: number | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

export const surroundings = (): Surroundings => ({
  columns: process.stdout.columns,
  env: process.env,
});

const USUAL_WIDTH = 80;

/** Terminals that know no block characters, or that nobody can be sure of. */
const PLAIN_TERMINALS = ["dumb", "linux"];

export function widthOf({ columns, env }: Surroundings): number {
  const said = columns ?? Number(env.COLUMNS);
  return Number.isInteger(said) && said > 0 ? said : USUAL_WIDTH;
}

/**
 * Whether block characters can be shown. A locale that is set and not of UTF-8 says no; where none is
 * set, as in most containers, the terminal at the other end is of UTF-8 nearly always.
 */
export function showsBlocks({ env }: Surroundings): boolean {
  if (PLAIN_TERMINALS.includes(env.TERM ?? "")) return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  return locale === "" || /utf-?8/i.test(locale);
}
