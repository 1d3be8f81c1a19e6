import { assert, describe, it } from "@effect/vitest"
import { generateKeyPairSync, sign } from "node:crypto"
import type { Delivery } from "../../src/Adapter.ts"
import { ChannelError } from "../../src/ChannelError.ts"
import { publicKeyOf, requireSigned } from "../../src/discord/DiscordSignature.ts"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const hex = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex")
const key = publicKeyOf(hex)
const seconds = 1_800_000_000

const signed = (body: string, time: string, change: Partial<Delivery> = {}): Delivery => ({
  method: "POST",
  url: "https://svc.example.com/channels/discord/events",
  headers: {
    "x-signature-timestamp": time,
    "x-signature-ed25519": sign(null, Buffer.from(`${time}${body}`), privateKey).toString("hex")
  },
  body: new TextEncoder().encode(body),
  at: seconds * 1000,
  ...change
})

const reasonOf = (delivery: Delivery): string | undefined => {
  try {
    requireSigned(delivery, key)
    return undefined
  } catch (error) {
    return error instanceof ChannelError ? error.reason : String(error)
  }
}

describe("signatures of Discord", () => {
  it("a request that was signed with the key of the application is accepted", () => {
    assert.isUndefined(reasonOf(signed("{}", String(seconds))))
  })

  it("another body, another time, no signature and one of another form are forged", () => {
    const delivery = signed("{}", String(seconds))
    const { headers } = delivery
    assert.strictEqual(reasonOf({ ...delivery, body: new TextEncoder().encode("{ }") }), "forged")
    assert.strictEqual(
      reasonOf({ ...delivery, headers: { ...headers, "x-signature-timestamp": "1800000001" } }),
      "forged"
    )
    assert.strictEqual(reasonOf({ ...delivery, headers: {} }), "forged")
    for (const signature of ["00", "x".repeat(128), "0".repeat(128)]) {
      assert.strictEqual(reasonOf({ ...delivery, headers: { ...headers, "x-signature-ed25519": signature } }), "forged")
    }
  })

  it("a request that was signed more than five minutes ago is forged", () => {
    assert.isUndefined(reasonOf(signed("{}", String(seconds - 300))))
    assert.strictEqual(reasonOf(signed("{}", String(seconds - 301))), "forged")
  })
})
