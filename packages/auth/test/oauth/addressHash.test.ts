import { assert, describe, it } from "@effect/vitest"
import { addressHash } from "../../src/oauth/addressHash.ts"

describe("the network of an address", () => {
  it.each([
    ["192.0.2.1", "::ffff:192.0.2.1"],
    ["2001:db8:1:2::1", "2001:0db8:0001:0002:ffff:ffff:ffff:ffff"],
    ["2001:db8::1", "2001:db8:0:0:1::"],
    ["::1", "0:0:0:0:1:1:1:1"],
    ["fe80::1%eth0", "fe80::2"]
  ])("%s and %s are counted together", (one, other) => {
    assert.strictEqual(addressHash(one), addressHash(other))
  })

  it.each([
    ["192.0.2.1", "192.0.2.2"],
    ["2001:db8:1:2::1", "2001:db8:1:3::1"],
    ["192.0.2.1", undefined]
  ])("%s and %s are counted apart", (one, other) => {
    assert.notStrictEqual(addressHash(one), addressHash(other))
  })
})
