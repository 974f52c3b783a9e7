/** In charge of a line between a client and a server on which things go wrong when a test says so. */

import { connect, createServer, type Socket } from "node:net";

/** What becomes of the next COMMIT: it never arrives, or what is said to it never does. */
export type CommitFate = "passes" | "question is lost" | "answer is lost";

export interface Line {
  port: number;
  nextCommit: CommitFate;
  /** From now on nothing comes through on the connections there are, and none of them is closed. */
  freeze(): void;
  close(): void;
}

export async function aLineTo(target: number): Promise<Line> {
  const pairs = new Set<{ near: Socket; far: Socket; isFrozen: boolean }>();
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    const pair = { near, far, isFrozen: false };
    pairs.add(pair);
    const cut = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    let answerIsLost = false;
    near.on("data", (bytes) => {
      if (pair.isFrozen) return;
      if (line.nextCommit !== "passes" && bytes.includes("COMMIT\0")) {
        const fate = line.nextCommit;
        line.nextCommit = "passes";
        if (fate === "question is lost") return cut();
        answerIsLost = true;
      }
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (answerIsLost) cut();
      else if (!pair.isFrozen) near.write(bytes);
    });
    for (const socket of [near, far]) {
      socket.on("error", cut);
      socket.on("close", () => {
        if (!pair.isFrozen) cut();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const line: Line = {
    port: (server.address() as { port: number }).port,
    nextCommit: "passes",
    freeze() {
      for (const pair of pairs) pair.isFrozen = true;
    },
    close() {
      server.close();
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
    },
  };
  return line;
}
