/** One line of `matchbook doctor`: what was checked, whether it is well, and what to do. */

export type Level = "ok" | "warning" | "problem";

export interface Finding {
  /** What was checked, e.g. "shard na". */
  subject: string;
  level: Level;
  message: string;
  /** What to do about a warning or a problem. */
  advice?: string;
}

const at =
  (level: Level) =>
  (subject: string, message: string, advice?: string): Finding => ({
    ...{ subject, level, message },
    ...(advice === undefined ? {} : { advice }),
  });
/** The advice of a problem may be part of its message. */
export const [ok, warning, problem] = [at("ok"), at("warning"), at("problem")];

export const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

export const showBytes = (bytes: number): string =>
  bytes >= GIB ? `${(bytes / GIB).toFixed(1)} GiB` : `${(bytes / MIB).toFixed(1)} MiB`;

const SHOWN_NAMES = 3;

/** The first of many names. */
export function someOf(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES;
  return names.slice(0, SHOWN_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
