/** Reads from a shard's file without a pause, as a busy server does: a process or a thread, until it is stopped. */

import { readSummary } from "../../src/store/core/summary.ts";
import { openForReading } from "../../src/store/sqlite/open.ts";
import { SqliteReader } from "../../src/store/sqlite/reader.ts";

declare const self: Worker;

/** Each turn of the event loop is one snapshot. */
const READS_A_TURN = 100;

let isOver = false;

function read(path: string, onEnd: () => void): void {
  const reader = new SqliteReader(openForReading(path)!, 0);
  const turn = () => {
    for (let reads = 0; reads < READS_A_TURN; reads++) reader.read(readSummary);
    if (!isOver) return setImmediate(turn);
    reader.close();
    onEnd();
  };
  turn();
}

if (Bun.isMainThread) {
  read(process.argv[2]!, () => {});
  console.log("reading");
} else {
  self.onmessage = ({ data: path }: MessageEvent<string>) => {
    if (path === "end") {
      isOver = true;
      return;
    }
    read(path, () => self.postMessage("ended"));
    self.postMessage("reading");
  };
}
