/** `matchbook doctor`: prints the state of an installation on one page. */

import { examine, versionFinding } from "../doctor/examine.ts";
import type { Finding, Level } from "../doctor/findings.ts";
import { invalidSettings } from "../doctor/settings.ts";
import { FLAG_NAMES } from "../settings/definitions.ts";
import { type LoadedSettings, SettingsError } from "../settings/load.ts";
import { type AddCommand, print, settingsOf, withExamples, withSettings } from "./command.ts";
import { describeError } from "./system-errors.ts";
import { table } from "./table.ts";

interface Flags {
  backup?: string;
  strict?: true;
  json?: true;
}

export const doctor: AddCommand = (program) => {
  const command = program
    .command("doctor")
    .summary(
      "find what stops the service, or soon will: settings, files, shards, keys, databases, clock",
    )
    .description(
      "find what stops the service, or soon will, and print one line for each check, with what to do about warnings and problems: " +
        "versions, settings, data folder, free space, shards (format, size, WAL, what a verify found), keys, redactions, databases, clock.\n" +
        "It needs no server, takes a few seconds at most, and changes nothing. Run it as the user of the service, " +
        "with its settings. It does not read all records: 'matchbook verify' does.\n" +
        "Exit code 1: there is a problem (with --strict: or a warning).",
    )
    .option("--backup <DIR>", "check the age of the last backup in this folder, too")
    .option("--strict", "exit with 1 for warnings, too")
    .option("--json", "print one JSON object: state, problems, warnings, findings")
    .action(async (flags: Flags) => {
      const findings = await examineWith(() => settingsOf(command), flags);
      print(flags.json ? JSON.stringify(asJson(findings)) : asPage(findings));
      const state = stateOf(findings);
      if (state === "problem" || (flags.strict && state === "warning")) process.exitCode = 1;
    });
  withSettings(command, FLAG_NAMES);
  withExamples(command, [
    ["matchbook doctor", "check the installation with the settings of this folder"],
    [
      "matchbook doctor --config /etc/matchbook/matchbook.toml --backup /var/backups/matchbook",
      "check a service and the age of its last backup",
    ],
    [
      "matchbook doctor --strict --json | jq -r '.findings[] | select(.level != \"ok\") | .message'",
      "for monitoring",
    ],
  ]);
};

/** Settings that cannot be loaded are problems like others. */
async function examineWith(load: () => LoadedSettings, { backup }: Flags): Promise<Finding[]> {
  try {
    const loaded = load();
    return await examine(loaded, { backup, now: Date.now(), describe: describeError });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return [versionFinding(), ...invalidSettings(error)];
  }
}

const countOf = (findings: readonly Finding[], level: Level): number =>
  findings.filter((one) => one.level === level).length;

function stateOf(findings: readonly Finding[]): Level {
  if (countOf(findings, "problem") > 0) return "problem";
  return countOf(findings, "warning") > 0 ? "warning" : "ok";
}

function asJson(findings: readonly Finding[]): object {
  return {
    state: stateOf(findings),
    problems: countOf(findings, "problem"),
    warnings: countOf(findings, "warning"),
    findings: findings.map((one) => ({ ...one, advice: one.advice ?? null })),
  };
}

function asPage(findings: readonly Finding[]): string {
  const rows = findings.flatMap(({ level, subject, message, advice }) => [
    [level, subject, message],
    ...(advice === undefined ? [] : [["", "", `→ ${advice}`]]),
  ]);
  const count = (level: Level, word: string) => {
    const number = countOf(findings, level);
    return `${number} ${word}${number === 1 ? "" : "s"}`;
  };
  return `${table(rows)}\n\n${count("problem", "problem")}, ${count("warning", "warning")}`;
}
