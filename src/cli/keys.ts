/** In charge of `matchbook keys`: making, listing and revoking API keys. */

import type { Command } from "commander";
import { type KeyRecord, type Keyring, keyringExists, openKeyring } from "../access/keyring.ts";
import { formatTimestamp } from "../domain/time.ts";
import { shortText } from "../settings/parsers.ts";
import { parseRate } from "../settings/table.ts";
import {
  columns,
  Failure,
  flagValue,
  note,
  print,
  settingsOf,
  type Verb,
  withExamples,
  withSettings,
} from "./verb.ts";

const LONGEST_NAME = 100;

export const keys: Verb = (program) => {
  const group = program.command("keys").description("make, list and revoke API keys");
  withSettings(group);
  withExamples(group, [
    ["matchbook keys create --name stats-site", "make a key"],
    ["matchbook keys list", "see which keys there are"],
  ]);
  addCreate(group);
  addList(group);
  addRevoke(group);
};

function addCreate(group: Command): void {
  const command = group
    .command("create")
    .description("make a key and print it, alone, on standard output; it is shown only once")
    .requiredOption("--name <NAME>", "whom or what the key is for")
    .option("--rate <N>", "requests a minute (default: the setting rate)")
    .action((options: { name: string; rate?: string }) => {
      const name = flagValue("--name", options.name, shortText(LONGEST_NAME));
      const rate = options.rate === undefined ? null : flagValue("--rate", options.rate, parseRate);
      const { values } = settingsOf(command);
      using(openKeyring(values.data), (keyring) => {
        const { key, record } = keyring.create({ name, rate }, Date.now());
        print(key);
        note(
          `Made key ${record.id} for "${name}": ${rate ?? values.rate} requests a minute. ` +
            "It is not kept in readable form and cannot be shown again.",
        );
      });
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook keys create --name stats-site", "a key with the usual rate"],
    ["KEY=$(matchbook keys create --name crawler --rate 600)", "a faster one, kept in a variable"],
  ]);
}

function addList(group: Command): void {
  const command = group
    .command("list")
    .description("list the keys, revoked ones included; the keys themselves are not kept")
    .option("--json", "print one JSON array")
    .action((options: { json?: true }) => {
      const { values } = settingsOf(command);
      // Looking must not make a data folder out of a mistyped --data.
      const records = keyringExists(values.data)
        ? using(openKeyring(values.data), (keyring) => keyring.list())
        : [];
      if (options.json) print(JSON.stringify(records.map(asJson), null, 2));
      else if (records.length === 0)
        note(`No keys in ${values.data} yet: 'matchbook keys create' makes one.`);
      else print(asTable(records, values.rate));
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook keys list", "a table"],
    ["matchbook keys list --json", "the same for a program"],
  ]);
}

function addRevoke(group: Command): void {
  const command = group
    .command("revoke")
    .description("end a key; a running server stops accepting it within seconds")
    .argument("<id>", "the key's id, as 'matchbook keys list' shows it")
    .action((id: string) => {
      const { values } = settingsOf(command);
      const outcome = keyringExists(values.data)
        ? using(openKeyring(values.data), (keyring) => keyring.revoke(id, Date.now()))
        : "unknown";
      if (outcome === "unknown") {
        throw new Failure(
          `there is no key with the id "${id}" in ${values.data}; 'matchbook keys list' shows the ids`,
        );
      }
      note(outcome === "revoked" ? `Revoked ${id}.` : `${id} was revoked before.`);
    });
  withSettings(command);
  withExamples(command, [["matchbook keys revoke k_3fGh7Kq0Zx", "end one key"]]);
}

function asTable(records: KeyRecord[], usualRate: number): string {
  return columns([
    ["ID", "NAME", "RATE", "CREATED", "STATE"],
    ...records.map(({ id, name, rate, createdAt, revokedAt }) => [
      id,
      name,
      rate === null ? `${usualRate} (default)` : String(rate),
      formatTimestamp(createdAt),
      revokedAt === null ? "live" : `revoked ${formatTimestamp(revokedAt)}`,
    ]),
  ]);
}

function asJson(record: KeyRecord): object {
  const { createdAt, revokedAt } = record;
  return {
    ...record,
    createdAt: formatTimestamp(createdAt),
    revokedAt: revokedAt === null ? null : formatTimestamp(revokedAt),
  };
}

function using<T>(keyring: Keyring, work: (keyring: Keyring) => T): T {
  try {
    return work(keyring);
  } finally {
    keyring.close();
  }
}
