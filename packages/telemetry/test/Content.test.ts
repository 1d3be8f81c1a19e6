import { assert, describe, it } from "@effect/vitest"
import * as Content from "../src/Content.ts"

describe("Content", () => {
  it("a value that cannot be read does not fail the span", () => {
    const throwing = {
      toJSON: () => {
        throw new Error("no")
      }
    }
    const getter = {
      get secret(): string {
        throw new Error("no")
      }
    }
    assert.strictEqual(Content.textOf(throwing), "\"[unreadable]\"")
    assert.strictEqual(
      Content.textOf({ a: 1, b: throwing, c: getter }),
      "{\"a\":1,\"b\":\"[unreadable]\",\"c\":{\"secret\":\"[unreadable]\"}}"
    )
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    assert.strictEqual(Content.textOf(revoked.proxy), "\"[unreadable]\"")
  })

  it("no part of a credential is left where a value is cut", () => {
    const token = `eyJ${"a".repeat(40)}.${"b".repeat(40)}.${"c".repeat(40)}`
    for (const kept of [10, 60, 100]) {
      const text = `${"x ".repeat(8192).slice(0, 16_384 - kept - 1)} ${token} more`
      for (const value of [text, { text }, [text]]) {
        const shown = Content.attributesOf("input", value)["input.value"] ?? ""
        assert.notInclude(shown, "eyJ")
        assert.include(shown, "x x x")
        assert.isAtMost(shown.length, 16_384)
      }
    }
  })

  it("bytes are shown by their number", () => {
    assert.strictEqual(Content.textOf(new Uint8Array(5_000_000)), "\"[5000000 bytes]\"")
    assert.strictEqual(Content.textOf({ file: Buffer.from("abc") }), "{\"file\":\"[3 bytes]\"}")
    assert.strictEqual(Content.textOf(new ArrayBuffer(7)), "\"[7 bytes]\"")
  })

  it("only as many entries of a large object are read as are shown", () => {
    let read = 0
    const large = new Proxy({}, {
      ownKeys: () => Array.from({ length: 100_000 }, (_, index) => `key${index}`),
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      get: (_, name) => {
        if (typeof name === "string" && name.startsWith("key")) read++
        return 1
      }
    })
    assert.isBelow(Content.textOf(large).length, 16_385)
    assert.isBelow(read, 10_000)
  })
})
