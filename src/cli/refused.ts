/** In charge of what the system refuses (a full disk, a missing right): in words that say what to do. */

/** By the code that the operating system or SQLite gives; those of SQLite may go on after it. */
const WORDS: Record<string, string> = {
  ENOSPC: "the disk is full; make room and run it again",
  EDQUOT: "your share of the disk is used up; make room and run it again",
  EACCES: "you may not use it; check its owner and its mode",
  EPERM: "you may not use it; check its owner and its mode",
  EROFS: "it is on a file system that can only be read; choose another --data",
  ENOTDIR: "there is a file where a folder must be; choose another --data",
  EEXIST: "there is a file where a folder must be; choose another --data",
  EISDIR: "it is a folder, not a file; name another",
  ENOENT: "it does not exist; check its name",
  EMFILE: "too many files are open; raise the limit (ulimit -n)",
  SQLITE_NOTADB: "it is no SQLite file; move it elsewhere",
  SQLITE_CORRUPT: "it is damaged; restore it from a backup",
  SQLITE_FULL: "the disk is full; make room and run it again",
  SQLITE_IOERR:
    "the disk refuses to read or write; see that it has room and is sound, and run it again",
  SQLITE_READONLY: "it cannot be written; check its owner and its mode",
  SQLITE_CANTOPEN: "it cannot be opened; check its owner and its mode",
  SQLITE_BUSY: "another program is writing to it; run this again",
  ERR_POSTGRES_CONNECTION_REFUSED:
    "it cannot be reached; see that it runs, and that the address is right",
};

/** What to do after words of PostgreSQL's own, by the code that it gives. */
const ADVICE: Record<string, string> = {
  "28000": "check the user of the address",
  "28P01": "check the user and the password of the address",
  "3D000": "make the database (createdb), or correct the address",
  "42501":
    "let its user make schemas (GRANT CREATE ON DATABASE), or make the schema and let the user own it",
};

/** The message of an error, with the system's own words put into ours where there are any. */
export function inWords(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const { errno } = (cause ?? error) as { errno?: unknown };
  const advice = typeof errno === "string" ? ADVICE[errno] : undefined;
  if (advice !== undefined) return `${error.message}; ${advice}`;
  const words = wordsFor(cause ?? error);
  if (words === undefined) return error.message;
  if (cause) return error.message.replace(cause.message, words);
  const { path } = error as { path?: string };
  return path === undefined ? words : `cannot use ${path}: ${words}`;
}

function wordsFor(error: Error): string | undefined {
  const { code } = error as { code?: unknown };
  if (typeof code !== "string") return undefined;
  const name = Object.keys(WORDS).find((one) => code === one || code.startsWith(`${one}_`));
  return name && WORDS[name];
}
