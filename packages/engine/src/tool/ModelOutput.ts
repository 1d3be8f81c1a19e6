// What `toModelOutput` of a tool of the AI SDK returns: a text for the model, and media.
import { Data, Effect, Option, Predicate, Schema } from "effect"
import * as MediaResult from "./MediaResult.ts"

/** The tool says that it has failed. */
class OutputFailed extends Data.TaggedError("OutputFailed")<{ readonly message: string }> {}

const text = Schema.optionalKey(Schema.String)

/** Its form depends on the version of the AI SDK. */
const Part = Schema.Struct({ type: Schema.String, text, mediaType: text, data: Schema.optionalKey(Schema.Unknown) })

const Output = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["text", "error-text"]), value: Schema.String }),
  Schema.Struct({ type: Schema.Literals(["json", "error-json"]), value: Schema.Json }),
  Schema.Struct({ type: Schema.Literal("content"), value: Schema.Array(Part) }),
  Schema.Struct({ type: Schema.Literal("execution-denied"), reason: text })
])

const decode = Schema.decodeUnknownOption(Output)

const partOf = ({ mediaType, text, type }: typeof Part.Type): string => text ?? `[${mediaType ?? type}]`

const mediumOf = ({ data, mediaType }: typeof Part.Type) => {
  const given = Predicate.hasProperty(data, "data") ? data.data : data
  return { data: Predicate.isString(given) ? given : undefined, mediaType }
}

const failed = (message: string) => Effect.fail(new OutputFailed({ message }))

export const read = (given: unknown): Effect.Effect<unknown, OutputFailed> => {
  const output = Option.getOrUndefined(decode(given))
  switch (output?.type) {
    case "text":
    case "json":
      return Effect.succeed(output.value)
    case "content":
      return Effect.succeed(MediaResult.ofBase64(output.value.map(partOf).join("\n"), output.value.map(mediumOf)))
    case "error-text":
      return failed(output.value)
    case "error-json":
      return failed(JSON.stringify(output.value))
    case "execution-denied":
      return failed(output.reason ?? "The execution was denied")
    default:
      return failed("The tool has run, but its toModelOutput returned nothing that is known")
  }
}
