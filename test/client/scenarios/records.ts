/** Scenarios: every endpoint, links between resources, queries. */

import assert from "node:assert/strict";
import { collect, errorOf, matchbookOf, NAMES, type Scenario } from "./scenario.ts";

export const RECORDS: Record<string, Scenario> = {
  async "a match is linked with all its resources"(scene) {
    const match = await matchbookOf(scene).shard("eu").match("match-full");
    const { type, gameMode, duration, patchVersion, shardId, stats } = match;
    assert.deepEqual([type, gameMode, duration, patchVersion], ["match", "ranked", 1200, "2.5"]);
    assert.deepEqual([shardId, stats.endGameReason], ["eu", "victory"]);
    assert.match(match.createdAt, /^\d{4}-.*Z$/);
    const [one, other] = match.rosters;
    assert.deepEqual([one.won, other.won, one.stats.gold], [false, true, 30_000]);
    assert.deepEqual([one.team?.name, other.team], ["ABC", undefined]);
    const [grace, bot] = one.participants;
    assert.deepEqual([grace?.player?.name, grace?.actor], ["Grace", "*Ember*"]);
    assert.deepEqual([grace?.stats.farm, grace?.stats.kills, bot?.player], [62.85, 4, undefined]);
    assert.equal(other.participants[0]?.player?.stats.wins, 1);
    const [asset] = match.relation("assets");
    assert.deepEqual([asset?.type, asset?.attributes.URL], ["asset", "https://example.com/1"]);
    assert.deepEqual(match.relation("nothing"), []);
  },

  async "a resource is one object, however many resources link to it"(scene) {
    const page = await matchbookOf(scene).shard("na").matches().page();
    const [first, second] = page.items.map((match) => match.rosters[0].participants[0]?.player);
    assert.equal(first?.id, "player-ada");
    assert.equal(first, second);
    assert.equal(page.items[0]?.rosters[0], page.items[0]?.rosters[0]);
    assert(first instanceof scene.client.Player && first.isLoaded);
  },

  async "a resource serialises as it was sent"(scene) {
    const matchbook = matchbookOf(scene);
    const match = await matchbook.shard("eu").match("match-full");
    const { document } = await matchbook.get<{ data: object }>("/shards/eu/matches/match-full");
    assert.deepEqual(JSON.parse(JSON.stringify(match)), document.data);
  },

  async "players are found by id, by name, and without filters"(scene) {
    const eu = matchbookOf(scene).shard("eu");
    const grace = await eu.player("player-eu");
    assert.equal(grace.name, "Grace");
    assert.equal(grace.titleID, "emberfall");
    assert.equal(grace.stats.lossStreak, 1);
    const both = await eu.players({ names: ["Edsger", "Grace"] });
    assert.deepEqual(
      both.map(({ name }) => name),
      ["Edsger", "Grace"],
    );
    const [byId] = await eu.players({ ids: ["player-other"], names: ["Grace", "Edsger"] });
    assert.equal(byId?.name, "Edsger");
    assert.deepEqual(await eu.players({ names: ["Nobody"] }), []);
    assert((await eu.players()).length >= 2);
  },

  async "a list of players says how many more the filter found"(scene) {
    const eu = matchbookOf(scene).shard("eu");
    const ids = ["player-eu", "player-other"];
    assert.deepEqual((await eu.players({ ids, limit: 1 })).meta, { omitted: 1 });
    assert.equal((await eu.players({ ids })).meta, undefined);
  },

  async "names are exact, whatever characters they contain"(scene) {
    const na = matchbookOf(scene).shard("na");
    for (const name of NAMES) {
      const players = await na.players({ names: [name] });
      assert(players.length > 0, name);
      for (const player of players) assert.equal(player.name, name);
      const [match] = await collect(na.matches({ playerNames: [name] }));
      const names = match?.rosters.map(({ participants }) => participants[0]?.player?.name);
      assert(names?.includes(name), name);
    }
    const all = await na.players({ names: NAMES.slice(1) });
    assert.deepEqual(
      all.map(({ name }) => name),
      NAMES.slice(1),
    );
  },

  async "every filter is sent, and a time may be a date"(scene) {
    const na = matchbookOf(scene).shard("na");
    const ids = async (query: Parameters<typeof na.matches>[0]) =>
      (await collect(na.matches(query))).map(({ id }) => id);
    assert.equal((await ids({ patchVersion: ["2.4"], gameMode: ["casual"] })).length, 3);
    assert.deepEqual(await ids({ playerIds: ["player-6"], playerNames: undefined }), ["match-06"]);
    assert.deepEqual(await ids({ teamNames: ["ABC"] }), []);
    const createdAtStart = new Date(Date.now() - 3.5 * 3_600_000);
    assert.equal((await ids({ createdAtStart })).length, 3);
    assert.equal((await ids({ createdAtEnd: createdAtStart.toISOString() })).length, 9);
    assert.deepEqual(await ids({ offset: 11 }), ["match-11"]);
  },

  async "sparse resources can be requested, and missing ones have their ids"(scene) {
    const eu = matchbookOf(scene).shard("eu");
    const bare = await eu.match("match-full", { include: [] });
    assert.equal(bare.gameMode, "ranked");
    assert.deepEqual(
      bare.rosters.map(({ id, isLoaded, won, participants }) => [id, isLoaded, won, participants]),
      ["match-full-r0", "match-full-r1"].map((id) => [id, false, undefined, []]),
    );
    const people = await eu.match("match-full", { include: ["rosters.participants"] });
    const participant = people.rosters[0]?.participants[0];
    assert.equal(participant?.actor, "*Ember*");
    assert.deepEqual([participant.player?.id, participant.player?.name], ["player-eu", undefined]);
    const fields = { player: ["name", "titleID"] };
    const [player] = await eu.players({ names: ["Grace"], fields });
    assert.deepEqual(player?.attributes, { name: "Grace", titleID: "emberfall" });
    const [thin] = await collect(eu.matches({ fields: { match: ["gameMode"] } }));
    assert.deepEqual([thin?.gameMode, thin?.createdAt, thin?.rosters], ["ranked", undefined, []]);
    assert.deepEqual((await eu.player("player-eu", { fields: { player: [] } })).attributes, {});
  },

  async "status, usage and health can be read"(scene) {
    const matchbook = matchbookOf(scene);
    const open = matchbookOf(scene, { key: undefined });
    const status = await open.status();
    assert.equal(status.name, "matchbook");
    assert.deepEqual(
      status.shards.filter(({ available }) => available).map(({ id }) => id),
      ["beta", "eu", "hurt", "na"],
    );
    assert.deepEqual(await open.health(), { status: "ok" });
    assert.deepEqual(await open.readiness(), { status: "not ready", unavailable: ["away"] });
    const healthy = new scene.client.Matchbook({ url: `${scene.facts.strictUrl}/` });
    assert.deepEqual(await healthy.readiness(), { status: "ready" });
    assert.equal((await open.description()).openapi, "3.1.0");
    const usage = await matchbook.usage();
    assert.equal(usage.key.name, "test");
    assert.deepEqual(usage.limits.shards, ["*"]);
  },

  async "the company of a player has the others and what they have in common"(scene) {
    const na = matchbookOf(scene).shard("na");
    const company = await na.playedWith("player-ada");
    assert.equal(company.length, NAMES.length);
    const [first] = await na.playedWith("player-ada", { limit: 1 });
    assert(first instanceof scene.client.PlayedWith);
    assert.equal(first.id, company[0]?.id);
    assert.equal(first.name, company[0]?.name);
    assert.deepEqual(first.with, { matches: 0, wins: 0 });
    assert(first.against.matches > 1 && first.against.wins === first.against.matches);
    assert.match(first.lastPlayedAt, /^\d{4}-.*Z$/);
    assert.deepEqual([first.player.type, first.player.id], ["player", first.id]);
    const { matches, isTruncated, window } = company.meta;
    assert.deepEqual([matches, isTruncated], [12, false]);
    assert(window.start < window.end);
    const { kind } = await errorOf(scene, () => na.playedWith("nobody"));
    assert.equal(kind, "not-found");
  },

  async "a leaderboard is one iteration over its pages"(scene) {
    const na = matchbookOf(scene).shard("na");
    const ids = (entries: readonly { id: string }[]) => entries.map(({ id }) => id);
    const whole = await collect(na.leaderboard("ranked-wins"));
    const [first] = whole;
    assert(first instanceof scene.client.LeaderboardEntry);
    assert.deepEqual([first.id, first.rank, first.matches], ["player-ada", 1, undefined]);
    assert(first.value > 1 && first.name.length > 0);
    assert.deepEqual([first.player.type, first.player.id], ["player", first.id]);
    assert.deepEqual(ids(await collect(na.leaderboard("ranked-wins", { limit: 1 }))), ids(whole));
    const page = await na.leaderboard("ranked-wins", { limit: 1 }).page();
    assert.deepEqual(page.meta, { board: "ranked-wins", period: "all", depth: 1000 });
    const items = [...page.items, ...((await page.next?.())?.items ?? [])];
    assert.deepEqual(ids(items), ids(whole.slice(0, 2)));
    let pages = 0;
    for await (const { window } of na
      .leaderboard("ranked-wins", { period: "28d", limit: 1 })
      .pages()) {
      assert(window && window.start < window.end);
      pages += 1;
    }
    assert.equal(pages, whole.length);
    const chosen = na.leaderboard("win-streak", { playerIds: ["nobody"] });
    assert.deepEqual(await collect(chosen), []);
    const { kind } = await errorOf(scene, () => collect(na.leaderboard("kills" as "win-rate")));
    assert.equal(kind, "not-found");
  },

  async "names similar to a mistyped one are found"(scene) {
    const eu = matchbookOf(scene).shard("eu");
    for (const near of ["grase", "GRACE", "Gra"]) {
      const [first] = await eu.playerNames(near);
      const { lastMatchAt, ...grace } = first!;
      const expected = { id: "player-eu", name: "Grace", shardId: "eu", skillTier: undefined };
      assert.deepEqual(grace, expected, near);
      assert(Date.parse(lastMatchAt!) < Date.now());
    }
    const [comma] = await matchbookOf(scene).shard("na").playerNames("A,B");
    assert.equal(comma?.name, "a,b");
    const error = await errorOf(scene, () => eu.playerNames(""));
    assert.deepEqual(
      [error.kind, error.problems[0]?.source],
      ["invalid", { parameter: "filter[near]" }],
    );
  },

  async "players and matches are found in all shards at once"(scene) {
    const matchbook = matchbookOf(scene);
    const { players, match, isNearest, unavailable } = await matchbook.playerNames("grase");
    assert.deepEqual([players[0]?.id, players[0]?.shardId], ["player-eu", "eu"]);
    assert.deepEqual([match, isNearest], [undefined, false]);
    // Its file is damaged.
    assert(unavailable.length > 0);
    const found = await matchbook.playerNames("match-full");
    assert.deepEqual([found.match?.id, found.match?.shardId], ["match-full", "eu"]);
    assert(Date.parse(found.match!.createdAt) < Date.now());
    assert((await matchbook.playerNames("qqqqqqqqqqqq")).isNearest);
    const error = await errorOf(scene, () => matchbook.playerNames(""));
    assert.deepEqual(error.problems[0]?.source, { parameter: "filter[near]" });
  },

  async "hero statistics have every actor with its numbers, in any order"(scene) {
    const na = matchbookOf(scene).shard("na");
    const { heroes, matches, isTruncated } = await na.heroes();
    assert(matches > 1 && !isTruncated);
    const [ember] = heroes;
    assert(ember instanceof scene.client.Hero);
    assert.equal(ember.id, "*Ember*");
    assert.deepEqual([ember.kills, ember.deaths, ember.assists, ember.farm], [4, 2, 3, 62.85]);
    assert.equal(ember.winRate, Math.round((ember.wins / ember.matches) * 10_000) / 10_000);
    assert.equal(ember.pickRate, Math.round((ember.matches / matches) * 10_000) / 10_000);
    assert(ember.gold > 0);
    const none = { gameMode: ["casual_aral"], patchVersion: ["0.1"], sort: "-winRate" } as const;
    assert.deepEqual((await na.heroes(none)).heroes, []);
  },

  async "any path can be fetched, with the unchanged response"(scene) {
    const limits: unknown[] = [];
    const matchbook = matchbookOf(scene, { onLimits: (one) => limits.push(one) });
    const reply = await matchbook.get<{ data: { id: string }[] }>(
      "/shards/na/matches?page[limit]=1",
    );
    assert.equal(reply.status, 200);
    assert.equal(reply.document.data[0]?.id, "match-00");
    assert.deepEqual(JSON.parse(reply.text), reply.document);
    assert.equal(reply.headers.get("Content-Type"), "application/vnd.api+json");
    assert.equal(reply.headers.get("ETag"), reply.etag);
    assert.equal(reply.fromCache, false);
    assert(reply.milliseconds > 0);
    assert.equal(reply.limits?.limit, 1_000_000);
    assert.deepEqual(limits, [reply.limits]);
    assert.equal((await matchbook.get("/status")).limits, undefined);
  },

  async "an empty filter list does not select everything"(scene) {
    const na = matchbookOf(scene).shard("na");
    const error = await errorOf(scene, () => na.matches({ playerIds: [] }).page());
    assert.equal(error.code, "empty-parameter");
  },
};
