// What the wires have in common when they decode the parameters of a request. Names may be written as in JSON
// (`messageId`) or as in Protocol Buffers (`message_id`). Null counts as absent, as in the JSON of Protocol Buffers.
import { IdInput } from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import { fromSchemaError } from "@svc-runtime/domain/schema/ValidationProblems"
import { Result, Schema } from "effect"
import * as A2aError from "./A2aError.ts"
import type { PushConfig } from "./Operation.ts"

export type Decoded<A> = Result.Result<A, A2aError.A2aError>

const toCamel = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The keys of one object; its values stay as they are. An empty text counts as absent, too. */
export const named = (value: Json.Value | undefined): Json.Object => {
  if (!Json.isObject(value)) return {}
  const fields: Record<string, Json.Value> = {}
  for (const [key, field] of Object.entries(value)) {
    if (field !== null && field !== "") fields[toCamel(key)] = field
  }
  return fields
}

export const invalid = (message: string) => Result.fail(A2aError.make("INVALID_PARAMS", message))

/** Decodes an object whose keys are `named`. */
export const decoder = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (value: unknown, at: string): Decoded<A> =>
    Result.mapError(decode(value), (error) => {
      const problems = fromSchemaError(at, error)
      const [first] = problems
      return A2aError.make(
        "INVALID_PARAMS",
        first === undefined ? "Invalid parameters" : `Invalid parameters: ${first.loc.join(".")}: ${first.msg}`
      )
    })
}

export const HistoryLength = Schema.optionalKey(
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(0), Schema.isLessThanOrEqualTo(2 ** 31 - 1))
)

/** Ids that are stored with the run. */
export const ShortText = IdInput

/** Of a header. */
const HeaderText = (maximum: number) =>
  Schema.String.check(Schema.isMaxLength(maximum), Schema.isPattern(/^[\x20-\x7e]*$/))

/** A reader of addresses leaves out some of the characters that are refused here. */
export const Url = Schema.String.check(
  Schema.isMaxLength(2048),
  Schema.makeFilter((text: string) => text.isWellFormed() && !/[\p{Cc}\s]/u.test(text), {
    message: "Input should not contain control characters or spaces"
  })
)

const Push10 = Schema.Struct({
  id: Schema.optionalKey(ShortText),
  url: Url,
  token: Schema.optionalKey(HeaderText(512)),
  authentication: Schema.optionalKey(Schema.Struct({
    scheme: HeaderText(64),
    credentials: Schema.optionalKey(HeaderText(4096))
  }))
})

const Push03 = Schema.Struct({
  id: Schema.optionalKey(ShortText),
  url: Url,
  token: Schema.optionalKey(HeaderText(512)),
  authentication: Schema.optionalKey(Schema.Struct({
    schemes: Schema.Array(HeaderText(64)),
    credentials: Schema.optionalKey(HeaderText(4096))
  }))
})

const decodePush10 = decoder(Push10)
const decodePush03 = decoder(Push03)

const withAuthentication = (value: Json.Value | undefined) => {
  const fields = named(value)
  return fields["authentication"] === undefined
    ? fields
    : { ...fields, authentication: named(fields["authentication"]) }
}

export const push10 = (value: Json.Value | undefined, at: string): Decoded<PushConfig> =>
  decodePush10(withAuthentication(value), at)

/** Of several schemes the first one counts. */
export const push03 = (value: Json.Value | undefined, at: string): Decoded<PushConfig> =>
  Result.map(decodePush03(withAuthentication(value), at), ({ authentication, ...config }) => {
    const [scheme] = authentication?.schemes ?? []
    return scheme === undefined ? config : { ...config, authentication: { ...authentication, scheme } }
  })
