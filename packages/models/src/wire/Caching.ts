// Where the prompt of a request is cached. What begins a later part of a conversation says so in its options; what
// comes before it is the same in later requests. Each wire marks these places in its own way, or lets its provider find
// them.
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider"
import type { PromptCache } from "../PromptCache.ts"
import type { Message, Wire } from "./Wire.ts"

type Call = LanguageModelV4CallOptions
type Options = NonNullable<Call["providerOptions"]>

/** As many marks as a request may have. */
const most = 4

/** A provider looks for an earlier mark within so many parts before a mark. Some are kept in reserve. */
const within = 18

const begins = ({ providerOptions }: Message): boolean => providerOptions?.["svc"]?.["cache"] === "before"

const withoutOwn = (message: Message): Message => {
  if (message.providerOptions?.["svc"] === undefined) return message
  const { svc: _, ...rest } = message.providerOptions
  const { providerOptions: __, ...others } = message
  return { ...others, ...(Object.keys(rest).length === 0 ? {} : { providerOptions: rest }) } as Message
}

const sizeOf = (messages: LanguageModelV4Prompt): number =>
  messages.reduce((sum, { content }) => sum + (typeof content === "string" ? 1 : content.length), 0)

/** Reasoning and answers without parts cannot have a mark. */
const canEnd = (message: Message | undefined): boolean =>
  message !== undefined && (typeof message.content === "string" || message.content.at(-1)?.type !== "reasoning")

interface Places {
  /** The last tool. */
  readonly tools: boolean
  /** The messages that a cached prefix ends with. */
  readonly messages: ReadonlySet<number>
}

const placesIn = ({ prompt, tools = [] }: Call): Places => {
  const hasTools = tools.length > 0
  const system = prompt.findLastIndex(({ role }) => role === "system")
  const [now, earlier] = prompt.flatMap((message, index) => begins(message) ? [index - 1] : []).toReversed()
  const last = prompt.length - 1
  const ends = [system, ...now === undefined ? [] : [now], ...hasTools && prompt[last]?.role !== "system" ? [last] : []]
  const messages = new Set(ends.filter((index) => index >= 0 && canEnd(prompt[index])))
  const isFar = now !== undefined && earlier !== undefined && earlier > system && !messages.has(earlier) &&
    sizeOf(prompt.slice(earlier + 1, now + 1)) > within
  if (isFar && messages.size < most && canEnd(prompt[earlier])) messages.add(earlier)
  return { tools: hasTools && messages.size < most, messages }
}

const added = (given: Options | undefined, provider: string, options: Options[string]): Options => ({
  ...given,
  [provider]: { ...given?.[provider], ...options }
})

/** The request with the options of a provider at the places that it caches. */
export const marked = (provider: string, options: (cache: PromptCache) => Options[string], marksTools: boolean) =>
(
  call: Call,
  cache: PromptCache
): Call => {
  const places = placesIn(call)
  const mark = options(cache)
  const { tools = [] } = call
  const last = tools.findLastIndex(({ type }) => type === "function")
  const prompt = call.prompt.map((message, index) =>
    places.messages.has(index)
      ? { ...message, providerOptions: added(message.providerOptions, provider, mark) }
      : message
  )
  if (!places.tools || !marksTools || last < 0) return { ...call, prompt }
  return {
    ...call,
    prompt,
    tools: tools.map((tool, index) =>
      index === last && tool.type === "function"
        ? { ...tool, providerOptions: added(tool.providerOptions, provider, mark) }
        : tool
    )
  }
}

/** The request with a key, by which a provider that caches by itself finds what it has cached. The author's is kept. */
export const keyed = (provider: string) => (call: Call, { key }: PromptCache): Call => ({
  ...call,
  providerOptions: {
    ...call.providerOptions,
    [provider]: { promptCacheKey: key, ...call.providerOptions?.[provider] }
  }
})

/** The request as the wire caches it. */
export const accepted = ({ cached }: Wire, call: Call, cache: PromptCache | undefined): Call => {
  if (cache === undefined) return call
  const placed = cached === undefined ? call : cached(call, cache)
  return { ...placed, prompt: placed.prompt.map(withoutOwn) }
}
