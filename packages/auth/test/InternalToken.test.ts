// The credential with which the service calls itself.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import { Redacted } from "effect"
import * as InternalToken from "../src/InternalToken.ts"

const secret = Redacted.make("a~secret")
const ann = Ids.UserId.make("ann~é|x")

const read = (token: string) => InternalToken.authorOf(Redacted.make(token), secret)

describe("InternalToken", () => {
  it("the author is read as it was written, and the secret alone has none", () => {
    assert.strictEqual(InternalToken.authorOf(InternalToken.of(secret, ann), secret), ann)
    assert.strictEqual(InternalToken.authorOf(InternalToken.of(secret, null), secret), null)
  })

  it("a token is refused without the whole secret, and with an author that is no user", () => {
    const author = Buffer.from("ann").toString("base64url")
    for (const token of [`secret~${author}`, `~${author}`, `a~${author}`, `a~secret${author}`, "a", ""]) {
      assert.isUndefined(read(token), token)
    }
    for (const name of ["", "a\u0000b", "a".repeat(513)]) {
      assert.isUndefined(read(`a~secret~${Buffer.from(name).toString("base64url")}`), name)
    }
  })
})
