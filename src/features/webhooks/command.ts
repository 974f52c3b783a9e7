/** `matchbook hooks`: adds, lists, shows, pauses, tests and removes webhooks. */

import {
  type AddCommand,
  CommandError,
  defineCommand,
  defineGroup,
  flagValue,
  type Result,
  UsageError,
} from "../../cli/command.ts";
import { table } from "../../cli/table.ts";
import { isResourceId, isShardId } from "../../domain/identifiers.ts";
import { formatTimestamp } from "../../domain/time.ts";
import { concealUser } from "../../settings/database-urls.ts";
import type { Settings } from "../../settings/definitions.ts";
import type { OpenServices } from "../feature.ts";
import { parseHookUrl } from "./allowed-url.ts";
import { HookError, Hooks } from "./operations.ts";
import { type Hook, resumed } from "./stored.ts";

type WithHooks = <T>(
  settings: Settings,
  work: (hooks: Hooks) => Promise<T>,
  isReadOnly?: boolean,
) => Promise<T>;

const settings = ["keys-database", "hooks"] as const;
const HOOK = { "<id>": "hook id, see 'matchbook hooks list'" };

const add = (withHooks: WithHooks) =>
  defineCommand<{ key: string; url: string; shards?: string; players?: string }>({
    name: "add",
    summary: "add a hook and print its id",
    description:
      "add a hook and print only its id on standard output; it receives what changes from now on.\n" +
      "'matchbook hooks show ID --secret' prints the secret that its receiver needs.",
    required: {
      "--key <ID>": "key whose shards the hook may read, see 'matchbook keys list'",
      "--url <URL>": "https URL of the receiver",
    },
    options: {
      "--shards <IDS>": "only these shards, separated by commas (default: all of the key)",
      "--players <IDS>": "only matches with one of these players, separated by commas",
    },
    settings,
    examples: {
      "matchbook hooks add --key k_3fGh7Kq0Zx --url https://example.com/hook": "all changes",
      "matchbook hooks add --key k_3fGh7Kq0Zx --url https://example.com/hook --shards na --players p1,p2":
        "changes of one shard, of matches with two players",
    },
    run: ({ settings, flags: { key, url, shards, players } }) =>
      withHooks(settings, async (hooks) => {
        const wanted = {
          keyId: key,
          url: flagValue("--url", concealUser(url), () =>
            parseHookUrl(url, hooks.context.allowPrivate),
          ),
          shards: idsIn("--shards", shards, isShardId, "shard ids, e.g. na"),
          players: idsIn("--players", players, isResourceId, "player ids"),
        };
        const { id } = await hooks.add(wanted, Date.now());
        const notes = [
          `Added hook ${id} for key ${key}; 'matchbook hooks show ${id} --secret' prints its secret.`,
        ];
        if (settings.hooks === "off") {
          notes.push("The setting hooks is off: nothing is delivered until it is on.");
        }
        return { text: id, notes };
      }),
  });

const MAX_IDS = 100;

/** Distinct ids; none without the flag. */
function idsIn(flag: string, text: string | undefined, isId: typeof isShardId, what: string) {
  const ids = [...new Set(text?.split(","))];
  const error = `must be at most ${MAX_IDS} ${what}`;
  const isRight = ids.length <= MAX_IDS && ids.every(isId);
  return flagValue(flag, text ?? "", () => (isRight ? { value: ids } : { error }));
}

const list = (withHooks: WithHooks) =>
  defineCommand({
    name: "list",
    description: "list all hooks with their state; secrets are not shown",
    json: "print one JSON array",
    settings,
    examples: { "matchbook hooks list --json": "print JSON with all details" },
    run: ({ settings }) =>
      withHooks(
        settings,
        async (hooks) => {
          const json = await hooks.describe(await hooks.context.store.list(), Date.now());
          const head = ["ID", "KEY", "STATE", "SHARDS", "LAST RESULT", "URL"];
          const text = json.length > 0 ? table([head, ...json.map(rowOf)]) : "";
          return { json, text, none: "No hooks yet: add one with 'matchbook hooks add'." };
        },
        true,
      ),
  });

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

const show = (withHooks: WithHooks) =>
  defineCommand<{ secret?: true }>({
    name: "show",
    description: "print everything about one hook: state, progress in each shard, last results",
    arguments: HOOK,
    options: { "--secret": "print only the secret" },
    json: "print one JSON object",
    settings,
    examples: {
      "matchbook hooks show h_3fGh7Kq0Zx": "show one hook",
      "matchbook hooks show h_3fGh7Kq0Zx --secret": "print its secret",
    },
    run({ settings, flags }, id: string) {
      if (flags.json && flags.secret) throw new UsageError("use --json or --secret, not both");
      return withHooks(
        settings,
        async (hooks) => {
          const hook = await hooks.find(id);
          const [described] = await hooks.describe([hook], Date.now());
          return { json: described, text: flags.secret ? hook.secret : listing(described!) };
        },
        true,
      );
    },
  });

const listing = ({ progress, ...hook }: DescribedHook): string =>
  table([
    ...Object.entries(hook).map(([name, value]) => [name, value?.toString() || "-"]),
    ...progress.map((one) => [`shard ${one.shard}`, progressOf(one)]),
  ]);

function progressOf(one: DescribedHook["progress"][number]): string {
  const last = one.lastAt === null ? "nothing sent yet" : `${one.lastResult} at ${one.lastAt}`;
  const failing =
    one.attempts === 0
      ? ""
      : `, ${one.attempts} failed attempts since ${one.failingSince}, next at ${one.nextAttempt}`;
  const closed = one.mayRead ? "" : ", the key may not read it";
  return `delivered up to change ${one.delivered}, ${last}${failing}${closed}`;
}

interface HookAction {
  summary?: string;
  description: string;
  act(hooks: Hooks, hook: Hook): Promise<Result>;
}

/** The commands that act on one hook and need nothing else. */
const ACTIONS: Record<string, HookAction> = {
  pause: {
    description: "stop delivering to a hook; it continues where it stopped when it is resumed",
    async act(hooks, hook) {
      const isNew = await hooks.context.store.pause(hook.id, "operator", Date.now());
      return { none: isNew ? `Paused ${hook.id}.` : `${hook.id} is already paused.` };
    },
  },
  resume: {
    description: "deliver to a paused hook again; after failures, the next attempt is made at once",
    async act(hooks, hook) {
      await hooks.context.store.change(hook.id, resumed);
      return { none: `Resumed ${hook.id}.` };
    },
  },
  test: {
    description:
      "send a test message to a hook and print the result; exit code 1 if it is not delivered",
    async act(hooks, hook) {
      const { kind, result, milliseconds } = await hooks.test(hook, Date.now());
      if (kind === "delivered") return { text: `delivered: ${result}, ${milliseconds} ms` };
      throw new CommandError(`the test message was not delivered: ${result}`);
    },
  },
  "rotate-secret": {
    summary: "create a new secret for a hook",
    description:
      "create a new secret for a hook. The old one signs as well for 24 hours.\n" +
      "'matchbook hooks show ID --secret' prints the new one.",
    async act(hooks, hook) {
      const end = formatTimestamp(await hooks.rotateSecret(hook, Date.now()));
      return { none: `Rotated the secret of ${hook.id}. The old one signs as well until ${end}.` };
    },
  },
  remove: {
    description: "remove a hook with its secret and its progress",
    async act(hooks, hook) {
      await hooks.context.store.remove(hook.id);
      return { none: `Removed ${hook.id}.` };
    },
  },
};

const actions = Object.entries(ACTIONS).map(
  ([name, { act, ...help }]) =>
    (withHooks: WithHooks) =>
      defineCommand({
        ...{ name, ...help, arguments: HOOK, settings },
        examples: { [`matchbook hooks ${name} h_3fGh7Kq0Zx`]: help.summary ?? `${name} one hook` },
        run: ({ settings }, id: string) =>
          withHooks(settings, async (hooks) => act(hooks, await hooks.find(id))),
      }),
);

/** Errors about hooks become errors of the command. */
export function hooksCommand(open: OpenServices): AddCommand {
  const withHooks: WithHooks = (settings, work, isReadOnly) =>
    open(
      settings,
      async (services) => {
        try {
          return await work(new Hooks(services));
        } catch (error) {
          throw error instanceof HookError ? new CommandError(error.message) : error;
        }
      },
      isReadOnly,
    );
  return defineGroup(
    {
      name: "hooks",
      description: "add, list, test, pause and remove webhooks, which receive changes of matches",
      examples: {
        "matchbook hooks add --key k_3fGh7Kq0Zx --url https://example.com/hook": "add a hook",
        "matchbook hooks list": "list all hooks",
      },
    },
    [add, list, show, ...actions].map((command) => command(withHooks)),
  );
}
