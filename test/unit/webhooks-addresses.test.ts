/** Webhooks go to public addresses only. */

import { expect, test } from "bun:test";
import { isPublicAddress } from "../../src/features/webhooks/addresses.ts";
import { parseHookUrl, resolveHookUrl } from "../../src/features/webhooks/allowed-url.ts";

const NOT_PUBLIC: Record<string, string> = {
  unspecified: "0.0.0.0 0.1.2.3 ::",
  private: "10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1",
  "carrier-grade NAT": "100.64.0.1 100.127.255.255",
  "metadata of clouds": "100.100.100.200 168.63.129.16 169.254.169.254 192.0.0.192 fd00:ec2::254",
  loopback: "127.0.0.1 127.255.255.254 ::1",
  documentation: "192.0.2.1 198.51.100.7 203.0.113.7 2001:db8::1 3fff::1",
  benchmarks: "198.18.0.1",
  multicast: "224.0.0.1 239.255.255.255 ff02::1",
  reserved: "240.0.0.1 255.255.255.255 100::1 4000::1",
  "IPv4-compatible": "::7f00:1 ::127.0.0.1",
  mapped: "::ffff:127.0.0.1 ::ffff:7f00:1 0:0:0:0:0:ffff:10.0.0.1 ::ffff:169.254.169.254",
  NAT64: "64:ff9b::10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1",
  "unique local": "fc00::1",
  "link-local": "fe80::1 fe80::1%eth0",
  "with a zone": "2606:4700::1%eth0",
  "site-local": "fec0::1",
  tunnels: "2001::1 2002:7f00:1::",
  "not an address": "localhost",
};

test.each([
  ...Object.entries(NOT_PUBLIC).flatMap(([what, all]) => all.split(" ").map((one) => [one, what])),
  ["", "not an address"],
])("%s is not public: %s", (address) => {
  expect(isPublicAddress(address!)).toBe(false);
});

test.each([
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.1",
  "100.63.255.255",
  "100.128.0.1",
  "126.255.255.255",
  "128.0.0.1",
  "168.63.129.15",
  "172.15.255.255",
  "172.32.0.1",
  "192.167.255.255",
  "198.20.0.1",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450::1",
  "2001:4860:4860::8888",
  "::ffff:1.1.1.1",
  "::ffff:101:101",
  "64:ff9b::1.1.1.1",
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f.1/",
  "https://0177.0.0.1/",
  "https://[::1]/",
  "https://[::ffff:10.0.0.1]:8443/",
  "https://localhost/",
  "http://1.1.1.1/",
])("%s is not resolved, unless private addresses are allowed", async (text) => {
  const reason = text.startsWith("http:") ? "must be https" : "is not a public address";
  await expect(resolveHookUrl(new URL(text), false)).rejects.toThrow(reason);
  expect(await resolveHookUrl(new URL(text), true)).not.toEqual([]);
});

test.each([
  ["https://foo.localhost/", "foo.localhost is not a public address"],
  ["https://LOCALHOST./", "localhost. is not a public address"],
  ["https://1.1.1.1:22/", "port 22 is not allowed"],
  ["https://1.1.1.1:80/", "port 80 is not allowed"],
  ["https://1.1.1.1:1023/", "port 1023 is not allowed"],
])("%s is not resolved: %s", async (text, reason) => {
  await expect(resolveHookUrl(new URL(text), false)).rejects.toThrow(reason);
});

test.each(["https://1.1.1.1:443/", "https://1.1.1.1:1024/", "https://1.1.1.1:8443/"])(
  "%s is allowed",
  async (text) => {
    expect(await resolveHookUrl(new URL(text), false)).toEqual([{ address: "1.1.1.1", family: 4 }]);
  },
);

test("with private addresses, every port is allowed", async () => {
  expect(await resolveHookUrl(new URL("http://127.0.0.1:22/"), true)).toEqual([
    { address: "127.0.0.1", family: 4 },
  ]);
});

test.each([
  "http://example.com/",
  "ftp://example.com/",
  "https://user@example.com/",
  "https://:secret@example.com/",
  "https://example.com/#part",
  "example.com",
  "",
  `https://example.com/${"a".repeat(2048)}`,
])("%s is not accepted as the URL of a hook", (text) => {
  expect(parseHookUrl(text, false)).toHaveProperty("error");
});
