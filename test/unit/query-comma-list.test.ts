import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { distinct, splitList } from "../../src/query/comma-list.ts";
import { joinList } from "../support/lists.ts";

describe("a list in one value", () => {
  const cases: [why: string, text: string, result: ReturnType<typeof splitList>][] = [
    ["one item", "Ada", ["Ada"]],
    ["items in the order given", "Grace,Ada", ["Grace", "Ada"]],
    ["blanks around a comma belong to the names", " Ada , Grace ", [" Ada ", " Grace "]],
    ["an escaped comma is part of the item", "A\\,B,C", ["A,B", "C"]],
    ["an escaped backslash is a backslash", "A\\\\B", ["A\\B"]],
    ["a comma after an escaped backslash separates", "A\\\\,B", ["A\\", "B"]],
    ["a backslash before another character is refused", "A\\B", "stray backslash"],
    ["a backslash at the end is refused", "A\\", "stray backslash"],
    ["an odd backslash at the end is refused", "A\\\\\\", "stray backslash"],
    ["no text is an empty item", "", "empty item"],
    ["a comma alone makes two empty items", ",", "empty item"],
    ["a leading comma leaves an empty item", ",A", "empty item"],
    ["a trailing comma leaves an empty item", "A,", "empty item"],
    ["a doubled comma leaves an empty item", "A,,B", "empty item"],
    ["an empty item is found beside escapes too", "A\\,B,", "empty item"],
  ];
  test.each(cases)("%s", (_, text, result) => {
    expect(splitList(text)).toEqual(result);
  });

  test("any non-empty items, joined and split, give themselves back", () => {
    const item = fc.oneof(
      fc.string({ unit: "binary", minLength: 1 }),
      fc.string({ unit: fc.constantFrom(",", "\\", "a", " "), minLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(item, { minLength: 1 }), (items) => {
        expect(splitList(joinList(items))).toEqual(items);
      }),
    );
  });

  test("distinct items keep the order of their first appearance", () => {
    expect(distinct(["b", "a", "b", "c", "a"])).toEqual(["b", "a", "c"]);
  });
});
