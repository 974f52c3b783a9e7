/** In charge of the reasons for which an upload breaks off. Its status has been sent by then. */

export const BREAK_CODES = [
  "body-too-large",
  "body-damaged",
  "body-stalled",
  "connection-cut",
  "reply-unread",
  "stopping",
  "shard-unavailable",
  "internal-error",
] as const;

export type BreakCode = (typeof BREAK_CODES)[number];

/** As the caller reads it. */
export interface Broken {
  code: BreakCode;
  message: string;
}

/** Thrown by the source of an upload that does not go on. What came before counts. */
export class BrokenUpload extends Error {
  override name = "BrokenUpload";
  /** Tells ingest that its source broke off, as the errors of files do. */
  readonly code = "EUPLOAD";

  constructor(readonly broken: Broken) {
    super(broken.message);
  }
}

export function tooLarge(most: number): Broken {
  return {
    code: "body-too-large",
    message: `The body is larger than ${most} bytes (the setting max-upload-bytes): send it in parts.`,
  };
}

export function stalled(patienceMs: number): Broken {
  return {
    code: "body-stalled",
    message: `Nothing came for ${Math.round(patienceMs / 1000)} s. Send the rest again.`,
  };
}

export function damaged(fault: string): Broken {
  return { code: "body-damaged", message: `The rest of the body cannot be read: ${fault}` };
}

export const CONNECTION_CUT: Broken = {
  code: "connection-cut",
  message: "The connection was cut. Send the rest again.",
};

export const STOPPING: Broken = {
  code: "stopping",
  message: "The server is stopping. Send the rest again later.",
};

export function muchUnread(bytes: number): Broken {
  return {
    code: "reply-unread",
    message: `More than ${bytes >> 20} MiB of this reply waited to be read: read it while you send, or send less at once.`,
  };
}

export const LONG_UNREAD: Broken = {
  code: "reply-unread",
  message: "Nobody read this reply in time. Send the records again to hear of each.",
};

export const SHARD_AWAY: Broken = {
  code: "shard-unavailable",
  message:
    "The database of a shard is away: the log tells which. The records of the lines above are stored; send everything again in a few seconds.",
};

export function ourFault(requestId: string): Broken {
  return {
    code: "internal-error",
    message: `Something went wrong on our side: the log tells what, at ${requestId}. The records of the lines above are stored; send the rest again.`,
  };
}
