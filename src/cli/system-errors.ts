/** Messages for errors of the operating system, SQLite and PostgreSQL, with what to do about them. */

/** By error code. Codes of SQLite may have a suffix. */
const MESSAGES: Record<string, string> = {
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
  SQLITE_NOTADB: "it is not an SQLite file; move it elsewhere",
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

/** What to do after a message of PostgreSQL, by its error code. */
const ADVICE: Record<string, string> = {
  "28000": "check the user of the address",
  "28P01": "check the user and the password of the address",
  "3D000": "make the database (createdb), or correct the address",
  "42501":
    "let its user make schemas (GRANT CREATE ON DATABASE), or make the schema and let the user own it",
};

/** The message of an error for an operator. */
export function describeError(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const { errno } = (cause ?? error) as { errno?: unknown };
  const advice = typeof errno === "string" ? ADVICE[errno] : undefined;
  if (advice !== undefined) return `${error.message}; ${advice}`;
  const message = messageFor(cause ?? error);
  if (message === undefined) return error.message;
  if (cause) return error.message.replace(cause.message, message);
  const { path } = error as { path?: string };
  return path === undefined ? message : `cannot use ${path}: ${message}`;
}

function messageFor(error: Error): string | undefined {
  const { code } = error as { code?: unknown };
  if (typeof code !== "string") return undefined;
  const name = Object.keys(MESSAGES).find((one) => code === one || code.startsWith(`${one}_`));
  return name && MESSAGES[name];
}
