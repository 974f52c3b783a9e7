/** Fuzzes requests: every response is valid, as the reference expects, and the same however the request is written. */

import { ERRORS, type ErrorCode } from "../../../src/domain/errors.ts";
import { refusalStatuses } from "../../docs/refusals.ts";
import type { Thing } from "../../model/record.ts";
import { Chance } from "../../support/chance.ts";
import type { RawReply } from "../../support/connection.ts";
import { Complaint, type Target } from "./campaign.ts";
import { type Expectation, expected } from "./expected.ts";
import { complaintAbout, isOurs, type Rules } from "./judge.ts";
import { HOST, KEY, request } from "./request-grammar.ts";
import {
  type PlainRequest,
  type RequestCase,
  readCase,
  readRequest,
  writeCase,
  writeRequest,
} from "./request-text.ts";
import { someRespelling } from "./respellings.ts";
import { textOf, Wire } from "./wire.ts";
import type { FuzzWorld } from "./world.ts";

export function requestTarget(
  world: FuzzWorld,
  tamper?: (reply: RawReply) => RawReply,
): Target<RequestCase> & { close(): void } {
  const strict = new Server(world, "strict", tamper);
  const compat = new Server(world, "compat");
  return {
    kind: "requests",
    generate: (choices) => request(choices, world.cursors),
    write: writeCase,
    read: readCase,
    async check(one) {
      world.takeEvents();
      const seen = await checked(one, strict, compat);
      const failures = world
        .takeEvents()
        .filter(({ event }) => event === "failure" || event === "damaged-data");
      if (failures.length > 0) throw new Complaint(`logged ${Bun.inspect(failures[0])}`);
      return seen;
    },
    close() {
      strict.wire.close();
      compat.wire.close();
    },
  };
}

/** One of the two servers. */
class Server {
  readonly wire: Wire;
  readonly host: string;
  readonly key: string;
  readonly rules: Rules;

  constructor(
    readonly world: FuzzWorld,
    which: "strict" | "compat",
    private readonly tamper = (reply: RawReply) => reply,
  ) {
    const { url, key } = world[which];
    this.wire = new Wire(url);
    this.host = new URL(url).host;
    this.key = key;
    this.rules = { refusals: refusalStatuses(), hasProfile: which === "compat" };
  }

  filled(text: string): string {
    return text.replaceAll(KEY, this.key).replaceAll(HOST, this.host);
  }

  /** The response to a request that has exactly one; throws a complaint. */
  async ask(request: PlainRequest): Promise<RawReply> {
    const { method, target } = request;
    const text = this.filled(writeRequest(request));
    const sent = { bytes: Buffer.from(text, "latin1"), methods: [method] };
    const exchange = await this.wire.send({ ...sent, afterwards: "keep" });
    exchange.replies = exchange.replies.map(this.tamper);
    // A field of the request may have closed the connection.
    const asked = { ...sent, target: this.filled(target), afterwards: "drop" } as const;
    const complaint = complaintAbout(asked, exchange, this.rules);
    if (complaint !== undefined) throw new Complaint(complaint);
    return exchange.replies[0]!;
  }
}

/** Longer ones are too long for the server. */
const LONGEST_TARGET = 8000;

async function checked(one: RequestCase, strict: Server, compat: Server): Promise<string[]> {
  const request = readRequest(one.text);
  if (!one.isHostile && request) return isAnswered(request, strict, compat);
  return [...(await copesWith(one.text, strict)), ...(await copesWith(one.text, compat))];
}

/** Whatever was sent, the server refuses it, closes the connection, or sends valid responses. */
async function copesWith(text: string, server: Server): Promise<string[]> {
  const methods = text.split("\r\n\r\n").flatMap((head) => /^([A-Z-]+) /.exec(head)?.[1] ?? []);
  const bytes = Buffer.from(server.filled(text), "latin1");
  const sent = { bytes, methods, afterwards: "end", mayBeSilent: true } as const;
  // Nothing of an earlier request may be in the way.
  server.wire.close();
  const exchange = await server.wire.send(sent);
  const complaint = complaintAbout(sent, exchange, server.rules);
  if (complaint !== undefined) throw new Complaint(complaint);
  return exchange.replies.map(({ status }) => `hostile ${status}`);
}

async function isAnswered(
  request: PlainRequest,
  strict: Server,
  compat: Server,
): Promise<string[]> {
  const filled = {
    ...request,
    headers: request.headers.map(([name, value]): [string, string] => [name, strict.filled(value)]),
  };
  const expectation = expected(filled, strict.world, strict.key, strict.host);
  const reply = await strict.ask(request);
  const seen = seenIn(request, reply, expectation);
  if (!isOurs(reply)) {
    if (expectation) throw new Complaint(`the runtime refused with ${reply.status}`);
    return seen;
  }
  if (expectation) compare(request, reply, expectation);
  const isOfShard = request.target.startsWith("/shards/");
  if (!expectation || !isOfShard || request.method !== "GET" || reply.status === 304) return seen;

  // Parameters in a fragment are none.
  if (request.target.includes("#")) return seen;
  // The text decides how it is written again, so that a case of the corpus is always checked in the same way.
  const respelling = someRespelling(new Chance(Bun.hash.crc32(request.target), 0));
  const again = respelling.write(request, reply, HOST);
  if (again.target.length > LONGEST_TARGET) return seen;
  const difference = respelling.difference(reply, await strict.ask(again));
  if (difference) throw new Complaint(`${respelling.name}: ${difference}\n${writeRequest(again)}`);
  await compareProfiles(request, reply, expectation, compat);
  return seen;
}

function seenIn(
  { method, target }: PlainRequest,
  reply: RawReply,
  expectation: Expectation | undefined,
): string[] {
  const route = target.split("?")[0]!.split("/").slice(1, 6);
  const shape = `${method} ${route[0]} ${route.length} ${route[2] ?? ""}`;
  const oracle = expectation ? (expectation.data ? "with data" : "with a status") : "unpredicted";
  const codes =
    method === "GET" && reply.status >= 400 && isOurs(reply) ? [...codesIn(reply)] : [""];
  return [oracle, ...codes.map((code) => `${shape.slice(0, 60)} ${reply.status} ${code}`)];
}

interface Errors {
  errors: { code: ErrorCode; status: string; source?: { parameter?: string; header?: string } }[];
}

const errorsIn = (reply: RawReply) => (JSON.parse(textOf(reply)) as Errors).errors;
const codesIn = (reply: RawReply) => new Set(errorsIn(reply).map(({ code }) => code));

function compare({ method }: PlainRequest, reply: RawReply, expectation: Expectation): void {
  const { statuses, problems, data, included } = expectation;
  if (!statuses.includes(reply.status)) {
    throw new Complaint(
      `status ${reply.status} instead of ${statuses}\nexpected ${[...(problems ?? [])]}, got ${textOf(reply).slice(0, 600)}`,
    );
  }
  if (method !== "GET" || reply.status === 304 || reply.status === 204) return;
  if (reply.status >= 400) {
    for (const { code, status } of errorsIn(reply)) {
      if (ERRORS[code]?.status !== Number(status))
        throw new Complaint(`the code ${code} is unknown`);
    }
    if (!problems) return;
    const reported = errorsIn(reply).map(
      ({ code, source }) => `${code} ${source?.parameter ?? source?.header ?? ""}`,
    );
    if (!Bun.deepEquals(new Set(reported), problems)) {
      throw new Complaint(`other problems\nexpected ${[...problems]}\nreported ${reported}`);
    }
    return;
  }
  if (data === undefined) return;
  const body = JSON.parse(textOf(reply));
  if (!Bun.deepEquals(body.data, plain(data), true)) {
    throw new Complaint(`other data\nexpected ${short(data)}\nserved ${short(body.data)}`);
  }
  if ("meta" in expectation && !Bun.deepEquals(body.meta, expectation.meta)) {
    throw new Complaint(
      `other meta\nexpected ${short(expectation.meta)}\nserved ${short(body.meta)}`,
    );
  }
  if (included && !Bun.deepEquals(byKey(body.included ?? []), byKey(plain(included)), true)) {
    throw new Complaint(
      `other included resources\nexpected ${short(included)}\nserved ${short(body.included)}`,
    );
  }
}

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const short = (value: unknown) => JSON.stringify(value).slice(0, 1500);
const byKey = (resources: Thing[]) =>
  resources.toSorted((a, b) => (`${a.type}/${a.id}` < `${b.type}/${b.id}` ? -1 : 1));

/** What is valid without the profile means the same with it, except that an empty list is a 404. */
async function compareProfiles(
  request: PlainRequest,
  reply: RawReply,
  { isEmptyList }: Expectation,
  compat: Server,
): Promise<void> {
  if (reply.status !== 200) return void (await compat.ask(request));
  const other = await compat.ask(request);
  if (isEmptyList) {
    if (other.status !== 404) throw new Complaint(`profile: an empty list has ${other.status}`);
    return;
  }
  const isChanges = request.target.includes("/changes");
  // Each server has its own log of changes: the position of one may have expired for the other.
  if (isChanges && other.status === 410) return;
  if (other.status !== 200) throw new Complaint(`profile: status ${other.status}`);
  const idsOf = (one: RawReply) => {
    const data = JSON.parse(textOf(one)).data ?? [];
    return [data].flat().map(({ type, id }: { type: string; id: string }) => `${type}/${id}`);
  };
  if (!isChanges && !Bun.deepEquals(idsOf(reply), idsOf(other))) {
    throw new Complaint(`profile: other records\n${idsOf(reply)}\n${idsOf(other)}`);
  }
}
