// Forms are decoded with the schema of the fields that they have. The result is that of the whole schema.
import { assert, describe, it } from "@effect/vitest"
import { FlagText, IntText } from "@svc-runtime/api"
import { decodeGiven } from "@svc-runtime/http/forms/FormFields"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"

const names = Array.from({ length: 9 }, (_, index) => `field${index}`)

const Fields = Schema.Struct({
  message: Schema.String,
  version: Schema.optionalKey(IntText),
  ...Object.fromEntries(names.map((name) => [name, Schema.optionalKey(FlagText)]))
})

const decode = decodeGiven(Fields, ["message"])
const decodeWhole = Schema.decodeUnknownEffect(Fields, { errors: "all" })

const Name = Schema.Literals(["message", "version", "unknown", "__proto__", ...names])
const Given = Schema.Array(Schema.Tuple([Name, Schema.Literals(["true", "no", "7", "x", ""])])).check(
  Schema.isMaxLength(12)
)

const outcome = <A>(decoded: Effect.Effect<A, Schema.SchemaError>) =>
  Effect.match(decoded, { onFailure: ({ message }): unknown => message, onSuccess: (value): unknown => value })

describe("FormFields", () => {
  // there are more sets of fields than kept decoders
  it.effect.prop("any set of fields is decoded as by the whole schema", [Given], ([pairs]) =>
    Effect.gen(function*() {
      const given: Record<string, string> = Object.fromEntries(pairs)
      assert.deepStrictEqual(yield* outcome(decode(given)), yield* outcome(decodeWhole(given)))
    }), { arbitrary: { runs: Tier.size(100, 5000), seed: Seed.seed } })
})
