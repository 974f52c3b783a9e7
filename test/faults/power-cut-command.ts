/** `npm run power-cuts`: many power cuts, with a summary. */

import { parseArgs } from "node:util";
import { canRecord } from "../support/system-calls.ts";
import { powerCuts } from "./power-cut.ts";

const HELP = `Usage: npm run power-cuts -- [options]

Records ingest, uploads and changes of keys, cuts the power at random moments of each recording, and compares what is
served afterwards with what was acknowledged. Exit code 1: something was lost or is wrong.

  --recordings <N>  recordings (default 4)
  --cuts <N>        power cuts of each (default 50)
  --seed <N>        of the first recording; the next ones follow (default: a new one each time). Recordings differ from
                    run to run, because the processes are not slowed down to a fixed order.
  --help            print this`;

const { values } = parseArgs({
  options: {
    recordings: { type: "string", default: "4" },
    cuts: { type: "string", default: "50" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit();
}
const [recordings, cuts, first] = [values.recordings, values.cuts, values.seed].map(Number) as [
  number,
  number,
  number,
];
if (![recordings, cuts, first].every(Number.isSafeInteger)) exit("the options are whole numbers");
if (!canRecord()) exit("strace cannot observe processes: apt-get install strace, and allow ptrace");

console.log(`${recordings} recordings of ${cuts} power cuts, --seed ${first}\n`);
const columns = ["seed", "cuts", "acknowledged", "compared", "lost", "wrong", "seconds"];
console.log(columns.map((name) => name.padStart(12)).join(" "));
const total = { cuts: 0, acknowledged: 0, compared: 0, lost: 0, wrong: 0 };
for (let seed = first; seed < first + recordings; seed++) {
  const began = performance.now();
  const found = await powerCuts(seed, cuts);
  const { acknowledged, compared, lost, wrong, problems } = found;
  const seconds = Math.round((performance.now() - began) / 1000);
  printRow(seed, cuts, acknowledged, compared, lost, wrong, seconds);
  for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += found[name];
  for (const problem of problems.slice(0, 10)) console.log(`  ${problem}`);
  if (problems.length > 0) {
    console.log(`  repeat: npm run power-cuts -- --recordings 1 --cuts ${cuts} --seed ${seed}`);
  }
}
printRow("total", total.cuts, total.acknowledged, total.compared, total.lost, total.wrong, "");
process.exit(total.lost + total.wrong > 0 ? 1 : 0);

function printRow(...cells: (string | number)[]): void {
  console.log(cells.map((cell) => String(cell).padStart(12)).join(" "));
}

function exit(message: string): never {
  console.error(message);
  process.exit(2);
}
