// What an MCP server needs in the middle of a call (`input_required` of the revision 2026-07-28): the call is sent
// again with the responses, and with the state that the server gave. A question to the user pauses the run. Nothing
// waits for it meanwhile, neither here nor at the server.
import * as Json from "@svc-runtime/domain/Json"
import * as JsonSchemaCheck from "@svc-runtime/domain/schema/JsonSchemaCheck"
import { Asking, type Reply } from "@svc-runtime/engine/tool/Asking"
import type { Field } from "@svc-runtime/engine/tool/UserInput"
import { Option, Predicate, Result, Schema } from "effect"
import { printable } from "./printable.ts"

const text = Schema.optionalKey(Schema.String)

/** A flat form: texts, numbers, flags and choices. */
const Elicitation = Schema.Struct({
  method: Schema.Literal("elicitation/create"),
  params: Schema.Struct({
    mode: Schema.optionalKey(Schema.Literal("form")),
    message: Schema.String,
    requestedSchema: Schema.Struct({
      type: Schema.Literal("object"),
      properties: Schema.Record(Schema.String, Json.Object),
      required: Schema.optionalKey(Schema.Array(Schema.String))
    })
  })
})
type Elicitation = typeof Elicitation.Type

const Requests = Schema.Record(Schema.String, Elicitation)

const Received = Schema.Struct({
  resultType: Schema.Literal("input_required"),
  inputRequests: Schema.optional(Schema.NullOr(Requests)),
  requestState: Schema.optional(Schema.String)
})

/** What a call sends beside its arguments. */
interface Continued {
  readonly inputResponses?: Json.Object
  readonly requestState?: string
}

/** What is kept of a call between its requests. */
const Pending = Schema.Struct({
  requestState: text,
  /** Not answered yet. */
  requests: Requests,
  responses: Json.Object
})
export type Pending = typeof Pending.Type

const decodePending = Schema.decodeUnknownOption(Pending)

export const isInputRequired = (result: unknown): boolean =>
  Predicate.hasProperty(result, "resultType") && result.resultType === "input_required"

/** None: the server asks what cannot be asked here. */
export const decode = (result: unknown): Option.Option<Pending> =>
  Option.map(
    Schema.decodeUnknownOption(Received)(result),
    ({ inputRequests, requestState }) => ({
      requests: inputRequests ?? {},
      responses: {},
      ...(requestState === undefined ? {} : { requestState })
    })
  )

export const continued = ({ requestState, responses }: Pending): Continued => ({
  inputResponses: responses,
  ...(requestState === undefined ? {} : { requestState })
})

const types: ReadonlyMap<string, Field["field_type"]> = new Map([
  ["integer", "int"],
  ["number", "float"],
  ["boolean", "bool"],
  ["array", "list"]
])

const constOf = (option: Json.Value): ReadonlyArray<Json.Value> =>
  Json.isObject(option) && option["const"] !== undefined ? [option["const"]] : []

/** Of a choice, with titles or without. */
const allowedOf = ({ enum: values, oneOf }: Json.Object): ReadonlyArray<Json.Value> | undefined => {
  if (Json.isList(values)) return values
  return Json.isList(oneOf) ? oneOf.flatMap(constOf) : undefined
}

const descriptionOf = ({ description, items, oneOf, title }: Json.Object): string | null => {
  const options = Json.isList(oneOf) ? oneOf : Json.isObject(items) && Json.isList(items["anyOf"]) ? items["anyOf"] : []
  const titled = options.flatMap((option) =>
    Json.isObject(option) && typeof option["title"] === "string"
      ? [`${JSON.stringify(option["const"])}: ${option["title"]}`]
      : []
  )
  const parts = [title, description, titled.join(", ")].filter((part) => typeof part === "string" && part !== "")
  return parts.length === 0 ? null : printable(parts.join(". "))
}

const fieldsOf = ({ params: { requestedSchema: { properties, required = [] } } }: Elicitation): ReadonlyArray<Field> =>
  Object.entries(properties).map(([name, schema]) => {
    const allowed = allowedOf(schema)
    return {
      name,
      field_type: types.get(String(schema["type"])) ?? "str",
      description: descriptionOf(schema),
      value: schema["default"] ?? null,
      required: required.includes(name),
      ...(allowed === undefined ? {} : { allowed_values: allowed })
    }
  })

/** Characters of what is kept in the run. */
const maxState = 64 * 1024

const answered = ({ requests, responses, ...rest }: Pending, key: string, response: Json.Value): Pending => {
  const { [key]: _, ...others } = requests
  return { ...rest, requests: others, responses: { ...responses, [key]: response } }
}

/** The first question to the user. None: there is none, or too much is to be kept for it. */
export const asking = (server: string, pending: Pending, problem?: string): Option.Option<Asking> => {
  const [first] = Object.values(pending.requests)
  if (first === undefined || JSON.stringify(pending).length > maxState) return Option.none()
  const asks = `The MCP server ${server} asks: ${printable(first.params.message)}`
  const message = problem === undefined ? asks : `${asks} (The last answer did not fit: ${problem})`
  return Option.some(new Asking({ message, fields: fieldsOf(first), state: { ...pending } }))
}

/** Clients can send every value as a text. */
const valueOf = (schema: Json.Object | undefined, value: Json.Value): Json.Value =>
  typeof value === "string" && schema?.["type"] !== "string" && schema?.["type"] !== undefined
    ? Option.getOrElse(Json.parse(value), () => value) as Json.Value
    : value

/** The call with what a person gave. A problem: the values do not fit the form. */
export const replied = (
  { state, values }: Reply
): Option.Option<{ readonly pending: Pending; readonly problem: string | undefined }> =>
  Option.map(decodePending(state), (pending) => {
    const [entry] = Object.entries(pending.requests)
    if (entry === undefined) return { pending, problem: undefined }
    const [key, request] = entry
    const { requestedSchema } = request.params
    const content = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, valueOf(requestedSchema.properties[name], value)])
    )
    const check = Result.try(() => JsonSchemaCheck.make(requestedSchema as never))
    const verdict = Result.isSuccess(check) ? check.success(content) : undefined
    if (verdict?._tag === "Checked" && verdict.issues[0] !== undefined) {
      const { message, path } = verdict.issues[0]
      return { pending, problem: [...path, message].join(": ") }
    }
    return { pending: answered(pending, key, { action: "accept", content }), problem: undefined }
  })
