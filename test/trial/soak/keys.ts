/**
 * The API keys of a run: when each was valid, according to who changed it. They are created, rotated and revoked while
 * they are used, by command and by the admin listener.
 */

import { AT } from "../../model/pages.ts";
import type { Chance } from "../../support/chance.ts";
import { until } from "../../support/state.ts";
import { Caller } from "./caller.ts";
import type { SoakedServer } from "./server.ts";

/** Servers notice changed keys within seconds. */
export const KEY_DELAY_SECONDS = 10;

interface Moment {
  begunAt: number;
  doneAt: number;
}

/** A secret. Times are those of performance.now(). */
export interface Secret {
  keyId: string;
  text: string;
  from: Moment;
  until: Moment | undefined;
  /** From when on every worker has refused it. */
  isRefusedFrom?: number;
}

export class Keys {
  readonly #secrets: Secret[] = [];

  constructor(
    /** The first one is valid all the time. */
    text: string,
    /** After this time, every worker must have noticed a change. */
    readonly delaySeconds: number,
  ) {
    const main = this.add("main", text, performance.now());
    main.from.doneAt = Number.NEGATIVE_INFINITY;
  }

  add(keyId: string, text: string, begunAt: number): Secret {
    const secret = { keyId, text, from: { begunAt, doneAt: performance.now() }, until: undefined };
    this.#secrets.push(secret);
    // Revoked keys are tried for a while.
    if (this.#secrets.length > 12) this.#secrets.splice(1, 1);
    return secret;
  }

  /** Those that can be ended. */
  get live(): Secret[] {
    return this.#secrets.slice(1).filter(({ until }) => until === undefined);
  }

  /** Those that were ended. */
  get over(): Secret[] {
    return this.#secrets.filter(({ until }) => until !== undefined);
  }

  pick(chance: Chance): Secret {
    return chance.oneIn(5) ? chance.pick(this.#secrets) : this.#secrets[0]!;
  }

  /** Whether a secret was valid for a request: for certain, certainly not, or either. */
  validity({ from, until, isRefusedFrom }: Secret, sentAt: number, receivedAt: number) {
    const delay = this.delaySeconds * 1000;
    if (isRefusedFrom !== undefined && sentAt > isRefusedFrom) return "invalid";
    if (sentAt >= from.doneAt + delay && (!until || receivedAt < until.begunAt)) return "valid";
    return until && sentAt > until.doneAt + delay ? "invalid" : "either";
  }
}

export const KEY_STEPS = ["create", "rotate", "revoke"] as const;
export type KeyStep = (typeof KEY_STEPS)[number];

export class KeySteps {
  readonly counts = new Map<string, number>();
  #made = 0;

  constructor(
    private readonly chance: Chance,
    private readonly server: SoakedServer,
    private readonly keys: Keys,
  ) {}

  async step(kind: KeyStep): Promise<void> {
    const { live } = this.keys;
    if (kind === "create") await this.#create();
    else if (live.length === 0) return;
    else await this.#end(kind, this.chance.pick(live));
    this.counts.set(`key ${kind}`, (this.counts.get(`key ${kind}`) ?? 0) + 1);
  }

  async #create(): Promise<void> {
    const name = `soak ${++this.#made}`;
    const begunAt = performance.now();
    if (this.chance.oneIn(2)) {
      const { key, record } = await this.server.admin("POST", "/keys", { name });
      this.keys.add(record.id, key, begunAt);
      return;
    }
    const key = await this.server.command(["keys", "create", "--name", name]);
    const listed = JSON.parse(await this.server.command(["keys", "list", "--json"]));
    const { id } = listed.find((one: { name: string }) => one.name === name);
    this.keys.add(id, key.trim(), begunAt);
  }

  async #end(kind: "rotate" | "revoke", secret: Secret): Promise<void> {
    await this.#use(secret);
    const begunAt = performance.now();
    secret.until = { begunAt, doneAt: Number.POSITIVE_INFINITY };
    const renewed = await this.#endOne(kind, secret);
    secret.until.doneAt = performance.now();
    if (renewed !== undefined) this.keys.add(secret.keyId, renewed, begunAt);
  }

  /** A worker that remembers a key must forget it when it ends. */
  async #use(secret: Secret): Promise<void> {
    const isAccepted = async () => (await this.#ask(secret)).status !== 401;
    await until("a live key is accepted", isAccepted, this.keys.delaySeconds);
  }

  /** Each connection may lead to another worker. */
  async #ask(secret: Secret): Promise<{ status: number; process: string | undefined }> {
    const caller = new Caller(this.server);
    const { status } = await caller.ask(`${AT}/players`, Caller.headers(secret.text));
    caller.close();
    return { status, process: caller.process };
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

  /** Waits until every worker refuses every key that has ended; none may accept one afterwards. */
  async settle(): Promise<void> {
    for (const secret of this.keys.over) {
      const refusing = new Set<string>();
      await until(
        `${this.server.workers} workers refuse an ended key`,
        async () => {
          const { status, process } = await this.#ask(secret);
          if (status === 401 && process !== undefined) refusing.add(process);
          return refusing.size === this.server.workers;
        },
        this.keys.delaySeconds,
      );
      secret.isRefusedFrom = performance.now();
    }
  }
}
