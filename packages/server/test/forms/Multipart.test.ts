// The quick reader of plain multipart bodies gives the fields that the full parser gives, or leaves the body to it.
import { assert, describe, it } from "@effect/vitest"
import * as Multipart from "@svc-runtime/http/forms/FormEncodings"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber, Result, Schema } from "effect"

const headers = { "content-type": "multipart/form-data; boundary=q" }
const encoder = new TextEncoder()
const limit = 1024 * 1024

const fieldOf = (name: string, value: string) =>
  `--q\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const bodyOf = (fields: ReadonlyArray<readonly [string, string]>) =>
  `${fields.map(([name, value]) => fieldOf(name, value)).join("")}--q--\r\n`

/** Gives the fields of the quick reader. */
const agreed = Effect.fnUntraced(function*(body: Uint8Array) {
  const quick = Multipart.parsePlain(body, headers)
  const full = yield* Effect.result(Multipart.parseAnyMultipart(body, headers, limit))
  if (quick !== undefined) {
    assert.deepStrictEqual(Result.isSuccess(full) ? { ...full.success } : full, { fields: quick, files: [] })
  }
  return quick
})

const Value = Schema.Union([
  Schema.String,
  Schema.Literals(["", "hi", "\r\n", "--q", "\r\n--", "\r\n--q", "\u{feff}é", "\u0000", "💥"])
])
const Name = Schema.Union([Schema.Literals(["message", "stream", "__proto__", "a b", ""]), Schema.String])
const Fields = Schema.Array(Schema.Tuple([Name, Value])).check(Schema.isMaxLength(4))

/** What a piece of a body is replaced by. */
const Piece = Schema.Literals([
  "",
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  "-",
  "--",
  "q",
  "\"",
  "\\",
  ":",
  "--q",
  "--q--",
  "é"
])
const Change = Schema.Tuple([Schema.Natural, Schema.Natural, Piece])

describe("Multipart", () => {
  it.effect("plain text fields are read without the full parser", () =>
    Effect.gen(function*() {
      const body = bodyOf([["message", "héllo\r\nworld"], ["stream", ""], ["message", "hi"]])
      assert.deepStrictEqual({ ...yield* agreed(encoder.encode(body)) }, { message: "hi", stream: "" })
    }))

  it.effect.each([
    ["a file", "--q\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\nx\r\n--q--\r\n"],
    [
      "a field with a type",
      "--q\r\nContent-Disposition: form-data; name=\"f\"\r\nContent-Type: text/plain\r\n\r\nx\r\n--q--"
    ],
    ["a preamble", `before\r\n${bodyOf([["message", "hi"]])}`],
    ["text behind its end", `${bodyOf([["message", "hi"]])}after`],
    ["no end", fieldOf("message", "hi")],
    ["a part that ends before its head", "--q\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n--q--"]
  ])("a body with %s is left to the full parser", ([, body]) =>
    Effect.gen(function*() {
      assert.isUndefined(yield* agreed(encoder.encode(body)))
    }))

  it.effect.prop(
    "any fields are read as the full parser reads them",
    [Fields],
    ([fields]) => agreed(encoder.encode(bodyOf(fields))),
    { arbitrary: { runs: Tier.size(200, 5000), seed: Seed.seed } }
  )

  it.effect.prop(
    "a body that is changed anywhere is read as the full parser reads it",
    [Fields, Schema.Array(Change).check(Schema.isMaxLength(3))],
    ([fields, changes]) =>
      Effect.gen(function*() {
        const body = changes.reduce((text, [at, length, piece]) => {
          const start = at % (text.length + 1)
          return text.slice(0, start) + piece + text.slice(start + length % 8)
        }, bodyOf(fields))
        yield* agreed(encoder.encode(body))
        yield* agreed(Buffer.from(body, "latin1"))
      }),
    { arbitrary: { runs: Tier.size(300, 10_000), seed: Seed.seed } }
  )

  it.effect("a form of any length is read in slices, and its parts have the bytes that were sent", () =>
    Effect.gen(function*() {
      const { bytes, text } = { bytes: Buffer.alloc(300_000, "\r\n--\r"), text: "\r\n-".repeat(100_000) }
      for (let shift = 0; shift < 12; shift++) {
        const body = Buffer.concat([
          encoder.encode(fieldOf("first", "x".repeat(261_960 + 10 * shift))),
          encoder.encode("--q\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\n"),
          bytes,
          encoder.encode(`\r\n${fieldOf("text", text)}--q--\r\n`)
        ])
        const { fields, files } = yield* Multipart.parseAnyMultipart(body, headers, limit)
        assert.strictEqual(fields["text"], text)
        assert.isTrue(Buffer.from(files[0]?.bytes ?? []).equals(bytes))
      }
    }))

  it.effect("a delimiter counts wherever the piece ends in which it is read", () =>
    Effect.gen(function*() {
      const [head, mostDelimiters] = [fieldOf("first", "").length - 2, 1001]
      for (let shift = -6; shift <= 0; shift++) {
        // the end of the form begins here, in the first piece or the second
        const value = "x".repeat(256 * 1024 + shift - head)
        const body = encoder.encode(`${fieldOf("first", value)}--q--${"\r\n--q".repeat(mostDelimiters)}`)
        const error = yield* Effect.flip(Multipart.parseAnyMultipart(body, headers, limit))
        assert.include(error.detail, "too many parts", `${shift}`)
      }
    }))

  it.effect("other work has its turn while a large form is read", () =>
    Effect.gen(function*() {
      let turns = 0
      const other = yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.yieldNow, Effect.sync(() => turns++))))
      yield* Multipart.parseAnyMultipart(
        encoder.encode(bodyOf([["message", "x".repeat(8 * limit)]])),
        headers,
        9 * limit
      )
      yield* Fiber.interrupt(other)
      assert.isAtLeast(turns, 4)
    }))

  it.effect.each([
    ["delimiters without parts", "\r\n--q"],
    ["delimiters in a row", "--q\r\n"],
    ["delimiters behind its end", `${fieldOf("message", "hi")}--q--\r\n${"\r\n--qx".repeat(1000)}`]
  ])("the rest of a refused body is not searched: %s", ([, piece]) =>
    Effect.gen(function*() {
      const body = Buffer.alloc(4 * limit, piece)
      const indexOf = Buffer.prototype.indexOf
      let searches = 0
      Buffer.prototype.indexOf = function(this: Buffer, ...given: Parameters<Buffer["indexOf"]>) {
        searches++
        return Reflect.apply(indexOf, this, given)
      }
      yield* Effect.ensuring(
        Effect.flip(Multipart.parseAnyMultipart(body, headers, 9 * limit)),
        Effect.sync(() => void (Buffer.prototype.indexOf = indexOf))
      )
      assert.isAtMost(searches, 100_000)
    }))
})
