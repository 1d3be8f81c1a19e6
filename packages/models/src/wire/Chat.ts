// Chat Completions, of OpenAI and of everyone who speaks it.
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"
import * as Caching from "./Caching.ts"
import * as Schemas from "./Schemas.ts"
import type { Adapted, Message, Wire } from "./Wire.ts"

const base: Wire = {
  // ids of Kimi have dots and colons, and Kimi reads them; OpenAI takes 40 characters
  callId: /^[a-zA-Z0-9_.:-]{1,40}$/,
  newCallId: (hash) => `call_${hash.slice(0, 24)}`,
  reasoning: "run",
  signatures: [],
  strict: Schemas.openAiStrict,
  strictOptions: ["openai", "openaiCompatible"]
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Nine letters and digits. */
const nine = (hash: string): string =>
  Array.from({ length: 9 }, (_, index) => letters[Number.parseInt(hash.slice(index * 3, index * 3 + 3), 16) % 62]).join(
    ""
  )

/** Its client is strict unless its body says otherwise. */
const looseRouter = (call: LanguageModelV4CallOptions): Adapted => {
  const { providerOptions, responseFormat } = call
  if (responseFormat?.type !== "json" || responseFormat.schema === undefined) return { call }
  if (providerOptions?.["openrouter"]?.["strictJsonSchema"] !== false) return { call }
  const { strictJsonSchema: _, ...rest } = providerOptions["openrouter"]
  const { name = "response", schema } = responseFormat
  const response_format = { type: "json_schema", json_schema: { name, schema: schema as never, strict: false } }
  return { call: { ...call, providerOptions: { ...providerOptions, openrouter: { response_format, ...rest } } } }
}

const isSystem = ({ role }: Message): boolean => role === "system"

/** The schema as an instruction. `keeps`: the answer is still asked for as JSON. */
const describing =
  (keeps: (call: LanguageModelV4CallOptions) => boolean, onlyWithTools = false) =>
  (call: LanguageModelV4CallOptions): Adapted => {
    const { prompt, responseFormat, tools = [] } = call
    if (responseFormat?.type !== "json" || responseFormat.schema === undefined) return { call }
    if (onlyWithTools && tools.length === 0) return { call }
    const content = `Your answer is JSON that fits this schema, and nothing else: ${
      JSON.stringify(responseFormat.schema)
    }`
    const first = prompt.findIndex((message) => !isSystem(message))
    const place = first < 0 ? prompt.length : first
    const { responseFormat: _, ...others } = call
    return {
      call: {
        ...others,
        prompt: [...prompt.slice(0, place), { role: "system", content }, ...prompt.slice(place)],
        ...(keeps(call) ? { responseFormat: { type: "json" } } : {})
      }
    }
  }

/** OpenAI finds what it has cached by a key. Others may refuse fields that they do not know. */
export const keyed = (provider: string): Pick<Wire, "cached"> => {
  const [name = ""] = provider.split(".")
  if (name === "openai") return { cached: Caching.keyed("openai") }
  return name.startsWith("azure") ? { cached: Caching.keyed("azure") } : {}
}

const describedSchema: Partial<Wire> = { adapt: describing(() => true) }

/** By the first part of the name of the client. */
const providers: Readonly<Record<string, Partial<Wire>>> = {
  // refuse `reasoning_content`
  groq: { reasoning: "none", strictOptions: ["groq"] },
  cerebras: { reasoning: "none", strictOptions: ["cerebras"] },
  mistral: {
    reasoning: "none",
    callId: /^[a-zA-Z0-9]{9}$/,
    newCallId: nine,
    answersResults: true,
    endsWithUser: true,
    strictOptions: ["mistral"]
  },
  // a model that thinks wants the reasoning of each answer with calls
  deepseek: { reasoning: "calls", withoutStrictTools: true, strictOptions: ["deepseek"] },
  moonshotai: { reasoning: "calls", strictOptions: ["moonshotai"] },
  // takes no format of the answer beside tools
  cohere: { reasoning: "none", endsWithUser: true, adapt: describing(() => false, true) },
  // the clients send no schema
  ...Object.fromEntries(["togetherai", "deepinfra", "baseten", "vercel"].map((name) => [name, describedSchema])),
  perplexity: {
    reasoning: "none",
    startsWithUser: true,
    endsWithUser: true,
    joinsUsers: true,
    textCalls: true,
    withoutTools: true
  },
  // others that speak their own formats, or pass requests on to models of all kinds
  openrouter: { callId: /^[a-zA-Z0-9_-]{1,40}$/, strictOptions: ["openrouter"], adapt: looseRouter },
  gateway: { callId: /^[a-zA-Z0-9_-]{1,40}$/ },
  ollama: { withoutAddresses: true }
}

/** Models that think, on servers whose name says nothing about them. */
const thinks = /deepseek-(v[4-9]|reasoner)|kimi-k2.{0,60}think|kimi-k(2\.[5-9]|[3-9])/i

export const wire = (provider: string, modelId: string): Wire => {
  const [name = ""] = provider.split(".")
  const common = { ...base, textResults: true }
  const own = providers[name]
  if (own !== undefined) return { ...common, ...own }
  return {
    ...common,
    ...(thinks.test(modelId) ? { reasoning: "calls" } : {}),
    strictOptions: ["openai", "openaiCompatible", name],
    ...keyed(provider)
  }
}
