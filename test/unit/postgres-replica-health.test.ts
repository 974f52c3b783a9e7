/** When a replica can be used: a table of its state and its primary's state over time. */

import { describe, expect, test } from "bun:test";
import { FORMAT } from "../../src/store/formats.ts";
import { Primary, ReplicaHealth } from "../../src/store/postgres/replica-health.ts";
import type { Session } from "../../src/store/postgres/session.ts";
import { StoreUnavailable } from "../../src/store/store.ts";

/** The shard's states in order; how many of them a server has, or that it is unavailable. */
class Server {
  has: number | "down" = 0;
  isReplica = true;

  constructor(private readonly tokens: string[]) {}

  get session(): Session {
    const rows = (_: string, values: unknown[] = []) => {
      if (this.has === "down") return Promise.reject(new StoreUnavailable("down"));
      const [sequence, token] = values;
      const isOwn =
        typeof sequence === "number" && sequence <= this.has && this.tokens[sequence] === token;
      const { has, isReplica } = this;
      return Promise.resolve([
        { sequence: has, token: this.tokens[has], isOwn, isReplica, format: FORMAT },
      ]);
    };
    return { rows, place: { shown: "a server" } } as unknown as Session;
  }
}

function aPair(replicaTokens = ["", "a", "b", "c", "d"]) {
  let now = 0;
  const primary = new Server(["", "a", "b", "c", "d"]);
  const replica = new Server(replicaTokens);
  const health = new ReplicaHealth(replica.session, new Primary(primary.session, () => now), 3000);
  return {
    replica,
    /**
     * Whether it can be used at a time, given the states of each server and the furthest replica.
     */
    async at(
      seconds: number,
      primaryHas: Server["has"],
      replicaHas: Server["has"],
      furthest = Number(replicaHas),
    ): Promise<boolean> {
      now = seconds * 1000;
      primary.has = primaryHas;
      replica.has = replicaHas;
      const state = await health.state().catch(() => undefined);
      return state !== undefined && (await health.exclusion(state, furthest)) === undefined;
    },
  };
}

describe("a replica", () => {
  test("that lags is used within the limit", async () => {
    const pair = aPair();
    expect(await pair.at(0, 2, 2)).toBe(true);
    expect(await pair.at(10, 3, 2)).toBe(true);
    expect(await pair.at(12, 4, 2)).toBe(true);
    expect(await pair.at(13, 4, 2)).toBe(true);
    expect(await pair.at(14, 4, 2)).toBe(false);
    // It has caught up with the first change, and lacks only one made two seconds later.
    expect(await pair.at(14, 4, 3)).toBe(true);
    expect(await pair.at(16, 4, 3)).toBe(false);
    expect(await pair.at(16, 4, 4)).toBe(true);
  });

  test("that is unavailable is not used until it is back", async () => {
    const pair = aPair();
    expect(await pair.at(0, 2, "down")).toBe(false);
    expect(await pair.at(1, 2, 2)).toBe(true);
    expect(await pair.at(2, 2, "down")).toBe(false);
    expect(await pair.at(3, 2, 2)).toBe(true);
  });

  test("of an unavailable primary stays in use, as far as it had kept up", async () => {
    const pair = aPair();
    expect(await pair.at(0, 2, 2)).toBe(true);
    expect(await pair.at(10, "down", 2)).toBe(true);
    expect(await pair.at(20, 3, 2)).toBe(true);
    expect(await pair.at(24, "down", 2)).toBe(false);
    expect(await pair.at(25, "down", 3)).toBe(true);
  });

  test("of a primary that has not responded yet is used unless another one is ahead", async () => {
    const pair = aPair();
    expect(await pair.at(0, "down", 2)).toBe(true);
    expect(await pair.at(1, "down", 2, 3)).toBe(false);
    expect(await pair.at(2, "down", 3, 3)).toBe(true);
    // From here on, the primary decides.
    expect(await pair.at(3, 4, 3)).toBe(true);
    expect(await pair.at(7, "down", 3)).toBe(false);
  });

  test("of a primary that has not responded yet is not used if it replicates nothing", async () => {
    const pair = aPair();
    pair.replica.isReplica = false;
    expect(await pair.at(0, "down", 2)).toBe(false);
    // It need not be in recovery if the primary knows its state.
    expect(await pair.at(1, 2, 2)).toBe(true);
  });

  test("with another history is not used, though its sequence numbers are as high", async () => {
    const pair = aPair(["", "a", "b", "x", "y"]);
    expect(await pair.at(0, 2, 2)).toBe(true);
    expect(await pair.at(1, 3, 3)).toBe(false);
    expect(await pair.at(2, 4, 3)).toBe(false);
    expect(await pair.at(3, "down", 3)).toBe(false);
  });
});
