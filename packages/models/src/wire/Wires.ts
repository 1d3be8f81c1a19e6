// The wire of a model, and a request as its wire takes it.
import type { JSONSchema7, LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider"
import * as JsonValue from "../JsonValue.ts"
import type { PromptCache } from "../PromptCache.ts"
import * as Caching from "./Caching.ts"
import * as Chat from "./Chat.ts"
import * as History from "./History.ts"
import * as Messages from "./Messages.ts"
import * as Schemas from "./Schemas.ts"
import type { Adapted, Reasoning, Wire } from "./Wire.ts"

type Named = Pick<LanguageModelV4, "provider" | "modelId">
type Schema = Parameters<typeof Schemas.repaired>[0]
type FunctionTool = Extract<NonNullable<LanguageModelV4CallOptions["tools"]>[number], { readonly type: "function" }>

const cachePoint = ({ ttl }: PromptCache) => ({
  cachePoint: { type: "default", ...(ttl === undefined ? {} : { ttl }) }
})

/** Bedrock's Converse. */
const converse = (modelId: string): Wire => ({
  callId: /^[a-zA-Z0-9_-]{1,64}$/,
  newCallId: (hash) => `tooluse_${hash.slice(0, 24)}`,
  reasoning: "signed",
  signatures: ["bedrock", "amazonBedrock"],
  startsWithUser: true,
  endsWithUser: true,
  toolsForCalls: true,
  withoutAddresses: true,
  ...(modelId.includes("anthropic")
    ? {
      cached: Caching.marked("bedrock", cachePoint, false),
      adapt: Messages.thinking(modelId, "bedrock", "reasoningConfig")
    }
    : {})
})

/** Gemini's generateContent, at Google AI and Vertex. */
const gemini = (modelId: string): Wire => ({
  toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
  callId: /^[a-zA-Z0-9_-]{1,64}$/,
  newCallId: (hash) => `call_${hash.slice(0, 24)}`,
  reasoning: "signed",
  signatures: ["google", "vertex", "googleVertex"],
  startsWithUser: true,
  endsWithUser: true,
  textResults: !/gemini-([3-9]|\d\d)/.test(modelId),
  schema: Schemas.gemini
})

/** OpenAI's Responses, which Azure, xAI and Hugging Face speak too. */
const responses = (provider: string): Wire => ({
  // its client sends no results
  textCalls: provider.startsWith("huggingface"),
  textResults: !/^(openai|azure)/.test(provider),
  callId: /^[a-zA-Z0-9_-]{1,64}$/,
  newCallId: (hash) => `call_${hash.slice(0, 24)}`,
  reasoning: "signed",
  signatures: ["openai", "azure", "xai"],
  strict: Schemas.openAiStrict,
  strictOptions: ["openai", "azure"],
  ...Chat.keyed(provider)
})

const chosen = ({ modelId, provider }: Named): Wire => {
  if (provider.includes("anthropic")) return Messages.wire(modelId)
  if (provider.startsWith("amazon-bedrock")) return converse(modelId)
  if (/^google|vertex/.test(provider)) return gemini(modelId)
  if (provider.endsWith(".responses") && !provider.startsWith("ollama")) return responses(provider)
  return Chat.wire(provider, modelId)
}

/** The wire of a model, with the reasoning that an author has set. Only Chat Completions lets authors choose. */
export const each = (model: Named) => {
  const wire = chosen(model)
  const others = new Map<Reasoning, Wire>()
  return (reasoning: Reasoning | undefined): Wire => {
    if (reasoning === undefined || wire.reasoning === "signed") return wire
    const other = others.get(reasoning) ?? { ...wire, reasoning }
    others.set(reasoning, other)
    return other
  }
}

const asSchema = (schema: JSONSchema7 | undefined): Schema => schema as Schema

const parameters = new WeakMap<object, WeakMap<Wire, FunctionTool>>()

/** The schema of a tool is the same in all requests of an agent. */
const cached = (tool: FunctionTool, wire: Wire, make: () => FunctionTool): FunctionTool => {
  const known = parameters.get(tool) ?? new WeakMap<Wire, FunctionTool>()
  parameters.set(tool, known)
  const made = known.get(wire) ?? make()
  known.set(wire, made)
  return made
}

const toolFor = (wire: Wire, tool: FunctionTool): FunctionTool =>
  cached(tool, wire, () => {
    const { strict, ...rest } = tool
    const schema = Schemas.flatRoot(Schemas.repaired(asSchema(tool.inputSchema)))
    const closed = strict === true && wire.withoutStrictTools !== true ? wire.strict?.(schema) : undefined
    const inputSchema = (closed ?? wire.schema?.(schema) ?? schema) as JSONSchema7
    const isStrict = strict === undefined || wire.withoutStrictTools === true ? undefined : closed !== undefined
    return JsonValue.wellFormed({
      ...rest,
      name: History.toolName(wire, tool.name),
      inputSchema,
      ...(isStrict === undefined ? {} : { strict: isStrict })
    })
  })

const tools = (wire: Wire, { toolChoice, tools: all }: LanguageModelV4CallOptions) =>
  all === undefined ? {} : {
    tools: all.map((tool) => tool.type === "function" ? toolFor(wire, tool) : tool),
    ...(toolChoice?.type === "tool"
      ? { toolChoice: { ...toolChoice, toolName: History.toolName(wire, toolChoice.toolName) } }
      : {})
  }

type AnswerPart = { readonly type: string }

/** Gives the parts of an answer the names that tools have here. Undefined if the wire takes the names as they are. */
export const renaming = (wire: Wire, { tools = [] }: Pick<LanguageModelV4CallOptions, "tools">) => {
  const changed = tools.filter(({ name }) => History.toolName(wire, name) !== name)
  if (changed.length === 0) return undefined
  const names = new Map(changed.map(({ name }) => [History.toolName(wire, name), name]))
  return <P extends AnswerPart>(part: P): P => {
    const name = "toolName" in part && typeof part.toolName === "string" ? names.get(part.toolName) : undefined
    return name === undefined ? part : { ...part, toolName: name }
  }
}

/** The format of the answer, and whether it is strict. */
const format = (wire: Wire, { providerOptions, responseFormat }: LanguageModelV4CallOptions) => {
  if (responseFormat?.type !== "json" || responseFormat.schema === undefined) return {}
  const schema = Schemas.repaired(asSchema(responseFormat.schema))
  const { strictOptions = [] } = wire
  const closed = strictOptions.length === 0 ? undefined : wire.strict?.(schema)
  const sent = { ...responseFormat, schema: (closed ?? wire.schema?.(schema) ?? schema) as JSONSchema7 }
  if (strictOptions.length === 0 || closed !== undefined) return { responseFormat: sent }
  const loose = strictOptions.map((name) => [name, { strictJsonSchema: false, ...providerOptions?.[name] }] as const)
  return { responseFormat: sent, providerOptions: { ...providerOptions, ...Object.fromEntries(loose) } }
}

/** The request as the provider takes it. */
export const accepted = (wire: Wire, given: LanguageModelV4CallOptions, cache?: PromptCache): Adapted => {
  const hasTools = (given.tools?.length ?? 0) > 0
  const { toolChoice: _, tools: __, ...withoutTools } = given
  const call: LanguageModelV4CallOptions = {
    ...(wire.withoutTools === true ? withoutTools : { ...given, ...tools(wire, given) }),
    ...format(wire, given),
    prompt: History.accepted(JsonValue.wellFormed(given.prompt), { wire, hasTools })
  }
  const adapted = wire.adapt?.(call) ?? { call }
  return cache === undefined ? adapted : { ...adapted, call: Caching.accepted(wire, adapted.call, cache) }
}
