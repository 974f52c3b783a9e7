/** `matchbook doctor`: prints the state of an installation on one page. */

import { examine, versionFinding } from "../doctor/examine.ts";
import type { Finding, Level } from "../doctor/findings.ts";
import { invalidSettings } from "../doctor/settings.ts";
import { FLAG_NAMES } from "../settings/definitions.ts";
import { type LoadedSettings, SettingsError } from "../settings/load.ts";
import { defineCommand, settingsOf } from "./command.ts";
import { counted, table } from "./table.ts";

export const doctor = defineCommand<{ strict?: true }>({
  name: "doctor",
  summary: "find what stops the service, or soon will: settings, files, shards, keys, databases",
  description:
    "find what stops the service, or soon will, and print one line for each check, with what to do about warnings and problems: " +
    "versions, settings, data folder, free space, shards (format, size, WAL, what a verify found), keys, redactions, databases.\n" +
    "It needs no server, takes a few seconds at most, and changes nothing but a key in Redis that expires. Run it as the user of the service, " +
    "with its settings. It does not read all records: 'matchbook verify' does.\n" +
    "Exit code 1: there is a problem (with --strict: or a warning).",
  options: { "--strict": "exit with 1 for warnings, too" },
  json: "print one JSON object: state, problems, warnings, findings",
  settings: FLAG_NAMES,
  examples: {
    "matchbook doctor": "check the installation with the settings of this folder",
    "matchbook doctor --config /etc/matchbook/matchbook.toml": "check a service",
    "matchbook doctor --strict --json | jq -r '.findings[] | select(.level != \"ok\") | .message'":
      "for monitoring",
  },
  async run({ command, flags }) {
    const findings = await examineWith(() => settingsOf(command));
    const count = (level: Level) => findings.filter((one) => one.level === level).length;
    const problems = count("problem");
    const warnings = count("warning");
    const state = problems > 0 ? "problem" : warnings > 0 ? "warning" : "ok";
    if (problems > 0 || (flags.strict && warnings > 0)) process.exitCode = 1;
    return {
      json: {
        ...{ state, problems, warnings },
        findings: findings.map((one) => ({ ...one, advice: one.advice ?? null })),
      },
      text: `${asTable(findings)}\n\n${counted(problems, "problem")}, ${counted(warnings, "warning")}`,
    };
  },
});

/** Settings that cannot be loaded are problems like others. */
async function examineWith(load: () => LoadedSettings): Promise<Finding[]> {
  try {
    return await examine(load(), Date.now());
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return [versionFinding(), ...invalidSettings(error)];
  }
}

function asTable(findings: readonly Finding[]): string {
  return table(
    findings.flatMap(({ level, subject, message, advice }) => [
      [level, subject, message],
      ...(advice === undefined ? [] : [["", "", `→ ${advice}`]]),
    ]),
  );
}
