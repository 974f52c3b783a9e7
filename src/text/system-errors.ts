/** Messages for errors of the operating system, SQLite and PostgreSQL, with advice. */

/** By error code. Codes of SQLite may have a suffix. */
const MESSAGES: Record<string, string> = {
  ENOSPC: "the disk is full; free some space and retry",
  EDQUOT: "the disk quota is exceeded; free some space and retry",
  EACCES: "permission denied; check its owner and mode",
  EPERM: "permission denied; check its owner and mode",
  EROFS: "the file system is read-only; choose another --data",
  ENOTDIR: "it is a file, and a folder is needed; choose another --data",
  EEXIST: "it is a file, and a folder is needed; choose another --data",
  EISDIR: "it is a folder, not a file; specify a file",
  ENOENT: "it does not exist; check the path",
  EMFILE: "too many files are open; raise the limit (ulimit -n)",
  // Of shards: keys, usage and hooks have messages of their own.
  SQLITE_NOTADB:
    "it is damaged, or not an SQLite file; run 'matchbook repair', or restore the shard from a backup",
  SQLITE_CORRUPT: "it is damaged; run 'matchbook repair', or restore the shard from a backup",
  SQLITE_FULL: "the disk is full; free some space and retry",
  SQLITE_IOERR:
    "the disk cannot be read or written; check its free space and its health, and retry",
  SQLITE_READONLY: "it is read-only; check its owner and mode",
  SQLITE_CANTOPEN: "it cannot be opened; check its owner and mode",
  SQLITE_BUSY: "another program is writing to it; retry",
  ERR_POSTGRES_CONNECTION_REFUSED:
    "connection refused; check that it is running and that the URL is correct",
};

/** Advice for errors of PostgreSQL, by error code. */
const ADVICE: Record<string, string> = {
  "28000": "check the user in the URL",
  "28P01": "check the user and password in the URL",
  "3D000": "create the database (createdb), or correct the URL",
  "42501":
    "allow the user to create schemas (GRANT CREATE ON DATABASE), or create a schema that the user owns",
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
