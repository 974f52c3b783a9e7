/** Conformance: reading a whole shard, and long transactions. */

import { expect } from "bun:test";
import {
  type ShardContents,
  type ShardRecord,
  type StoredRow,
  StoreRefuses,
} from "../../src/store/store.ts";
import { NAMED_TABLES, PLAYERS, TEAMS } from "../../src/store/tables.ts";
import {
  addPlainly,
  anEntry,
  aPlayer,
  aTeam,
  bytes,
  people,
  serve,
  text,
  withheld,
} from "./entries.ts";
import { plain } from "./records.ts";
import type { Guarantee } from "./suite.ts";

/** All records, in steps of this size. Only the last step may be shorter. */
async function allRecords(holdings: ShardContents, size: number): Promise<ShardRecord[]> {
  const all: ShardRecord[] = [];
  for (;;) {
    const step = await holdings.records(all.at(-1), size);
    all.push(...step);
    expect(step.length).toBeLessThanOrEqual(size);
    if (step.length < size) return all;
  }
}

async function allNamed(holdings: ShardContents, kind: "players" | "teams", size: number) {
  const all: StoredRow[] = [];
  for (;;) {
    const step = await holdings.rows(NAMED_TABLES[kind], { after: all.at(-1), limit: size });
    all.push(...step);
    if (step.length < size) return all.map(({ id }) => id as string);
  }
}

const inWords = (records: readonly ShardRecord[]) =>
  records.map(({ fate, match }) => `${match.id} ${fate.state}`);

/** With it, a step starts with the first withheld record. */
const BEFORE_WITHHELD = {
  fate: { state: "withheld", reason: "ending" },
  match: { createdAt: 0, id: "" },
} as const;

export function holdingGuarantees(guarantee: Guarantee): void {
  guarantee("an empty shard has no records", async ({ writer }) => {
    await writer.survey(async (holdings) => {
      expect(await holdings.records(undefined, 5)).toEqual([]);
      expect(await holdings.records(BEFORE_WITHHELD, 5)).toEqual([]);
      expect(await allNamed(holdings, "players", 5)).toEqual([]);
    });
  });

  guarantee(
    "steps of any size return served records in order, then withheld ones by id",
    async ({ writer }) => {
      const served = [
        anEntry("before-the-epoch", { createdAt: -62_167_219_200_000 }),
        anEntry("b", { createdAt: 5, players: { p: "won" } }),
        anEntry("B", { createdAt: 5, players: { p: "won" }, teams: { t: true } }),
        anEntry("a", { createdAt: Date.UTC(2024, 1, 29) }),
        anEntry("c", { createdAt: Date.UTC(2024, 2, 1) }),
        anEntry("last", { createdAt: 253_402_300_799_999 }),
      ];
      const apart = [
        withheld("z", "ending", { createdAt: 1 }),
        withheld("_", "no-ranked-player", { createdAt: 9 }),
        withheld("0", "game-mode", { createdAt: 9 }),
      ];
      await writer.write(async (transaction) => {
        await addPlainly(transaction, served);
        await transaction.addWithheld(apart);
      });
      const whole = await writer.survey((holdings) => allRecords(holdings, 100));
      expect(inWords(whole)).toEqual([
        "before-the-epoch served",
        "B served",
        "b served",
        "a served",
        "c served",
        "last served",
        "0 withheld",
        "_ withheld",
        "z withheld",
      ]);
      for (const { fate, match } of whole) {
        const given = [...served, ...apart].find(({ id }) => id === match.id)!;
        expect(plain(match)).toEqual(plain(given));
        if (fate.state === "withheld") expect(given).toMatchObject({ reason: fate.reason });
      }
      for (const size of [1, 2, 3, 5, 6, 7, 9]) {
        const steps = await writer.survey((holdings) => allRecords(holdings, size));
        expect(inWords(steps)).toEqual(inWords(whole));
      }
      const apartOnly = await writer.survey(async (holdings) =>
        holdings.records(BEFORE_WITHHELD, 2),
      );
      expect(inWords(apartOnly)).toEqual(["0 withheld", "_ withheld"]);
    },
  );

  guarantee("steps return players and teams by id, with their bytes", async ({ writer }) => {
    const ids = ["b", "B", "a-1", "a_1", "a", "0"];
    const companions = bytes("companions");
    await people(writer, {
      players: ids.map((id) => aPlayer(id, id === "a" ? { companions } : {})),
      teams: ids.map((id) => aTeam(id, id === "b" ? { companions } : {})),
    });
    const inOrder = ["0", "B", "a", "a-1", "a_1", "b"];
    await writer.survey(async (holdings) => {
      for (const size of [1, 2, 4, 6, 100]) {
        expect(await allNamed(holdings, "players", size)).toEqual(inOrder);
        expect(await allNamed(holdings, "teams", size)).toEqual(inOrder);
      }
      const textIn = (value: unknown) => value && text(value as Uint8Array);
      const [player, next] = await holdings.rows(PLAYERS, { after: { id: "B" }, limit: 2 });
      expect([textIn(player!.resource), textIn(player!.linked)]).toEqual([
        "player a",
        "companions",
      ]);
      expect(next!.linked).toBeNull();
      const [team] = await holdings.rows(TEAMS, { after: { id: "a_1" }, limit: 1 });
      expect([textIn(team!.resource), textIn(team!.linked)]).toEqual(["team b", "companions"]);
    });
  });

  guarantee("a transaction sees its own writes in steps", async ({ writer }) => {
    await serve(writer, anEntry("m", { createdAt: 1, players: { p: "won" } }));
    await writer.write(async (transaction) => {
      await addPlainly(transaction, [anEntry("n", { players: { q: "won" }, teams: { t: true } })]);
      await transaction.addWithheld([withheld("w", "ending")]);
      expect(inWords(await allRecords(transaction, 2))).toEqual([
        "m served",
        "n served",
        "w withheld",
      ]);
      expect(await allNamed(transaction, "players", 9)).toEqual(["p", "q"]);
      expect(await allNamed(transaction, "teams", 9)).toEqual(["t"]);
    });
  });

  guarantee("a survey sees one state throughout, while others write", async (store) => {
    await serve(store.writer, anEntry("m", { createdAt: 1, players: { p: "won" } }));
    const rival = store.rival();
    await store.writer.survey(async (holdings) => {
      expect(inWords(await holdings.records(undefined, 1))).toEqual(["m served"]);
      await serve(rival, anEntry("n", { players: { q: "won" } }));
      expect(inWords(await allRecords(holdings, 10))).toEqual(["m served"]);
      expect(await allNamed(holdings, "players", 10)).toEqual(["p"]);
    });
    const after = await store.writer.survey((holdings) => allRecords(holdings, 10));
    expect(inWords(after)).toEqual(["m served", "n served"]);
  });

  guarantee(
    "a survey returns or throws what its work did, and the next one succeeds",
    async (store) => {
      const { writer } = store;
      expect(await writer.survey(async () => "result")).toBe("result");
      const failure = new Error("out of luck");
      const failed = writer.survey(async () => {
        throw failure;
      });
      expect(await failed.catch((error) => error)).toBe(failure);
      await serve(writer, anEntry("m"));
      expect(inWords(await writer.survey((holdings) => allRecords(holdings, 9)))).toHaveLength(1);
    },
  );

  guarantee(
    "a writer that waits too long for the lock is refused, and may retry",
    async (store) => {
      // A third of that is how long a writer of PostgreSQL may send nothing, which a busy machine must keep to as well.
      const rival = store.rival(3000);
      await store.writer.write(async (transaction) => {
        const reader = await store.reader();
        const outcome = await serve(rival, anEntry("late")).catch((error) => error);
        expect(outcome).toBeInstanceOf(StoreRefuses);
        // Readers do not wait for writers.
        expect(await reader.match("late")).toBeUndefined();
        await addPlainly(transaction, [anEntry("first")]);
      });
      await serve(rival, anEntry("late"));
      const all = await store.writer.survey((holdings) => allRecords(holdings, 9));
      expect(inWords(all)).toEqual(["first served", "late served"]);
    },
  );
}
