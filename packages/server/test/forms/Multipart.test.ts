// The quick reader of plain multipart bodies gives the fields that the full parser gives, or leaves the body to it.
import { assert, describe, it } from "@effect/vitest"
import * as Multipart from "@svc-runtime/http/forms/FormEncodings"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"

const headers = { "content-type": "multipart/form-data; boundary=q" }
const encoder = new TextEncoder()
const limit = 1024 * 1024

const fieldOf = (name: string, value: string) =>
  `--q\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const bodyOf = (fields: ReadonlyArray<readonly [string, string]>) =>
  `${fields.map(([name, value]) => fieldOf(name, value)).join("")}--q--\r\n`

/** Gives the fields of the quick reader. */
const agreed = (body: Uint8Array) => {
  const quick = Multipart.parsePlain(body, headers)
  const full = Multipart.parseAnyMultipart(body, headers, limit)
  if (quick !== undefined) assert.deepStrictEqual({ ...full }, { fields: quick, files: [] })
  return quick
}

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
  it("plain text fields are read without the full parser", () => {
    const fields = agreed(encoder.encode(bodyOf([["message", "héllo\r\nworld"], ["stream", ""], ["message", "hi"]])))
    assert.deepStrictEqual({ ...fields }, { message: "hi", stream: "" })
  })

  it.each([
    ["a file", "--q\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\nx\r\n--q--\r\n"],
    [
      "a field with a type",
      "--q\r\nContent-Disposition: form-data; name=\"f\"\r\nContent-Type: text/plain\r\n\r\nx\r\n--q--"
    ],
    ["a preamble", `before\r\n${bodyOf([["message", "hi"]])}`],
    ["text behind its end", `${bodyOf([["message", "hi"]])}after`],
    ["no end", fieldOf("message", "hi")],
    ["a part that ends before its head", "--q\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n--q--"]
  ])("a body with %s is left to the full parser", (_, body) => {
    assert.isUndefined(agreed(encoder.encode(body)))
  })

  it.effect.prop("any fields are read as the full parser reads them", [Fields], ([fields]) =>
    Effect.sync(() => {
      agreed(encoder.encode(bodyOf(fields)))
    }), { arbitrary: { runs: Tier.size(200, 5000), seed: Seed.seed } })

  it.effect.prop(
    "a body that is changed anywhere is read as the full parser reads it",
    [Fields, Schema.Array(Change).check(Schema.isMaxLength(3))],
    ([fields, changes]) =>
      Effect.sync(() => {
        const body = changes.reduce((text, [at, length, piece]) => {
          const start = at % (text.length + 1)
          return text.slice(0, start) + piece + text.slice(start + length % 8)
        }, bodyOf(fields))
        agreed(encoder.encode(body))
        agreed(Buffer.from(body, "latin1"))
      }),
    { arbitrary: { runs: Tier.size(300, 10_000), seed: Seed.seed } }
  )
})
