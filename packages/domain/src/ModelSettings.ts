// Settings of requests to a model that are stored with runs and that requests may choose. Headers and options of one
// provider are not among them: they can have secrets, and only authors set them.
import { Schema } from "effect"
import { exact } from "./Ids.ts"

const within = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))

/** Beyond 2 ** 31 providers refuse a whole number. */
const whole = (minimum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum: 2 ** 31 - 1 }))

const stopSequence = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(256), exact)

export const ReasoningEffort = Schema.Literals(["none", "minimal", "low", "medium", "high", "xhigh", "max"])

export const ModelSettings = Schema.Struct({
  temperature: Schema.optionalKey(within(0, 2)),
  max_output_tokens: Schema.optionalKey(whole(1)),
  top_p: Schema.optionalKey(within(0, 1)),
  top_k: Schema.optionalKey(whole(1)),
  presence_penalty: Schema.optionalKey(within(-2, 2)),
  frequency_penalty: Schema.optionalKey(within(-2, 2)),
  seed: Schema.optionalKey(whole(0)),
  stop_sequences: Schema.optionalKey(Schema.Array(stopSequence).check(Schema.isMaxLength(16))),
  reasoning_effort: Schema.optionalKey(ReasoningEffort)
}).annotate({ identifier: "ModelSettings" })
export type ModelSettings = typeof ModelSettings.Type

export type Name = keyof ModelSettings

export const names = Object.keys(ModelSettings.fields) as ReadonlyArray<Name>

export const Name = Schema.Literals(names)
