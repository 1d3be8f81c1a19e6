// The errors of the wire: one body for all, the tag inside and never outside.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Errors from "../src/Errors.ts"

const made = [
  [Errors.BadRequest, Errors.badRequest("d"), "BAD_REQUEST"],
  [Errors.Forbidden, Errors.forbidden("d"), "FORBIDDEN"],
  [Errors.NotFound, Errors.notFound("d"), "NOT_FOUND"],
  [Errors.RequestTimeout, Errors.requestTimeout("d"), "BAD_REQUEST"],
  [Errors.Conflict, Errors.conflict("d"), "CONFLICT"],
  [Errors.PayloadTooLarge, Errors.payloadTooLarge("d"), "PAYLOAD_TOO_LARGE"],
  [Errors.Unavailable, Errors.unavailable("d"), "SERVICE_UNAVAILABLE"]
] as const

describe("errors", () => {
  it.each(made)("%o is encoded as detail and code, and decoded to itself", (schema, error, error_code) => {
    const codec = schema as Schema.Codec<unknown, unknown>
    const encoded = Schema.encodeUnknownSync(codec)(error)
    assert.deepStrictEqual(encoded, { detail: "d", error_code })
    const decoded = Schema.decodeUnknownSync(codec)(JSON.parse(JSON.stringify(encoded)))
    assert.instanceOf(decoded, schema as unknown as new() => unknown)
    assert.strictEqual((decoded as { _tag: string })._tag, error._tag)
  })

  it("a 422 names the first field in its detail and all of them in errors", () => {
    const error = Errors.invalid([
      { loc: ["body", "summary", "topics", 1], msg: "Input should be a valid string", type: "string_type" },
      { loc: ["query", "limit"], msg: "Field required", type: "missing" }
    ])
    assert.strictEqual(error.detail, "body.summary.topics.1: Input should be a valid string")
    const encoded = Schema.encodeUnknownSync(Errors.Invalid as Schema.Codec<unknown, unknown>)(error)
    assert.deepStrictEqual(encoded, { detail: error.detail, error_code: "VALIDATION_ERROR", errors: error.errors })
  })

  it("a 422 about nothing in particular still says something", () => {
    assert.strictEqual(Errors.invalid([]).detail, "The request is not valid")
  })
})
