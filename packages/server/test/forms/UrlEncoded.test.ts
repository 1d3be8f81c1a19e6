import { assert, describe, it } from "@effect/vitest"
import * as UrlEncoded from "@svc-runtime/http/forms/FormEncodings"
import { Effect, Fiber } from "effect"

const parse = (text: string) => UrlEncoded.parsePairs(Buffer.from(text))

describe("a url-encoded form", () => {
  it.effect.each<readonly [string, ReadonlyArray<readonly [string, string]>]>([
    ["message=Größe+100%25+%F0%9F%98%80 😀", [["message", "Größe 100% 😀 😀"]]],
    ["?a=1&a=2&&b&=c&d=e=f", [["?a", "1"], ["a", "2"], ["b", ""], ["", "c"], ["d", "e=f"]]],
    ["a=%zz%4&c=%00", [["a", "%zz%4"], ["c", "\0"]]],
    ["", []]
  ])("the form %s has the fields %j", ([text, fields]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* parse(text), fields)
    }))

  it.effect("other work has its turn while a large form is read, and no escape is cut", () =>
    Effect.gen(function*() {
      let turns = 0
      const other = yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.yieldNow, Effect.sync(() => turns++))))
      const pairs = yield* parse(`message=${"%41".repeat(1024 * 1024)}`)
      yield* Fiber.interrupt(other)
      assert.isTrue(pairs[0]?.[1] === "A".repeat(1024 * 1024))
      assert.isAtLeast(turns, 4)
    }))
})
