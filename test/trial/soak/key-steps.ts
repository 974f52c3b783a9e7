/** Changes keys while they are used: creates, rotates, revokes and limits them, by command and by the admin listener. */

import { AT } from "../../model/pages.ts";
import type { State } from "../../model/state.ts";
import type { Chance } from "../../support/chance.ts";
import type { RawReply } from "../../support/connection.ts";
import { until } from "../../support/state.ts";
import { Caller } from "./caller.ts";
import { bodyOf } from "./judge.ts";
import type { Keys, Secret } from "./keys.ts";
import type { SoakedServer } from "./server.ts";

export const KEY_STEPS = ["create", "rotate", "revoke", "rate", "quota"] as const;
export type KeyStep = (typeof KEY_STEPS)[number];

/** Requests of a key that gets one more per minute. */
const BURST = 4;
const QUOTA = 3;
/** More would be granted after a minute. */
const SOON_MS = 50_000;

export class KeySteps {
  readonly counts = new Map<string, number>();
  readonly problems: string[] = [];
  #made = 0;

  constructor(
    private readonly chance: Chance,
    private readonly server: SoakedServer,
    private readonly keys: Keys,
    private readonly current: () => State,
  ) {}

  async step(kind: KeyStep): Promise<void> {
    const isMade = await this.#make(kind);
    if (isMade) this.counts.set(`key ${kind}`, (this.counts.get(`key ${kind}`) ?? 0) + 1);
  }

  #make(kind: KeyStep): Promise<boolean> {
    if (kind === "create") return this.#create();
    if (kind === "rate") return this.#limitRate();
    return kind === "quota" ? this.#limitQuota() : this.#end(kind);
  }

  async #create(): Promise<boolean> {
    const name = `soak ${++this.#made}`;
    const begunAt = performance.now();
    if (this.chance.oneIn(2)) {
      const { key, record } = await this.server.admin("POST", "/keys", { name });
      this.keys.add(record.id, key, begunAt);
      return true;
    }
    const key = await this.server.command(["keys", "create", "--name", name]);
    const listed = JSON.parse(await this.server.command(["keys", "list", "--json"]));
    const { id } = listed.find((one: { name: string }) => one.name === name);
    this.keys.add(id, key.trim(), begunAt);
    return true;
  }

  /** Rotates or revokes a key. */
  async #end(kind: "rotate" | "revoke"): Promise<boolean> {
    const { live } = this.keys;
    if (live.length === 0) return false;
    const secret = this.chance.pick(live);
    const begunAt = performance.now();
    this.keys.ending(secret);
    const renewed = await this.#endOne(kind, secret);
    this.keys.ended(secret);
    if (renewed !== undefined) this.keys.add(secret.keyId, renewed, begunAt);
    return true;
  }

  /** Waits until every worker refuses every key that has ended; none may accept one afterwards. */
  async settle(): Promise<void> {
    for (const secret of this.keys.over) {
      const refusing = new Set<string>();
      await until(
        `${this.server.workers} workers refuse an ended key`,
        async () => {
          // Each connection may lead to another worker.
          const caller = new Caller(this.server, secret.text);
          const { status } = await caller.ask(`${AT}/players`);
          if (status === 401 && caller.process !== undefined) refusing.add(caller.process);
          caller.close();
          return refusing.size === this.server.workers;
        },
        this.keys.delaySeconds,
      );
      secret.isRefusedFrom = performance.now();
    }
  }

  /** Returns the new secret, if there is one. */
  async #endOne(kind: "rotate" | "revoke", { keyId }: Secret): Promise<string | undefined> {
    if (this.chance.oneIn(2)) {
      const body = kind === "rotate" ? { overlapSeconds: 0 } : {};
      return (await this.server.admin("POST", `/keys/${keyId}/${kind}`, body)).key;
    }
    const overlap = kind === "rotate" ? ["--overlap", "0"] : [];
    const output = await this.server.command(["keys", kind, keyId, ...overlap]);
    return kind === "rotate" ? output.trim() : undefined;
  }

  /** A key with a small burst gets exactly that many responses, and more as soon as its rate is changed. */
  async #limitRate(): Promise<boolean> {
    const { key, record } = await this.#limited({ rate: 1, burst: BURST });
    const caller = new Caller(this.server, key);
    const ask = () => caller.ask(`${AT}/players`);
    const began = performance.now();
    // A valid key is needed to spend anything.
    const replies = [await until("the key is known", () => accepted(ask))];
    while (replies.length < BURST + 1) replies.push(await ask());
    const statuses = replies.map(({ status }) => status);
    const expected = [...Array.from({ length: BURST }, () => 200), 429];
    const limited = replies.at(-1)!;
    const isRight =
      Bun.deepEquals(statuses, expected) &&
      bodyOf(limited).errors[0].code === "rate-limited" &&
      Number(limited.headers.get("retry-after")) > 0;
    // On a machine that is so slow, more was granted meanwhile.
    if (performance.now() - began > SOON_MS) return this.#limitRate();
    if (!isRight) this.problems.push(`a key with a burst of ${BURST} got ${statuses}`);
    await this.server.admin("PATCH", `/keys/${record.id}`, { rate: 1_000_000, burst: 1_000_000 });
    await until(
      "the new rate applies",
      async () => (await ask()).status === 200,
      this.keys.delaySeconds,
    );
    await this.server.admin("POST", `/keys/${record.id}/revoke`);
    caller.close();
    return true;
  }

  /** A key with a small quota gets that many matches; players can still be read. */
  async #limitQuota(): Promise<boolean> {
    const matches = this.current().visible.slice(-QUOTA - 1);
    if (matches.length <= QUOTA) return false;
    const today = () => new Date().toISOString().slice(0, 10);
    const day = today();
    const { key, record } = await this.#limited({ matchesPerDay: QUOTA });
    const caller = new Caller(this.server, key);
    const ask = (path: string) => caller.ask(`${AT}/${path}`);
    await until("the key is known", () => accepted(() => ask("players")));
    const { connections } = caller;
    const statuses: number[] = [];
    for (const { id } of matches) statuses.push((await ask(`matches/${id}`)).status);
    statuses.push((await ask("players")).status);
    const expected = [...Array.from({ length: QUOTA }, () => 200), 429, 200];
    await this.server.admin("POST", `/keys/${record.id}/revoke`);
    caller.close();
    // Another worker learns of what was counted two seconds later, and each day has its own quota.
    if (caller.connections !== connections || today() !== day) return this.#limitQuota();
    if (!Bun.deepEquals(statuses, expected)) {
      this.problems.push(`a key with a quota of ${QUOTA} matches got ${statuses}`);
    }
    return true;
  }

  #limited(limits: object): Promise<{ key: string; record: { id: string } }> {
    return this.server.admin("POST", "/keys", { name: `soak ${++this.#made}`, ...limits });
  }
}

async function accepted(ask: () => Promise<RawReply>): Promise<RawReply | undefined> {
  const reply = await ask();
  return reply.status === 401 ? undefined : reply;
}
