/** Clients that read during a run. Every response must be right, or be an error that the documentation allows. */

import type { JsonObject } from "../../../src/domain/json.ts";
import { Chance } from "../../support/chance.ts";
import { repeatedly } from "../../support/repeatedly.ts";
import { getAs } from "../../support/world.ts";
import type { Ledger } from "../ledger.ts";

const READERS = 2;
const PAUSE_MS = 8;
const PAGE = 5;
/** A response that takes longer counts as none, on a busy machine too. */
const HANG_MS = 120_000;
/** Errors that the documentation describes, for a service that has lost its data or its database. */
const DOCUMENTED = ["shard-unavailable", "damaged-data", "keys-unavailable"];

/** Where the server is, and whether connections may be refused or cut at the moment. */
export interface Target {
  url: string;
  key: string;
  /** Counts starts and kills: a request that overlaps one of them may get no response. */
  epoch: number;
  isDown: boolean;
}

export class Readers {
  /** Codes of the documented errors that were received, with their number. */
  readonly errors = new Map<string, number>();
  /** Statuses and errors that must never happen. */
  readonly forbidden: string[] = [];
  stop = async () => {};

  constructor(
    private readonly target: Target,
    private readonly ledger: Ledger,
    /** The ids to ask for, among them some that do not exist. */
    private readonly ids: readonly string[],
    private readonly seed: number,
  ) {}

  start(): void {
    const random = Array.from({ length: READERS }, (_, at) => new Chance(this.seed, at));
    const read = async (at: number) => this.target.url !== "" && this.#request(random[at]!);
    this.stop = repeatedly(READERS, read, PAUSE_MS);
  }

  #request(random: Chance): Promise<unknown> {
    const id = random.pick(this.ids);
    const since = performance.now();
    if (random.share(0.5)) {
      return this.get(`/shards/na/matches/${id}`, (status, body) =>
        this.ledger.judgeMatch(id, since, status, body),
      );
    }
    if (random.share(0.7)) {
      const from = this.ledger.record(id)?.entry.at ?? 0;
      const start = encodeURIComponent(new Date(from).toISOString());
      const query = `filter[createdAt-start]=${start}&sort=createdAt&page[limit]=${PAGE}`;
      return this.get(`/shards/na/matches?${query}`, (status, body) => {
        if (status === 200) this.ledger.judgePage(from, since, PAGE, body);
      });
    }
    // Their values change with every record: they are compared when nothing is written any more.
    const paths = ["/players", "/heroes", "/leaderboards/win-rate"];
    return this.get(`/shards/na${random.pick(paths)}`, () => {});
  }

  /** One request; `judge` gets what is not an error. The status, or undefined without a response. */
  async get(
    path: string,
    judge: (status: number, body: JsonObject) => void,
  ): Promise<number | undefined> {
    const { epoch, isDown } = this.target;
    try {
      const reply = await getAs(this.target, path, { signal: AbortSignal.timeout(HANG_MS) });
      this.#judge(path, reply, judge);
      return reply.status;
    } catch (error) {
      const isCut = isDown || this.target.isDown || epoch !== this.target.epoch;
      const isHung = (error as Error).name === "TimeoutError";
      if (isHung || !isCut) this.forbidden.push(`${path}: no response: ${error}`);
      return undefined;
    }
  }

  #judge(
    path: string,
    { status, headers, body }: Awaited<ReturnType<typeof getAs>>,
    judge: (status: number, body: JsonObject) => void,
  ): void {
    const code = (body.errors as { code: string }[] | undefined)?.[0]?.code ?? "";
    if (status === 200 || (status === 404 && code === "not-found")) {
      judge(status, body);
      return;
    }
    this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
    const isAllowed = status === 503 && DOCUMENTED.includes(code);
    if (!isAllowed) this.forbidden.push(`${path}: ${status} ${JSON.stringify(body)}`);
    else if (code !== "damaged-data" && !headers.has("retry-after")) {
      this.forbidden.push(`${path}: 503 ${code} without Retry-After`);
    }
  }
}
