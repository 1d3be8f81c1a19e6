// Settings of requests to a model that are stored with runs and that requests may choose. Headers and options of one
// provider are not among them: they can have secrets, and only authors set them.
import { Schema } from "effect"

const within = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))

/** Beyond 2 ** 31 providers refuse a whole number. */
const whole = (minimum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum: 2 ** 31 - 1 }))

const stopSequence = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(256))

export const ReasoningEffort = Schema.Literals(["none", "minimal", "low", "medium", "high", "xhigh", "max"])

export const fields = {
  temperature: within(0, 2),
  max_output_tokens: whole(1),
  top_p: within(0, 1),
  top_k: whole(1),
  presence_penalty: within(-2, 2),
  frequency_penalty: within(-2, 2),
  seed: whole(0),
  stop_sequences: Schema.Array(stopSequence).check(Schema.isMaxLength(16)),
  reasoning_effort: ReasoningEffort
}

type Fields = { readonly [Name in keyof typeof fields]: Schema.optionalKey<(typeof fields)[Name]> }

export const ModelSettings = Schema.Struct(
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Schema.optionalKey(schema as Schema.Top)])
  ) as unknown as Fields
).annotate({ identifier: "ModelSettings" })
export type ModelSettings = typeof ModelSettings.Type

export type Name = keyof ModelSettings

export const names = Object.keys(fields) as ReadonlyArray<Name>

export const Name = Schema.Literals(names)
