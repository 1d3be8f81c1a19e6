// JSON responses in pieces: the same JSON as at once, and never whole in memory.
import { assert, describe, it } from "@effect/vitest"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Stream } from "effect"

Tier.oneIn(4)

const large = "😀\u0000\"\\\ud800 ".repeat(200_000)

const values: ReadonlyArray<readonly [string, object]> = [
  ["texts that are longer than a piece", { text: large, again: [large, `x${large}`] }],
  ["absent and null values", { none: undefined, null: null, list: [undefined, null, large], zero: 0, flag: false }],
  ["values with a JSON form of their own", { at: new Date(0), text: large }],
  ["names that have to be escaped, and empty containers", { "a\"b": [], [large]: {}, "": large }]
]

describe("a large JSON response", () => {
  it.each(values)("a large response has the same JSON as one that is encoded at once: %s", (_, value) => {
    const pieces = [...JsonResponse.encode(value)]
    assert.deepStrictEqual(JSON.parse(Buffer.concat(pieces).toString()), JSON.parse(JSON.stringify(value)))
  })

  it("a large response is sent in pieces of bounded size", () => {
    const longest = Math.max(...[...JsonResponse.encode({ text: "x".repeat(5_000_000) })].map(({ length }) => length))
    assert.isBelow(longest, 200_000)
  })

  it.effect("a large response counts from its first byte until it is sent or interrupted", () =>
    Effect.gen(function*() {
      let counted = 0
      const answer = JsonResponse.around(
        JsonResponse.of({ large }),
        Effect.sync(() => void counted++),
        Effect.sync(() => void counted--)
      )
      assert.strictEqual(counted, 0)
      const { body } = answer
      assert.strictEqual(body._tag, "Stream")
      if (body._tag !== "Stream") return
      const seen: Array<number> = []
      yield* Stream.runForEach(Stream.take(body.stream, 2), () => Effect.sync(() => seen.push(counted)))
      assert.deepStrictEqual(seen, [1, 1])
      assert.strictEqual(counted, 0)
    }))
})
