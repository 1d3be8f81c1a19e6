import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { checkUrl } from "../src/checkUrl.ts"
import * as FetchPolicy from "../src/FetchPolicy.ts"

const refusalOf = (url: string, options: FetchPolicy.PolicyOptions = {}) =>
  Effect.runSync(Effect.result(checkUrl(url, FetchPolicy.make(options)))).pipe(
    Result.match({ onFailure: ({ reason }) => reason, onSuccess: () => "allowed" })
  )

describe("addresses that are not of the public internet", () => {
  it.each([
    // this machine
    "127.0.0.1",
    "127.1",
    "127.0.0.1.",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.255.255.254",
    "0",
    "0.0.0.0",
    "0.1.2.3",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "１２７.０.０.１",
    "①②⑦.⓪.⓪.①",
    // private networks
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "100.64.0.1",
    "[fc00::1]",
    "[fd12:3456::1]",
    "[fec0::1]",
    "[::ffff:10.0.0.1]",
    // link-local, with the addresses where clouds give secrets to their machines
    "169.254.169.254",
    "0xa9fea9fe",
    "[fe80::1]",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
    // addresses of clouds that are not link-local
    "168.63.129.16",
    "0xa83f8110",
    "[::ffff:168.63.129.16]",
    "192.0.0.192",
    "100.100.100.200",
    // translations of addresses of IPv4
    "[64:ff9b::7f00:1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::]",
    "[2001::1]",
    "[2001:0:7f00:1::]",
    // reserved
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "[ff02::1]",
    "[100::1]",
    "[2001:db8::1]",
    "[2001:10::1]",
    "[5f00::1]",
    "[4000::1]"
  ])("the address %s is refused", (host) => {
    assert.strictEqual(refusalOf(`http://${host}/`), "address")
  })

  it.each([
    "93.184.215.14",
    "8.8.8.8",
    "1.1.1.1",
    "[2606:4700:4700::1111]",
    "172.32.0.1",
    "100.128.0.1",
    "[::ffff:8.8.8.8]"
  ])(
    "the public address %s is allowed",
    (host) => {
      assert.strictEqual(refusalOf(`https://${host}/`), "allowed")
    }
  )
})

describe("addresses", () => {
  it.each([
    ["ftp://example.org/", "url"],
    ["file:///etc/passwd", "url"],
    ["gopher://example.org/", "url"],
    ["data:text/plain,text", "url"],
    ["javascript:alert(1)", "url"],
    ["//example.org/", "format"],
    ["example.org", "format"],
    ["", "format"],
    ["http://", "format"],
    ["http://user@example.org/", "url"],
    ["http://user:password@example.org/", "url"],
    ["http://[fe80::1%25eth0]/", "format"],
    [`http://example.org/${"x".repeat(5000)}`, "format"],
    ["http://example.org:22/", "port"],
    ["http://example.org:8080/", "port"],
    ["http://127.0.0.1:8080/", "address"],
    ["http://localhost/", "address"],
    ["http://a.LocalHost.:8080/", "address"],
    ["http://localhost.example/", "allowed"],
    ["https://example.org:80/", "allowed"],
    ["http://example.org/path?query#fragment", "allowed"],
    ["HTTPS://EXAMPLE.ORG", "allowed"]
  ])("the address %s is %s by default", (url, expected) => {
    assert.strictEqual(refusalOf(url), expected)
  })

  it.each([
    ["http://127.0.0.1:8080/", { allowPrivate: true }, "allowed"],
    ["http://[::1]/", { allowPrivate: true }, "allowed"],
    ["http://localhost:8080/", { allowPrivate: true }, "allowed"],
    ["http://localhost:8080/", { allow: ["localhost:8080"] }, "allowed"],
    ["http://localhost/", { allow: ["127.0.0.1"] }, "allowed"],
    ["http://192.168.1.1/", { allowPrivate: true }, "allowed"],
    ["http://169.254.169.254/", { allowPrivate: true }, "address"],
    ["http://[fe80::1]/", { allowPrivate: true }, "address"],
    ["http://168.63.129.16/", { allowPrivate: true }, "address"],
    ["http://100.100.100.200/", { allowPrivate: true }, "address"],
    ["http://192.0.0.192/", { allowPrivate: true }, "address"],
    ["http://[fd00:ec2::254]/", { allowPrivate: true }, "address"],
    ["http://[fd20:ce::254]/", { allowPrivate: true }, "address"],
    ["http://168.63.129.16/", { allow: ["168.63.129.16"] }, "allowed"],
    ["http://169.254.169.254/", { allow: ["169.254.169.254"] }, "allowed"],
    ["http://10.1.2.3:9000/", { allow: ["10.1.0.0/16"] }, "allowed"],
    ["http://10.2.2.3/", { allow: ["10.1.0.0/16"] }, "address"],
    ["http://[::ffff:10.1.2.3]/", { allow: ["10.1.0.0/16"] }, "allowed"],
    ["http://[fd00::1]/", { allow: ["fd00::/8"] }, "allowed"],
    ["http://8.8.8.8:9000/", { allow: ["10.1.0.0/16"] }, "port"],
    ["http://intra.example:9000/", { allow: ["intra.example"] }, "allowed"],
    ["http://INTRA.example.:9000/", { allow: ["Intra.Example"] }, "allowed"],
    ["http://intra.example:9000/", { allow: ["intra.example:8000"] }, "port"],
    ["http://a.intra.example:9000/", { allow: ["*.intra.example"] }, "allowed"],
    ["http://intra.example:9000/", { allow: ["*.intra.example"] }, "port"],
    ["http://evilintra.example:9000/", { allow: ["*.intra.example"] }, "port"]
  ])("the address %s with the options %j is %s", (url, options, expected) => {
    assert.strictEqual(refusalOf(url, options), expected)
  })

  it.each(["intra.example", "*.example", "intra:8443", "10.0.0.0/8", "10.0.0.1", "::1", "[::1]", "fd00::/8"])(
    "the entry %s is understood",
    (entry) => {
      assert.isUndefined(FetchPolicy.entryProblem(entry))
    }
  )

  it.each(["http://intra.example", "10.0.0.0/99", "a b", "*", "intra.*.example", ""])(
    "the entry %j is refused",
    (entry) => {
      assert.include(FetchPolicy.entryProblem(entry), "is no host, no address and no network")
    }
  )
})
