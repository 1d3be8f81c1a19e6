// Tokens of service accounts, with vectors that were computed elsewhere.
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as AccountToken from "../src/AccountToken.ts"

const counting = Uint8Array.from({ length: 32 }, (_, index) => index)
const token = Redacted.make("svc_pat_3aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf")

describe("An account token", () => {
  it.each<readonly [string, Uint8Array, string]>([
    ["none", new Uint8Array(32), "0"],
    ["the least", Uint8Array.of(...new Uint8Array(31), 1), "1"],
    ["some", counting, "3aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf"],
    ["the most", new Uint8Array(32).fill(255), "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1"]
  ])("32 bytes are written as one number, unpadded: %s", (_, bytes, text) => {
    assert.strictEqual(AccountToken.base62(bytes), text)
  })

  it("a token is stored as the SHA-256 of its whole text, prefix included", () => {
    assert.strictEqual(
      AccountToken.hash(token),
      "68cd7ed190c3b0a388b2d9bfe01ddc96f79e6095cacc0ca212132b36a49162de"
    )
  })

  it("a token is shown by its first 16 characters", () => {
    assert.strictEqual(AccountToken.shown(token), "svc_pat_3aUlTJC7")
  })

  it.each([
    ["svc_pat_x", true],
    ["svc_pat_", true],
    ["svc_pat", false],
    ["SVC_PAT_x", false],
    [" svc_pat_x", false],
    ["eyJhbGciOiJSUzI1NiJ9.e30.x", false],
    ["", false]
  ])("an account token is distinguished from other credentials by its prefix: %j", (text, expected) => {
    assert.strictEqual(AccountToken.isAccountToken(Redacted.make(text)), expected)
  })
})
