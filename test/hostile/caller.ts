/** In charge of sending hostile requests: several at a time, over connections that are used again. */

import { SEED } from "./chance.ts";
import { Connection, type Exchange } from "./connection.ts";
import { type HostileRequest, hostileRequest, type Surroundings } from "./requests.ts";

const AT_A_TIME = 16;

export interface Answered {
  number: number;
  request: HostileRequest;
  exchange: Exchange;
}

/** Sends the requests of these numbers, and tells of every exchange. */
export async function send(
  url: string,
  numbers: { from: number; to: number },
  around: Surroundings,
  onAnswer: (answered: Answered) => void | Promise<void>,
): Promise<void> {
  let next = numbers.from;
  const call = async () => {
    let connection: Connection | undefined;
    while (next < numbers.to) {
      const number = next++;
      const request = hostileRequest(SEED, number, around);
      connection ??= await Connection.open(url);
      const exchange = await exchangeOver(connection, request);
      if (request.afterwards !== "keep" || isOver(exchange)) {
        connection.close();
        connection = undefined;
      }
      await onAnswer({ number, request, exchange });
    }
    connection?.close();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, call));
}

/** A connection whose end was announced is not to be used again. */
function isOver({ replies, isClosed, isHung }: Exchange): boolean {
  return isClosed || isHung || replies.some(({ headers }) => headers.get("connection") === "close");
}

async function exchangeOver(connection: Connection, request: HostileRequest): Promise<Exchange> {
  const { bytes, methods, afterwards } = request;
  connection.expect(methods);
  await connection.write(bytes);
  if (afterwards === "end") connection.finish();
  return connection.replies(afterwards === "end");
}

/** A request that arrives a few bytes at a time, whenever it is given the occasion. */
export class SlowCaller {
  #sent = 0;

  private constructor(
    private readonly connection: Connection,
    readonly request: HostileRequest,
    private readonly step: number,
  ) {}

  static async start(url: string, request: HostileRequest, occasions: number): Promise<SlowCaller> {
    const step = Math.ceil(request.bytes.length / occasions);
    const connection = await Connection.open(url);
    connection.expect(request.methods);
    return new SlowCaller(connection, request, step);
  }

  async goOn(): Promise<void> {
    if (this.#sent >= this.request.bytes.length) return;
    const piece = this.request.bytes.subarray(this.#sent, this.#sent + this.step);
    this.#sent += this.step;
    await this.connection.write(piece);
  }

  /** Sends what is left, and waits for the reply. */
  async finish(): Promise<Exchange> {
    await this.connection.write(this.request.bytes.subarray(this.#sent));
    const exchange = await this.connection.replies(false);
    this.connection.close();
    return exchange;
  }
}
