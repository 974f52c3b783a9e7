/** `matchbook hooks`: adds, lists, shows, pauses, tests, replays and removes webhooks. */

import type { Command } from "commander";
import { formatTimestamp } from "../domain/time.ts";
import { parseHookPlayers, parseHookShards, parseSince } from "../hooks/hook-options.ts";
import type { Hook } from "../hooks/hook-store.ts";
import { parseHookUrl } from "../hooks/hook-url.ts";
import { HookError, Hooks } from "../hooks/hooks.ts";
import { send } from "../hooks/send.ts";
import { accessPlan, openAccess } from "../open-access.ts";
import { concealUser } from "../settings/database-urls.ts";
import type { Settings } from "../settings/definitions.ts";
import {
  type AddCommand,
  CommandError,
  flagValue,
  note,
  print,
  settingsOf,
  UsageError,
  withExamples,
  withSettings,
} from "./command.ts";
import { withShards } from "./shard-store.ts";
import { table } from "./table.ts";

const HOOK_ID = "hook id, see 'matchbook hooks list'";
const SETTINGS = ["keys-database", "hooks", "hooks-allow-private"] as const;

export const hooks: AddCommand = (program) => {
  const group = program
    .command("hooks")
    .description(
      "add, list, test, pause, replay and remove webhooks, which receive changes of matches",
    );
  withSettings(group, SETTINGS);
  withExamples(group, [
    ["matchbook hooks add --key k_3fGh7Kq0Zx --url https://example.com/hook", "add a hook"],
    ["matchbook hooks list", "list all hooks"],
  ]);
  // In the order of the help.
  const commands = [addAdd, addList, addShow, addPause, addResume, addTest, addReplay, addRotate];
  for (const add of [...commands, addRemove]) add(group);
};

interface AddFlags {
  key: string;
  url: string;
  shard: string[];
  players?: string;
}

function addAdd(group: Command): void {
  const collect = (id: string, ids: string[]) => [...ids, id];
  const command = group
    .command("add")
    .summary("add a hook and print its id")
    .description(
      "add a hook and print only its id on standard output; it receives what changes from now on.\n" +
        "'matchbook hooks show ID --secret' prints the secret that its receiver needs.",
    )
    .requiredOption("--key <ID>", "key whose shards the hook may read, see 'matchbook keys list'")
    .requiredOption("--url <URL>", "https URL of the receiver")
    .option(
      "--shard <SHARD>",
      "only this shard; may be repeated (default: all of the key)",
      collect,
      [],
    )
    .option("--players <IDS>", "only matches with one of these players, separated by commas")
    .action(async ({ key, url, shard, players }: AddFlags) => {
      const { values } = settingsOf(command);
      const allowPrivate = values["hooks-allow-private"] === "on";
      const wanted = {
        keyId: key,
        url: flagValue("--url", concealUser(url), () => parseHookUrl(url, allowPrivate)),
        shards: flagValue("--shard", shard.join(","), () => parseHookShards(shard)),
        players: flagValue("--players", players ?? "", (text) =>
          parseHookPlayers(text === "" && players === undefined ? [] : text.split(",")),
        ),
      };
      const hook = await withHooks(values, (hooks) => hooks.add(wanted, Date.now()));
      print(hook.id);
      note(
        `Added hook ${hook.id} for key ${key}; 'matchbook hooks show ${hook.id} --secret' prints its secret.`,
      );
      if (values.hooks === "off")
        note("The setting hooks is off: nothing is delivered until it is on.");
    });
  withSettings(command, SETTINGS);
  withExamples(command, [
    ["matchbook hooks add --key k_3fGh7Kq0Zx --url https://example.com/hook", "all changes"],
    [
      "matchbook hooks add --key k_3fGh7Kq0Zx --url https://example.com/hook --shard na --players p1,p2",
      "changes of one shard, of matches with two players",
    ],
  ]);
}

function addList(group: Command): void {
  const command = group
    .command("list")
    .description("list all hooks with their state; secrets are not shown")
    .option("--json", "print one JSON array")
    .action(async (options: { json?: true }) => {
      const { values } = settingsOf(command);
      const described = await withHooks(
        values,
        async (hooks) => hooks.describe(await hooks.list(), Date.now()),
        true,
      );
      if (options.json) print(JSON.stringify(described, null, 2));
      else if (described.length === 0) note("No hooks yet: add one with 'matchbook hooks add'.");
      else
        print(
          table([["ID", "KEY", "STATE", "SHARDS", "LAST RESULT", "URL"], ...described.map(rowOf)]),
        );
    });
  withSettings(command, SETTINGS);
  withExamples(command, [["matchbook hooks list --json", "print JSON with all details"]]);
}

type DescribedHook = Awaited<ReturnType<Hooks["describe"]>>[number];

function rowOf(hook: DescribedHook): string[] {
  const { id, key, shards, url } = hook;
  const last = hook.progress
    .filter(({ lastAt }) => lastAt !== null)
    .sort((one, other) => Date.parse(other.lastAt!) - Date.parse(one.lastAt!))[0];
  return [id, key, stateOf(hook), shards.join("+") || "all", last?.lastResult ?? "none yet", url];
}

const stateOf = ({ state, pausedBy }: DescribedHook): string =>
  state === "paused" ? `paused (${pausedBy})` : state;

function addShow(group: Command): void {
  const command = group
    .command("show")
    .description("print everything about one hook: state, progress in each shard, last results")
    .argument("<id>", HOOK_ID)
    .option("--json", "print one JSON object")
    .option("--secret", "print only the secret")
    .action(async (id: string, options: { json?: true; secret?: true }) => {
      if (options.json && options.secret) throw new UsageError("use --json or --secret, not both");
      const { values } = settingsOf(command);
      const { hook, described } = await withHooks(
        values,
        async (hooks) => {
          const hook = await hooks.find(id);
          return { hook, described: (await hooks.describe([hook], Date.now()))[0]! };
        },
        true,
      );
      if (options.secret) print(hook.secret);
      else print(options.json ? JSON.stringify(described, null, 2) : listing(described));
    });
  withSettings(command, SETTINGS);
  withExamples(command, [
    ["matchbook hooks show h_3fGh7Kq0Zx", "show one hook"],
    ["matchbook hooks show h_3fGh7Kq0Zx --secret", "print its secret"],
  ]);
}

function listing(hook: DescribedHook): string {
  return table([
    ["id", hook.id],
    ["key", hook.key],
    ["url", hook.url],
    ["state", stateOf(hook)],
    ["created", hook.createdAt],
    ["paused", hook.pausedAt ?? "no"],
    ["shards", hook.shards.join(", ") || "all that the key may read"],
    ["players", hook.players.join(", ") || "all"],
    [
      "previous secret",
      hook.previousSecretUntil === null ? "none" : `signs until ${hook.previousSecretUntil}`,
    ],
    ...hook.progress.map((one) => [`shard ${one.shard}`, progressOf(one)]),
  ]);
}

function progressOf(one: DescribedHook["progress"][number]): string {
  const last = one.lastAt === null ? "nothing sent yet" : `${one.lastResult} at ${one.lastAt}`;
  const failing =
    one.attempts === 0
      ? ""
      : `, ${one.attempts} failed attempts since ${one.failingSince}, next at ${one.nextAttempt}`;
  const closed = one.mayRead ? "" : ", the key may not read it";
  return `delivered up to change ${one.delivered}, ${last}${failing}${closed}`;
}

function addPause(group: Command): void {
  const command = group
    .command("pause")
    .description("stop delivering to a hook; it continues where it stopped when it is resumed")
    .argument("<id>", HOOK_ID)
    .action(async (id: string) => {
      const isNew = await withHook(command, id, (hooks, hook) => hooks.pause(hook, Date.now()));
      note(isNew ? `Paused ${id}.` : `${id} is already paused.`);
    });
  withSettings(command, SETTINGS);
  withExamples(command, [["matchbook hooks pause h_3fGh7Kq0Zx", "pause one hook"]]);
}

function addResume(group: Command): void {
  const command = group
    .command("resume")
    .description("deliver to a paused hook again; after failures, the next attempt is made at once")
    .argument("<id>", HOOK_ID)
    .action(async (id: string) => {
      await withHook(command, id, (hooks, hook) => hooks.resume(hook));
      note(`Resumed ${id}.`);
    });
  withSettings(command, SETTINGS);
  withExamples(command, [["matchbook hooks resume h_3fGh7Kq0Zx", "resume one hook"]]);
}

function addTest(group: Command): void {
  const command = group
    .command("test")
    .description(
      "send a test message to a hook and print the result; exit code 1 if it is not delivered",
    )
    .argument("<id>", HOOK_ID)
    .action(async (id: string) => {
      const outcome = await withHook(command, id, (hooks, hook) => hooks.test(hook, Date.now()));
      const { kind, result, milliseconds } = outcome;
      if (kind !== "delivered")
        throw new CommandError(`the test message was not delivered: ${result}`);
      print(`delivered: ${result}, ${milliseconds} ms`);
    });
  withSettings(command, SETTINGS);
  withExamples(command, [["matchbook hooks test h_3fGh7Kq0Zx", "test one hook"]]);
}

function addReplay(group: Command): void {
  const command = group
    .command("replay")
    .description("deliver again what has changed since a time, at most 7 days ago")
    .argument("<id>", HOOK_ID)
    .requiredOption("--since <TIME>", "time with a time zone, e.g. 2026-03-01T18:30:00Z")
    .action(async (id: string, { since }: { since: string }) => {
      const time = flagValue("--since", since, parseSince);
      await withHook(command, id, (hooks, hook) => hooks.replay(hook, time));
      note(
        `${id} receives all changes since ${formatTimestamp(time)} again, as far as they are kept.`,
      );
    });
  withSettings(command, SETTINGS);
  withExamples(command, [
    [
      "matchbook hooks replay h_3fGh7Kq0Zx --since 2026-03-01T18:30:00Z",
      "after a receiver lost data",
    ],
  ]);
}

function addRotate(group: Command): void {
  const command = group
    .command("rotate-secret")
    .summary("create a new secret for a hook")
    .description(
      "create a new secret for a hook. The old one signs as well for 24 hours.\n" +
        "'matchbook hooks show ID --secret' prints the new one.",
    )
    .argument("<id>", HOOK_ID)
    .action(async (id: string) => {
      const until = await withHook(command, id, (hooks, hook) =>
        hooks.rotateSecret(hook, Date.now()),
      );
      note(
        `Rotated the secret of ${id}. The old one signs as well until ${formatTimestamp(until)}.`,
      );
    });
  withSettings(command, SETTINGS);
  withExamples(command, [["matchbook hooks rotate-secret h_3fGh7Kq0Zx", "rotate one secret"]]);
}

function addRemove(group: Command): void {
  const command = group
    .command("remove")
    .description("remove a hook with its secret and its progress")
    .argument("<id>", HOOK_ID)
    .action(async (id: string) => {
      await withHook(command, id, (hooks, hook) => hooks.remove(hook));
      note(`Removed ${id}.`);
    });
  withSettings(command, SETTINGS);
  withExamples(command, [["matchbook hooks remove h_3fGh7Kq0Zx", "remove one hook"]]);
}

const withHook = <T>(
  command: Command,
  id: string,
  work: (hooks: Hooks, hook: Hook) => Promise<T>,
): Promise<T> =>
  withHooks(settingsOf(command).values, async (hooks) => work(hooks, await hooks.find(id)));

/** Errors about hooks become errors of the command. With `isReadOnly`, nothing is changed, e.g. in a backup. */
function withHooks<T>(
  settings: Settings,
  work: (hooks: Hooks) => Promise<T>,
  isReadOnly = false,
): Promise<T> {
  return withShards(settings, async (shards) => {
    const access = openAccess(settings, isReadOnly);
    const hooks = new Hooks({
      store: access.hooks,
      keyStore: access.keys,
      shards,
      plan: accessPlan(settings),
      allowPrivate: settings["hooks-allow-private"] === "on",
      send,
    });
    try {
      return await work(hooks);
    } catch (error) {
      throw error instanceof HookError ? new CommandError(error.message) : error;
    } finally {
      await access.close();
    }
  });
}
