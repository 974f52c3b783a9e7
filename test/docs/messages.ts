/** Generates docs/error-messages.md: every message that can be triggered, from real runs. */

import { ERRORS, type ErrorCode } from "../../src/domain/errors.ts";
import { type CommandMessage, commandMessages } from "./messages-commands.ts";
import { type ReplyMessage, replyMessages } from "./messages-http.ts";
import { type RecordMessage, recordMessages } from "./messages-records.ts";

const HEAD = `# Every error message

<!-- Generated from real requests, records and runs. UPDATE_DOCS=1 bun test test/docs/messages.test.ts rewrites it. -->

Every error message of Matchbook, word for word. [errors.md](errors.md) lists the codes and what to do about each;
[records.md](records.md) lists the rules for records. Texts in angle brackets, e.g. \`<now>\`, vary.

- [Responses](#responses)
- [Rejected records](#rejected-records)
- [Command line: usage](#command-line-usage)
- [Command line: operation](#command-line-operation)
- [Command line: files, folders, ports](#command-line-files-folders-ports)
- [Settings](#settings)
`;

/** The page with its current content. */
export async function messagesPage(): Promise<string> {
  const [replies, records, commands] = await Promise.all([
    replyMessages(),
    recordMessages(),
    commandMessages(),
  ]);
  const page = [
    HEAD,
    "## Responses\n\nThe `detail` of errors, by code.\n",
    ...byCode(replies),
    "## Rejected records\n\nThe reasons in the report of an ingest.\n",
    recordTable(records),
    "## Command line: usage\n",
    transcript(commands.use),
    "## Command line: operation\n",
    transcript(commands.work),
    "## Command line: files, folders, ports\n",
    transcript(commands.files),
    "## Settings\n",
    transcript(commands.settings),
  ].join("\n");
  return masked(page);
}

/** Masks what differs between runs. */
function masked(page: string): string {
  return page
    .replaceAll(/(the current time, )[^;]+/g, "$1\\<now\\>")
    .replaceAll(/(\d+ days ago \()[^)]+/g, "$1\\<time\\>");
}

function byCode(replies: ReplyMessage[]): string[] {
  return (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const rows = replies.flatMap(({ request, errors }) =>
      errors.filter((error) => error.code === code).map(({ detail }) => row(request, detail)),
    );
    const { status, title } = ERRORS[code];
    const table = ["| Request | Detail |", "|---|---|", ...new Set(rows)];
    return [`### \`${code}\` (${status}): ${title}`, "", ...table, ""].join("\n");
  });
}

const row = (request: string, detail: string) => `| ${verbatim(request)} | ${cell(detail)} |`;

function recordTable(records: RecordMessage[]): string {
  const rows = records.map(({ what, reasons }) => {
    return `| ${what} | ${reasons.map(cell).join("<br>")} |`;
  });
  return ["| A record with | Is rejected because |", "|---|---|", ...rows, ""].join("\n");
}

/** No request contains a backtick. */
const verbatim = (text: string) => `\`${text.replaceAll("|", "\\|")}\``;

/** Escapes everything that Markdown would treat as markup. */
const cell = (text: string) => text.replaceAll(/[\\|<>*_`[\]]/g, "\\$&");

function transcript(messages: CommandMessage[]): string {
  const parts = messages.map(
    ({ command, exitCode, output }) => `$ ${command}\n${output}\n# exit ${exitCode}\n`,
  );
  return ["```text", parts.join("\n").trimEnd(), "```", ""].join("\n");
}
