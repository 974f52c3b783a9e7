/** Conformance: writes take turns, and long reads see one state. */

import { expect } from "bun:test";
import { viewOf } from "../../src/store/byte-range.ts";
import { type ShardContents, StoreRefuses } from "../../src/store/store.ts";
import { NAMED_TABLES } from "../../src/store/tables.ts";
import { until } from "../support/state.ts";
import { addPlainly, anEntry, idsOf, PLAYERS, renamed, selection, serve, text } from "./entries.ts";
import type { Guarantee } from "./suite.ts";

export function writingGuarantees(guarantee: Guarantee): void {
  guarantee(
    "new players and teams get other numbers than a rebuild has given",
    async ({ writer }) => {
      const entry = (id: string, ...named: string[]) =>
        anEntry(id, {
          players: Object.fromEntries(named.map((one) => [one, "won"])),
          teams: Object.fromEntries(named.map((one) => [one, true])),
        });
      const given = { players: new Map([["a", 3]]), teams: new Map([["a", 3]]) };
      await writer.write((one) => addPlainly(one, [entry("m1", "a")]), given);
      await serve(writer, entry("m2", "b", "c", "d", "e"));
      expect(await writer.write(async (one) => one.load(["m1", "m2"]))).toHaveLength(2);
    },
  );

  guarantee("a match that already exists fails the whole write", async (store) => {
    await serve(store.writer, anEntry("m"));
    const again = serve(store.writer, anEntry("other"), anEntry("m"));
    expect(
      await again.then(
        () => "resolved",
        () => "rejected",
      ),
    ).toBe("rejected");
    expect(idsOf(await (await store.reader()).matches(selection()))).toEqual(["m"]);
  });

  guarantee("writes that are begun at once take turns, in their order", async ({ writer }) => {
    const steps: string[] = [];
    const writes = ["a", "b", "c"].map((name) =>
      writer.write(async (transaction) => {
        steps.push(`${name} begins`);
        await transaction.changeRankedEvidence(new Map([["p", 1]]));
        await new Promise((resolve) => setImmediate(resolve));
        steps.push(`${name} ends`);
        return (await transaction.rankedEvidence(["p"])).get("p");
      }),
    );
    expect(await Promise.all(writes)).toEqual([1, 2, 3]);
    expect(steps.map((step) => step.split(" ")[1])).toEqual(
      writes.flatMap(() => ["begins", "ends"]),
    );
  });

  guarantee("every read sees one state while another thread writes", async (store) => {
    await store.writer.write(async (transaction) => {
      await transaction.addServed([
        anEntry("m", { players: Object.fromEntries(PLAYERS.map((id) => [id, "won"])) }),
      ]);
      await transaction.putPlayers(PLAYERS.map((id) => renamed(id, 0)));
    });
    const writer = new Worker(new URL("./writer-thread.ts", import.meta.url).href);
    const ended = new Promise<void>((resolve, reject) => {
      writer.onmessage = () => resolve();
      writer.onerror = ({ message }) => reject(new Error(message));
    });
    writer.postMessage(store.place);

    const looking = [await store.reader(), await store.reader()].map(async (reader) => {
      const rounds = new Set<string>();
      await until("a reader has seen many rounds", async () => {
        const listed = new Set((await reader.players(PLAYERS)).map(({ name }) => name));
        const bundled = new Set(
          (await reader.match("m"))!.players.map((one) => text(viewOf(one.resource))),
        );
        expect([listed.size, bundled.size]).toEqual([1, 1]);
        rounds.add([...bundled][0]!);
        return rounds.size >= 8;
      });
    });
    try {
      await Promise.race([Promise.all(looking), ended]);
    } finally {
      writer.postMessage("end");
      await ended;
      writer.terminate();
    }
  });

  guarantee("a survey sees one state throughout, while others write", async (store) => {
    await serve(store.writer, anEntry("m", { createdAt: 1, players: { p: "won" } }));
    const rival = store.rival();
    await store.writer.survey(async (state) => {
      expect(await idsOfRecords(state)).toEqual(["m"]);
      await serve(rival, anEntry("n", { players: { q: "won" } }));
      expect(await idsOfRecords(state)).toEqual(["m"]);
      expect(await state.rowCount(NAMED_TABLES.players)).toBe(1);
    });
    expect(await store.writer.survey(idsOfRecords)).toEqual(["m", "n"]);
  });

  guarantee(
    "a survey returns or throws what its work did, and the next one succeeds",
    async ({ writer }) => {
      expect(await writer.survey(async () => "result")).toBe("result");
      const failure = new Error("out of luck");
      const failed = writer.survey(() => Promise.reject(failure));
      expect(await failed.catch((error) => error)).toBe(failure);
      await serve(writer, anEntry("m"));
      expect(await writer.survey(idsOfRecords)).toEqual(["m"]);
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
      expect(await store.writer.survey(idsOfRecords)).toEqual(["first", "late"]);
    },
  );

  guarantee("emptying the log keeps everything", async (store) => {
    await serve(store.writer, anEntry("a"));
    expect(await store.writer.emptyLog()).toBe(true);
    expect((await store.writer.counts()).served).toBe(1);
    expect((await (await store.reader()).sizes()).walBytes ?? 0).toBe(0);
  });
}

async function idsOfRecords(state: ShardContents): Promise<string[]> {
  return (await state.records(undefined, 9)).map(({ match }) => match.id);
}
