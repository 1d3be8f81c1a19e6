// Recognizes the events of a stream that only add text to the text part that is open, in the formats that nearly every
// provider speaks. What the client of the provider would do with such an event is known: it passes the text on. The
// checks are narrow: an event with anything else in it, or with a field that its client could refuse, is not plain.
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"

export interface PlainDelta {
  /** Never empty. */
  readonly text: string
  /** The same for all deltas of one text part. */
  readonly key: string
  /** An event with what else the client has to know of it, as JSON. A later one replaces it. */
  readonly rest?: string
}

/** Reads the data of an event. */
export type Recognize = (data: string) => PlainDelta | undefined

type Fields = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean

const isNothing: Check = (value) => value === null || value === undefined
const isEmpty: Check = (value) => isNothing(value) || (Array.isArray(value) && value.length === 0)
const isText: Check = (value) => isNothing(value) || typeof value === "string"
const isNumber: Check = (value) => isNothing(value) || Number.isFinite(value)
const isScalar: Check = (value) => isText(value) || isNumber(value)
const isOne: Check = (value) => Array.isArray(value) && value.length === 1
const is = (expected: unknown): Check => (value) => value === expected
const any: Check = () => true
const none: Check = () => false

/** Fields without a check are known to no client: they may be there if they contain nothing but a text or a number. */
const fields = (checks: Readonly<Record<string, Check>>, others = isScalar) => {
  const known = new Map(Object.entries(checks))
  return (value: unknown): value is Fields => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false
    // clients refuse this field, which is an own one if JSON contains it
    if (Object.hasOwn(value, "__proto__")) return false
    for (const name in value) {
      if (!(known.get(name) ?? others)((value as Fields)[name])) return false
    }
    return true
  }
}

const recognizer = (plain: (event: unknown) => PlainDelta | undefined): Recognize => (data) => {
  try {
    return plain(JSON.parse(data))
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string | undefined => typeof value === "string" && value !== "" ? value : undefined

const first = (value: unknown): unknown => (value as ReadonlyArray<unknown>)[0]

const chatEvent = fields({
  id: isText,
  created: isNumber,
  model: isText,
  choices: isOne,
  usage: isNothing,
  error: none
})
const chatChoice = fields({ delta: any, index: Number.isFinite, finish_reason: isNothing, logprobs: isNothing })
const chatDelta = fields({
  role: (role) => isNothing(role) || role === "assistant",
  content: any,
  refusal: isNothing,
  reasoning: isNothing,
  reasoning_content: isNothing,
  tool_calls: isEmpty,
  annotations: isEmpty
})

const chat = recognizer((event) => {
  if (!chatEvent(event)) return undefined
  const choice = first(event.choices)
  if (!chatChoice(choice) || !("index" in choice) || !chatDelta(choice.delta)) return undefined
  const text = textOf(choice.delta.content)
  return text === undefined ? undefined : { text, key: "" }
})

const responsesEvent = fields({
  type: is("response.output_text.delta"),
  item_id: (id) => typeof id === "string",
  output_index: isNumber,
  logprobs: isEmpty
})

const responses = recognizer((event) => {
  if (!responsesEvent(event) || event.type === undefined || event.item_id === undefined) return undefined
  const text = textOf(event.delta)
  return text === undefined ? undefined : { text, key: `${String(event.output_index)} ${String(event.item_id)}` }
})

const messagesEvent = fields({ type: is("content_block_delta"), index: Number.isFinite, delta: any })
const messagesDelta = fields({ type: is("text_delta") })

const messages = recognizer((event) => {
  if (!messagesEvent(event) || event.type === undefined || event.index === undefined) return undefined
  const { delta } = event
  if (!messagesDelta(delta) || delta.type === undefined) return undefined
  const text = textOf(delta.text)
  return text === undefined ? undefined : { text, key: String(event.index) }
})

const googleDetail = fields({ modality: (value) => typeof value === "string", tokenCount: Number.isFinite })
const googleDetails: Check = (value) =>
  Array.isArray(value) && value.every((each) => googleDetail(each) && "modality" in each && "tokenCount" in each)
const googleCounts = [
  "cachedContentTokenCount",
  "thoughtsTokenCount",
  "promptTokenCount",
  "candidatesTokenCount",
  "toolUsePromptTokenCount",
  "totalTokenCount"
]
const googleUsage = fields({
  ...Object.fromEntries(googleCounts.map((name) => [name, isNumber])),
  trafficType: isText,
  serviceTier: isText,
  promptTokensDetails: googleDetails,
  cacheTokensDetails: googleDetails,
  candidatesTokensDetails: googleDetails,
  toolUsePromptTokensDetails: googleDetails
})
const googleEvent = fields({
  error: isNothing,
  responseId: isText,
  candidates: isOne,
  usageMetadata: (value) => isNothing(value) || googleUsage(value),
  promptFeedback: isNothing
})
const googleCandidate = fields({
  content: any,
  finishReason: isNothing,
  finishMessage: isNothing,
  continuationToken: isNothing,
  safetyRatings: isNothing,
  groundingMetadata: isNothing,
  urlContextMetadata: isNothing
})
const googleContent = fields({ parts: isOne })
const googlePart = fields({ text: any, thought: (value) => isNothing(value) || value === false }, none)

const google = recognizer((event) => {
  if (!googleEvent(event)) return undefined
  const candidate = first(event.candidates)
  if (!googleCandidate(candidate) || !googleContent(candidate.content)) return undefined
  const part = first(candidate.content.parts)
  const text = googlePart(part) ? textOf(part.text) : undefined
  if (text === undefined) return undefined
  const { usageMetadata } = event
  return isNothing(usageMetadata)
    ? { text, key: "" }
    : { text, key: "", rest: JSON.stringify({ usageMetadata }) }
})

const formats = { chat, google, messages, responses }

/** The format of the streams of a provider: Chat Completions, generateContent, Messages or Responses. */
export type Format = keyof typeof formats

/** Undefined if the client has more to do with an event than to pass its text on. */
export const recognize = (format: Format, call: LanguageModelV4CallOptions): Recognize | undefined =>
  format === "responses" && call.providerOptions?.openai?.logprobs !== undefined ? undefined : formats[format]
