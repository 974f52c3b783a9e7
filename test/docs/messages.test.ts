/** messages.json has every error message, from real runs: a change of a text shows in review. Each says what to do. */

import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ERRORS } from "../../src/domain/errors.ts";
import { type CommandMessage, commandMessages } from "./messages-commands.ts";
import { replyMessages } from "./messages-http.ts";
import { recordMessages } from "./messages-records.ts";

const FILE = join(import.meta.dir, "messages.json");

type CommandOutput = [exitCode: number, ...lines: string[]];

interface Messages {
  /** The details of each code, by request. */
  responses: Record<string, Record<string, string[]>>;
  /** Why a record is rejected, by what is wrong with it. */
  records: Record<string, string[]>;
  /** Exit code and standard error, by command. */
  commands: Record<string, CommandOutput>;
}

const known: Messages = JSON.parse(readFileSync(FILE, "utf8"));

let messages: Messages;
let text: string;
beforeAll(async () => {
  const [replies, records, commands] = await Promise.all([
    replyMessages(),
    recordMessages(),
    // A new command is written into the file first, with any output.
    commandMessages(Object.keys(known.commands)),
  ]);
  const responses = Object.fromEntries(
    Object.keys(ERRORS).map((code) => [code, detailsOf(code)] as const),
  );
  function detailsOf(code: string) {
    const details: Record<string, string[]> = {};
    for (const { request, errors } of replies) {
      const own = errors.filter((error) => error.code === code).map(({ detail }) => masked(detail));
      if (own.length > 0) details[request] = own;
    }
    return details;
  }
  messages = {
    responses,
    records: Object.fromEntries(records.map(({ what, reasons }) => [what, reasons.map(masked)])),
    commands: Object.fromEntries(commands.map(byCommand)),
  };
  text = `${JSON.stringify(messages, null, 1)}\n`;
});

const byCommand = ({ command, exitCode, output }: CommandMessage): [string, CommandOutput] => [
  command,
  [exitCode, ...masked(output).split("\n")],
];

/** Without what differs between runs. */
const masked = (message: string): string =>
  message
    .replaceAll(/(the current time, )[^;]+/g, "$1<now>")
    .replaceAll(/(\d+ days ago \()[^)]+/g, "$1<time>");

test("the file is up to date (UPDATE_MESSAGES=1 rewrites it, and npm run format formats it)", async () => {
  if (process.env.UPDATE_MESSAGES) await Bun.write(FILE, text);
  // Also after rewriting the file: a run that changed it fails.
  expect(known).toEqual(messages);
});

test("every case has a message, without a stack, an object by its type or a missing value", () => {
  const { responses, records, commands } = messages;
  const all = [
    ...Object.values(responses).flatMap((requests) => Object.values(requests)),
    ...Object.values(records),
    ...Object.values(commands).map(([, ...output]) => output.filter((line) => line !== "")),
  ];
  expect(all.length).toBeGreaterThan(250);
  expect(all.filter((lines) => lines.length === 0)).toEqual([]);
  const isWrong = /^ {4}at |\[object|\bundefined\b|\bNaN\b|internal error:/;
  expect(all.flat().filter((line) => isWrong.test(line))).toEqual([]);
});
