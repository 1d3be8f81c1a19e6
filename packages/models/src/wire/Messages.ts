// Anthropic's Messages, and what Claude asks for on other wires.
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { Predicate } from "effect"
import type { PromptCache } from "../PromptCache.ts"
import * as Caching from "./Caching.ts"
import * as Schemas from "./Schemas.ts"
import { type Adapted, type Assistant, isCall, type Wire } from "./Wire.ts"

/** They decide themselves how much they think, and accept calls without thinking. */
const adaptive = /(opus|sonnet|haiku)-4-[6-9]|(opus|sonnet|haiku|fable|mythos)-[5-9]/

type Options = NonNullable<LanguageModelV4CallOptions["providerOptions"]>[string]

const isOn = (value: unknown): boolean =>
  Predicate.isObject(value) && Predicate.hasProperty(value, "type") && value.type === "enabled"

/** The first answer to the last message of the user: its calls continue, also if the user writes more after results. */
const continued = (prompt: LanguageModelV4Prompt): Assistant | undefined => {
  const opens = prompt.findLastIndex(({ role }, index) => {
    const before = prompt.slice(0, index).findLast(({ role }) => role !== "user")
    return role === "user" && before?.role !== "tool"
  })
  return prompt.slice(opens + 1).find((message) => message.role === "assistant")
}

const withoutReasoning = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt =>
  prompt.map((message) =>
    message.role === "assistant"
      ? { ...message, content: message.content.filter(({ type }) => type !== "reasoning") }
      : message
  )

/** Claude with a thinking budget wants the thinking of calls that continue. Without it, it does not think this time. */
export const thinking =
  (modelId: string, provider: string, field: string) => (call: LanguageModelV4CallOptions): Adapted => {
    const own: Options = call.providerOptions?.[provider] ?? {}
    const isGiven = own[field] !== undefined
    const isBudget = isGiven ? isOn(own[field]) : isReasoning(call) && !adaptive.test(modelId)
    const answer = continued(call.prompt)
    if (!isBudget || answer === undefined || !answer.content.some(isCall) || answer.content[0]?.type === "reasoning") {
      return { call }
    }
    const { effort: _, ...rest } = own
    const { reasoning: __, ...others } = call
    return {
      call: {
        ...others,
        prompt: withoutReasoning(call.prompt),
        providerOptions: { ...call.providerOptions, [provider]: { ...rest, [field]: { type: "disabled" } } }
      },
      warning: "Thinking is off for requests whose calls have lost their thinking blocks, as after a fork"
    }
  }

const isReasoning = ({ reasoning }: LanguageModelV4CallOptions): boolean =>
  reasoning !== undefined && reasoning !== "none" && reasoning !== "provider-default"

const mark = ({ ttl }: PromptCache) => ({ cacheControl: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) } })

export const wire = (modelId: string): Wire => ({
  callId: /^[a-zA-Z0-9_-]{1,64}$/,
  newCallId: (hash) => `toolu_${hash.slice(0, 24)}`,
  reasoning: "signed",
  signatures: ["anthropic"],
  startsWithUser: true,
  endsWithUser: true,
  toolsForCalls: true,
  strict: Schemas.claudeStrict,
  cached: Caching.marked("anthropic", mark, true),
  adapt: thinking(modelId, "anthropic", "thinking")
})
