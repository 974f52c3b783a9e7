/** The thread that copies an SQLite file. */

import { openUnchanged } from "./open-unchanged.ts";

export interface CopyRequest {
  from: string;
  to: string;
}

export type CopyResponse = "done" | { message: string; code: string | undefined };

declare const self: Worker;

/** Another process may be recovering the file. */
const PATIENCE_MS = 5_000;

self.onmessage = ({ data: { from, to } }: MessageEvent<CopyRequest>) => {
  const respond = (response: CopyResponse) => self.postMessage(response);
  try {
    const source = openUnchanged(from);
    try {
      source.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
      // Of the copy: its pages must not have parts of rows in unused space, where a redaction would not remove them.
      source.run("PRAGMA secure_delete = ON");
      source.run("VACUUM INTO ?", [to]);
    } finally {
      source.close();
    }
    respond("done");
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    respond({ message, code });
  }
};
