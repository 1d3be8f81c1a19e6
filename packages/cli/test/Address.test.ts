import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import { Option } from "effect"
import { isLoopback, isMalformed, keyOf, serviceOfMcp, trimmed } from "../src/discovery/Address.ts"

describe("Address", () => {
  it("the addresses of this machine are localhost, 127.0.0.0/8, ::1, and the unspecified addresses", () => {
    for (const host of ["localhost", "LOCALHOST", "127.0.0.1", "127.8.9.10", "[::1]", "0.0.0.0", "[::]"]) {
      assert.isTrue(isLoopback(`http://${host}:7777`), host)
    }
    for (const host of ["10.0.0.1", "192.168.1.1", "a.localhost", "127.0.0.1.example.com", "example.com", "[::2]"]) {
      assert.isFalse(isLoopback(`http://${host}:7777`), host)
    }
    assert.isFalse(isLoopback("localhost:7777"))
  })

  it("two spellings of one address are equal, and two paths on one host differ", () => {
    assert.strictEqual(keyOf("http://localhost:7777"), keyOf("http://127.0.0.1:7777/"))
    assert.strictEqual(keyOf("http://[::1]:7777"), keyOf("http://LOCALHOST:7777"))
    assert.strictEqual(keyOf("https://a.example"), keyOf("https://A.example:443"))
    assert.notStrictEqual(keyOf("http://a.example"), keyOf("https://a.example"))
    assert.notStrictEqual(keyOf("http://a.example:1"), keyOf("http://a.example:2"))
    assert.notStrictEqual(keyOf("http://a.example/one"), keyOf("http://a.example/two"))
    assert.strictEqual(keyOf("http://a:99999"), "http://a:99999")
  })

  it("a text is an address only when it has the form of one", () => {
    assert.isTrue(isMalformed("http://localhost:99999"))
    assert.isTrue(isMalformed("https://[::1"))
    assert.isFalse(isMalformed("localhost:7777"))
    assert.isFalse(isMalformed("ftp://localhost:99999"))
    assert.isFalse(isMalformed("http://localhost:7777"))
  })

  it("slashes are trimmed in time that grows with the text", () => {
    assert.strictEqual(trimmed("https://a.example//b//"), "https://a.example//b")
    assertLinear(2000, (length) => void trimmed(`${"/".repeat(length)}x`))
  })

  it("the service of an MCP address is found, without query and fragment", () => {
    const service = (url: string) => Option.getOrUndefined(serviceOfMcp(url))
    assert.strictEqual(service("https://h:8443/team1/mcp"), "https://h:8443/team1")
    assert.strictEqual(service("http://h/mcp/?a=b#c"), "http://h")
    assert.strictEqual(service("https://h/other"), undefined)
    assert.strictEqual(service("h/mcp"), undefined)
  })

  it("all slashes at the end of an address are dropped", () => assert.strictEqual(trimmed("http://a///"), "http://a"))
})
