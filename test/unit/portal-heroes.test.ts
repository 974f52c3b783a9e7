/** The heroes page as data: its URL, the order of its rows, leaders and bars. */

import { expect, test } from "bun:test";
import { filtersOf } from "../../src/portal/views/heroes/filters.ts";
import { ENOUGH, leaderOf, rowsOf, scaleOf, sorted } from "../../src/portal/views/heroes/table.ts";

test("the URL may hold anything: what is not valid counts as absent", () => {
  const search = new URLSearchParams("mode=private&patch=%20&sort=-name");
  expect(filtersOf(search)).toEqual({ mode: undefined, patch: undefined, sort: "-matches" });
});

const row = (id: string, matches: number, winRate: number) => ({
  id,
  attributes: { matches, winRate, pickRate: 0.1 },
});

test("heroes with equal values are in the order of their names, in both directions", () => {
  const rows = rowsOf([row("*Zephra*", 9, 0.5), row("*Ivo*", 9, 0.6), row("Hero_Moss", 10, 0.5)]);
  const order = (sort: Parameters<typeof sorted>[1]) => sorted(rows, sort).map(({ name }) => name);
  expect(order("-matches")).toEqual(["Moss", "Ivo", "Zephra"]);
  expect(order("matches")).toEqual(["Ivo", "Zephra", "Moss"]);
  expect(order("-winRate")).toEqual(["Ivo", "Moss", "Zephra"]);
  expect(order("hero")).toEqual(["Ivo", "Moss", "Zephra"]);
  expect(order("-hero")).toEqual(["Zephra", "Moss", "Ivo"]);
});

test("the leading hero is one that was played often enough", () => {
  const played = [row("*Lucky*", ENOUGH - 1, 1), row("*Ivo*", ENOUGH, 0.6), row("*Moss*", 99, 0.4)];
  const rows = rowsOf(played);
  expect(leaderOf(rows, "winRate")?.name).toBe("Ivo");
  expect(leaderOf(rows.slice(0, 1), "winRate")).toBeUndefined();
});

test("bars of win rates begin at one half, and small differences do not fill them", () => {
  const rows = (...rates: number[]) =>
    rowsOf(rates.map((winRate, at) => ({ id: `${at}`, attributes: { winRate, pickRate: 0 } })));
  expect(scaleOf(rows(0.49, 0.51)).winRate).toBe(0.1);
  expect(scaleOf(rows(0.25, 0.51)).winRate).toBe(0.25);
  // Never a bar that is divided by zero.
  expect(scaleOf(rows(0.5)).pickRate).toBeGreaterThan(0);
});
