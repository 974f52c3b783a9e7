/** Runs command lines one after another in one process, and prints the exit code and output of each. */

import { run } from "../../src/cli/program.ts";

export interface CommandRun {
  args: string[];
  env: Record<string, string>;
}

const runs: CommandRun[] = await Bun.stdin.json();
const print = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
const ended: { exitCode: number; stderr: string }[] = [];
for (const { args, env } of runs) {
  let stderr = "";
  process.stderr.write = (text: string | Uint8Array) => {
    stderr += Buffer.from(text as string).toString();
    return true;
  };
  process.exitCode = 0;
  Object.assign(process.env, env);
  ended.push({ exitCode: await run(args), stderr });
  for (const name of Object.keys(env)) delete process.env[name];
}
process.exitCode = 0;
print(JSON.stringify(ended));
