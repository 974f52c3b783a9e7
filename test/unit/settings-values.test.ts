/** What each setting accepts. The errors are in test/docs/messages.json. */

import { describe, expect, test } from "bun:test";
import { concealUser } from "../../src/settings/database-urls.ts";
import { settingOf, type ValueName } from "../../src/settings/definitions.ts";
import { AddressSet } from "../../src/settings/trusted-proxies.ts";

const read = (name: ValueName, text: string) => settingOf(name).parse(text);

const ACCEPTED: [ValueName, string, unknown][] = [
  ["data", "/srv/match book", "/srv/match book"],
  ["host", "::1", "::1"],
  ["host", "[::1]", "::1"],
  ["host", "localhost", "localhost"],
  ["port", "0", 0],
  ["port", "65535", 65535],
  ["admin-port", "off", undefined],
  ["admin-port", "9090", { host: "127.0.0.1", port: 9090 }],
  ["admin-port", "0.0.0.0:0", { host: "0.0.0.0", port: 0 }],
  ["admin-port", "[::]:9090", { host: "::", port: 9090 }],
  ["public-url", "", ""],
  ["public-url", "https://api.example.com/", "https://api.example.com"],
  ["public-url", "http://example.com:8080/records/", "http://example.com:8080/records"],
  ["title-id", "my game", "my game"],
  ["rate", "1", 1],
  ["rate", "1000000", 1_000_000],
  ["max-offset", "0", 0],
  ["log-level", "silent", "silent"],
  ["max-record-bytes", "65536", 65_536],
  ["max-record-bytes", "64KiB", 65_536],
  ["max-record-bytes", "16mib", 16_777_216],
  ["batch", "10000", 10_000],
  ["keys-database", "", undefined],
  [
    "keys-database",
    "postgres://u:p@h/d?pool=3",
    {
      engine: "postgres",
      given: "postgres://u:p@h/d?pool=3",
      url: "postgres://u:p@h/d",
      shown: "postgres://h/d, schema matchbook_access",
      schema: "matchbook_access",
      prepares: true,
      pool: 3,
    },
  ],
  ["redis", "", ""],
  ["redis", "redis://localhost", "redis://localhost"],
  ["redis", "rediss://u:p@h:6380/2", "rediss://u:p@h:6380/2"],
];

const REFUSED: [ValueName, ...texts: string[]][] = [
  ["data", ""],
  ["host", "a b", "http://x"],
  ["admin-port", ":9090", "localhost:x"],
  ["port", "65536", "-1", "80.5", "0x50", ""],
  ["public-url", "example.com", "ftp://example.com", "https://user:pw@example.com"],
  ["public-url", "https://example.com/?a=1", "https://example.com/#"],
  ["trusted-proxies", "10.0.0.0/33", "10.0.0.1,,::1", "proxy.local"],
  ["title-id", "a\nb"],
  ["rate", "0", "100000001"],
  ["keys-database", "sqlite:keys.db", "postgres://u:p@h", "postgres://u:p@h/d?pool=0"],
  ["redis", "localhost:6379", "http://localhost", "redis://", "redis://h/two", "redis://h?db=2"],
  ["max-record-bytes", "16MB", "5"],
];

describe("one setting", () => {
  test.each(ACCEPTED)("%s accepts %p", (name, text, value) => {
    expect(read(name, text)).toEqual({ value });
  });

  test.each(REFUSED)("%s rejects %p", (name, ...texts) => {
    for (const text of texts)
      expect([text, read(name, text)]).toMatchObject([text, { error: expect.any(String) }]);
  });
});

describe("trusted proxies", () => {
  const parsed = AddressSet.parse("10.0.0.0/8, 192.168.1.7,fd00::/8,::1");
  const set = (parsed as { value: AddressSet }).value;

  test.each(["10.1.2.3", "192.168.1.7", "fd12::5", "::1", "::ffff:10.9.9.9", "fd00::1%eth0"])(
    "%s is one of them",
    (address) => expect(set.has(address)).toBe(true),
  );

  test.each(["11.0.0.1", "192.168.1.8", "fe80::1", "", "unknown", "10.0.0.0/8"])(
    "%p is not one of them",
    (address) => expect(set.has(address)).toBe(false),
  );

  test("nobody is trusted when none is set", () => {
    const none = AddressSet.parse("") as { value: AddressSet };
    expect(none.value.has("127.0.0.1")).toBe(false);
  });
});

test.each([
  ["", ""],
  ["redis://h:6379/2", "redis://h:6379/2"],
  ["rediss://user:p@ss@h/2", "rediss://***@h/2"],
  ["user:pw@h", "***@h"],
  ["postgres://user:pw@h:5432/db?pool=3", "postgres://***@h:5432/db?pool=3"],
  ["postgres://h/db?user=u&password=secret", "postgres://h/db?user=u&password=***"],
])("the Redis or database %p is shown without user and password", (text, shown) => {
  expect(concealUser(text)).toBe(shown);
});
