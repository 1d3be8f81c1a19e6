// What an MCP server needs in the middle of a call. A question to the user pauses the run, and a request for a sample
// goes to the model of the run. In the revision 2026-07-28 (`input_required`), the call is sent again with the
// responses, and with the state that the server gave: nothing waits meanwhile, neither here nor at the server. Older
// revisions ask while the call is open.
import * as Json from "@svc-runtime/domain/Json"
import { Asking, type Reply } from "@svc-runtime/engine/tool/Asking"
import * as Form from "@svc-runtime/engine/tool/Form"
import type { Question, Sample } from "@svc-runtime/engine/tool/Sampling"
import { Option, Predicate, Schema } from "effect"
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

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })

/** Of texts. */
const SampleRequest = Schema.Struct({
  method: Schema.Literal("sampling/createMessage"),
  params: Schema.Struct({
    messages: Schema.NonEmptyArray(Schema.Struct({
      role: Schema.Literals(["user", "assistant"]),
      content: Schema.Union([Text, Schema.Array(Text)])
    })),
    systemPrompt: text,
    maxTokens: Schema.Int.check(Schema.isGreaterThan(0)),
    temperature: Schema.optionalKey(Schema.Finite),
    stopSequences: Schema.optionalKey(Schema.Array(Schema.String)),
    // the model would have to call tools of the server
    tools: Schema.optionalKey(Schema.Array(Schema.Json).check(Schema.isMaxLength(0)))
  })
})
export type SampleRequest = typeof SampleRequest.Type

const Request = Schema.Union([Elicitation, SampleRequest])
type Request = typeof Request.Type

const Requests = Schema.Record(Schema.String, Request)

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
  responses: Json.Object,
  /** How many samples the call has had. */
  samples: Schema.optionalKey(Schema.Natural),
  /** The person allows the first request, which is one for a sample. */
  isAllowed: Schema.optionalKey(Schema.Boolean),
  /** The call is open: it is one of an older revision. */
  isOpen: Schema.optionalKey(Schema.Boolean)
})
export type Pending = typeof Pending.Type

const decodePending = Schema.decodeUnknownOption(Pending)

export const isInputRequired = (result: unknown): boolean =>
  Predicate.hasProperty(result, "resultType") && result.resultType === "input_required"

/** None: the server asks what cannot be asked here. */
export const decode = (result: unknown, samples = 0): Option.Option<Pending> =>
  Option.map(
    Schema.decodeUnknownOption(Received)(result),
    ({ inputRequests, requestState }) => ({
      requests: inputRequests ?? {},
      responses: {},
      ...(samples === 0 ? {} : { samples }),
      ...(requestState === undefined ? {} : { requestState })
    })
  )

const decodeRequest = Schema.decodeUnknownOption(Request)

const openKey = "open"

/** What a server asks in an open call. None: it cannot be asked here. */
export const ofOpen = (request: unknown, samples: number): Option.Option<Pending> =>
  Option.map(decodeRequest(request), (decoded) => ({
    requests: { [openKey]: decoded },
    responses: {},
    samples,
    isOpen: true
  }))

/** The response to what the server has asked in an open call. */
export const openResponse = ({ responses }: Pending): Json.Object => (responses[openKey] ?? {}) as Json.Object

/** What is asked next. */
export const first = ({ requests }: Pending): readonly [key: string, request: Request] | undefined =>
  Object.entries(requests)[0]

export const isSample = (request: Request): request is SampleRequest => request.method === "sampling/createMessage"

export const continued = ({ requestState, responses }: Pending): Continued => ({
  inputResponses: responses,
  ...(requestState === undefined ? {} : { requestState })
})

const described = (field: Form.Field): Form.Field => ({
  ...field,
  description: field.description === null ? null : printable(field.description)
})

const fieldsOf = ({ params: { requestedSchema } }: Elicitation): ReadonlyArray<Form.Field> =>
  Form.fieldsOf(Json.of(requestedSchema)).map(described)

export const answered = (
  { isAllowed: _isAllowed, requests, responses, ...rest }: Pending,
  key: string,
  response: Json.Value
): Pending => {
  const { [key]: _, ...others } = requests
  return { ...rest, requests: others, responses: { ...responses, [key]: response } }
}

/** Characters of what is kept in the run. */
const maxState = 64 * 1024

/** Characters of a question to the model that a person reads. */
const maxExcerpt = 2000

const textsOf = ({ content }: SampleRequest["params"]["messages"][number]): string =>
  ("text" in content ? [content] : content).map(({ text }) => text).join("\n")

const allow = "allow"

const excerptOf = ({ params: { messages, systemPrompt } }: SampleRequest): string => {
  const texts = [...(systemPrompt === undefined ? [] : [systemPrompt]), ...messages.map(textsOf)]
  const whole = printable(texts.join("\n"))
  return whole.length <= maxExcerpt ? whole : `${whole.slice(0, maxExcerpt)} …`
}

const questionOf = (server: string, request: Request): Pick<Asking, "fields" | "message"> => {
  if (!isSample(request)) {
    return { message: `The MCP server ${server} asks: ${printable(request.params.message)}`, fields: fieldsOf(request) }
  }
  const description = "Whether the model answers the server"
  return {
    message: `The MCP server ${server} asks the model: ${excerptOf(request)}`,
    fields: [{ name: allow, field_type: "bool", description, value: null, required: true }]
  }
}

/** A question to the user. None: too much would have to be kept for it. */
export const asking = (server: string, pending: Pending, request: Request, problem?: string): Option.Option<Asking> => {
  if (JSON.stringify(pending).length > maxState) return Option.none()
  const { fields, message: asks } = questionOf(server, request)
  const message = problem === undefined ? asks : `${asks} (The last answer did not fit: ${problem})`
  return Option.some(new Asking({ message, fields, state: { ...pending } }))
}

/** Characters of the texts for the model. */
const maxSampled = 256 * 1024

/** The question to the model. None: it is too long. */
export const sampleQuestion = ({ params }: SampleRequest, maxTokens: number): Option.Option<Question> => {
  const { messages, stopSequences, systemPrompt: system, temperature } = params
  const question: Question = {
    system,
    messages: messages.map((message) => ({ role: message.role, text: textsOf(message) })),
    maxOutputTokens: Math.min(params.maxTokens, maxTokens),
    temperature,
    stopSequences
  }
  return JSON.stringify(question).length > maxSampled ? Option.none() : Option.some(question)
}

export const sampleResponse = ({ isCut, model, text }: Sample): Json.Object => ({
  role: "assistant",
  content: { type: "text", text },
  model,
  stopReason: isCut ? "maxTokens" : "endTurn"
})

export interface Replied {
  readonly pending: Pending
  /** The values do not fit the form. */
  readonly problem?: string | undefined
  /** The person does not allow a sample. */
  readonly isRefused?: boolean
}

/** The call with what a person gave. */
export const replied = ({ declined, state, values }: Reply): Option.Option<Replied> =>
  Option.map(decodePending(state), (pending) => {
    const entry = first(pending)
    if (entry === undefined) return { pending }
    const [key, request] = entry
    if (isSample(request)) {
      const isAllowed = declined === undefined && (values[allow] === true || values[allow] === "true")
      return isAllowed ? { pending: { ...pending, isAllowed } } : { pending, isRefused: true }
    }
    if (declined !== undefined) return { pending: answered(pending, key, { action: "decline" }) }
    const { requestedSchema } = request.params
    const schema = Json.of(requestedSchema)
    const content = Form.valuesOf(schema, values)
    const problem = Form.problemIn(schema, content)
    if (problem !== undefined) return { pending, problem }
    return { pending: answered(pending, key, { action: "accept", content }) }
  })
