/**
 * In charge of sending result lines as their caller takes them. While the caller still sends records,
 * lines may wait; after that there is so much time to take each piece.
 */

import { CONNECTION_CUT, LONG_UNREAD } from "./broken.ts";
import type { Upload } from "./uploads.ts";

/** `onEnd` hears that the reply is over, in whichever way. */
export function replyStream(
  { intake, spool }: Upload,
  storing: Promise<unknown>,
  patienceMs: number,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStored = false;
  let isOver = false;
  const finish = () => {
    isOver = true;
    clearTimeout(timer);
    onEnd();
  };
  const giveUp = () => {
    // The runtime cannot be told to cut the connection; should its caller read on, this is the end.
    spool.cutShort(`${JSON.stringify({ error: LONG_UNREAD })}\n`);
    finish();
  };
  const wait = () => {
    clearTimeout(timer);
    if (isStored && !isOver) timer = setTimeout(giveUp, patienceMs);
  };
  storing.then(() => {
    isStored = true;
    wait();
  });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        wait();
        const piece = await spool.next();
        if (piece) return controller.enqueue(piece);
        finish();
        controller.close();
      },
      cancel() {
        intake.break(CONNECTION_CUT);
        spool.close();
        finish();
      },
    },
    { highWaterMark: 0 },
  );
}
