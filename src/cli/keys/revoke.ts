/** In charge of `matchbook keys revoke`. */

import type { Command } from "commander";
import { note, settingsOf, withExamples, withSettings } from "../verb.ts";
import { withKey } from "./open.ts";

export function addRevoke(group: Command): void {
  const command = group
    .command("revoke")
    .description("end a key for good; a running server stops accepting it within seconds")
    .argument("<id>", "the key's id, as 'matchbook keys list' shows it")
    .action(async (id: string) => {
      const { values } = settingsOf(command);
      const outcome = await withKey(values, id, (keys) => keys.revoke(id, Date.now()));
      note(outcome === "revoked" ? `Revoked ${id}.` : `${id} was revoked before.`);
    });
  withSettings(command, ["keys-database"]);
  withExamples(command, [["matchbook keys revoke k_3fGh7Kq0Zx", "end one key"]]);
}
