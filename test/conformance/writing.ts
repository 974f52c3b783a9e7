/** Conformance: atomic and serialised writes. */

import { expect } from "bun:test";
import { viewOf } from "../../src/store/byte-range.ts";
import type { NamedParts, Page } from "../../src/store/store.ts";
import { until } from "../support/state.ts";
import {
  addPlainly,
  anEntry,
  aPlayer,
  idsOf,
  PLAYERS,
  renamed,
  selection,
  serve,
  text,
  withheld,
} from "./entries.ts";
import type { Guarantee } from "./suite.ts";

export function writingGuarantees(guarantee: Guarantee): void {
  guarantee("a resolved write is visible to readers opened before and after it", async (store) => {
    const before = await store.reader();
    expect(await before.match("m")).toBeUndefined();
    await serve(store.writer, anEntry("m"));
    const after = await store.reader();
    for (const reader of [before, after]) {
      expect(idsOf((await reader.match("m"))!)).toEqual(["m"]);
      expect(idsOf(await reader.matches(selection()))).toEqual(["m"]);
    }
  });

  guarantee("a write is invisible to readers until it resolves", async (store) => {
    const reader = await store.reader();
    await store.writer.write(async (transaction) => {
      await addPlainly(transaction, [anEntry("m", { players: { p: "won" } })]);
      await transaction.changeVocabulary(new Map([["path:assets", 1]]));
      const fresh = await store.reader();
      for (const one of [reader, fresh]) {
        expect(await one.match("m")).toBeUndefined();
        expect(await one.players(["p"])).toEqual([]);
        expect([...(await one.vocabulary()).includePaths]).toEqual([]);
      }
    });
    expect(await reader.match("m")).toBeDefined();
  });

  guarantee("reads in a transaction see its writes", async ({ writer }) => {
    await writer.write(async (transaction) => {
      await addPlainly(transaction, [anEntry("m", { players: { p: "won" }, teams: { t: true } })]);
      await transaction.addWithheld([withheld("w", "ending")]);
      await transaction.changeRankedEvidence(new Map([["p", 2]]));
      await transaction.addDependents([["p", "m"]]);
      expect([...(await transaction.known(["m", "w"])).keys()].sort()).toEqual(["m", "w"]);
      expect(await transaction.load(["m", "w"])).toHaveLength(2);
      expect(await transaction.rankedEvidence(["p"])).toEqual(new Map([["p", 2]]));
      expect(await transaction.dependents(["p"])).toEqual(["m"]);
      expect(await transaction.playerHistory("p", 9)).toHaveLength(1);
      expect(await transaction.latestOfTeam("t")).toBe("m");

      await transaction.putPlayers([
        aPlayer("p", { totals: { played: 7, wins: 6, playedRanked: 5, rankedWins: 0, gold: 4n } }),
      ]);
      expect((await transaction.standings(["p"])).get("p")!.totals.played).toBe(7);
    });
  });

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

  guarantee("a write returns the result of its work", async ({ writer }) => {
    expect(await writer.write(async () => "result")).toBe("result");
  });

  guarantee("a rejected write passes on the error and changes nothing", async (store) => {
    const { writer } = store;
    await serve(writer, anEntry("old", { players: { p: "won" }, teams: { t: true } }));
    await writer.write(async (transaction) => {
      await transaction.addWithheld([withheld("old-withheld", "ending")]);
      await transaction.changeRankedEvidence(new Map([["p", 1]]));
      await transaction.changeVocabulary(new Map([["type:asset", 1]]));
      await transaction.addDependents([["p", "old"]]);
    });
    const before = await everything(store);

    const failure = new Error("out of luck");
    const failed = writer.write(async (transaction) => {
      await transaction.removeServed([
        anEntry("old", { players: { p: "won" }, teams: { t: true } }),
      ]);
      await transaction.removePlayers(["p"]);
      await transaction.removeTeams(["t"]);
      await transaction.removeWithheld(["old-withheld"]);
      await addPlainly(transaction, [anEntry("new", { players: { q: "lost" } })]);
      await transaction.addWithheld([withheld("new-withheld", "game-mode")]);
      await transaction.changeRankedEvidence(new Map([["p", -1]]));
      await transaction.changeVocabulary(new Map([["type:asset", -1]]));
      await transaction.removeDependents([["p", "old"]]);
      throw failure;
    });
    expect(await failed.catch((error) => error)).toBe(failure);
    expect(await everything(store)).toEqual(before);
  });

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
}

/** All reads, for the ids that the guarantee above uses. */
const withText = <T extends NamedParts>(named: T) => ({
  ...named,
  resource: text(viewOf(named.resource)),
});

const withTexts = (page: Page) => ({
  ...page,
  players: page.players.map(withText),
  teams: page.teams.map(withText),
});

async function everything({ writer, reader: open }: Parameters<Parameters<Guarantee>[1]>[0]) {
  const reader = await open();
  const { bytes: _, ...counts } = await writer.counts();
  const summary = await reader.summary();
  return {
    counts,
    summary,
    page: withTexts(await reader.matches(selection())),
    players: (await reader.recentPlayers(9)).map(withText),
    teams: await reader.teamIdsNamed(["tag of t"]),
    vocabulary: await reader.vocabulary(),
    withheld: [await writer.inspect("old-withheld"), await writer.inspect("new-withheld")],
    evidence: await writer.rankedEvidence(["p"]),
    dependents: await writer.write(async (transaction) => transaction.dependents(["p"])),
  };
}
