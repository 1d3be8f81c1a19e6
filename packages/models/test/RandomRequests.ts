// Random requests of agents, written for each provider and checked with its rules.
import { random, seed } from "@svc-runtime/test-support/Seed"
import * as ProviderCheck from "@svc-runtime/testing/ProviderCheck"
import { Effect } from "effect"
import type { LanguageModel } from "effect/ai"
import * as RequestOptions from "../src/RequestOptions.ts"
import * as Histories from "./Histories.ts"

/** Models of all providers by name whose client the tests have. */
export const references = [
  "openai:gpt-5",
  "openai:gpt-4.1",
  "openai-chat:gpt-5",
  "openai-compatible:qwen3",
  "anthropic:claude-sonnet-4-5",
  "anthropic:claude-3-haiku-20240307",
  "anthropic:claude-opus-4-8",
  "google:gemini-2.5-pro",
  "google:gemini-3-pro-preview",
  "azure:my-deployment",
  "bedrock:amazon.nova-lite-v1:0",
  "bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0",
  "bedrock:mistral.mistral-large-2407-v1:0",
  "cerebras:gpt-oss-120b",
  "cohere:command-a-03-2025",
  "deepseek:deepseek-v4-flash",
  "deepseek:deepseek-chat",
  "fireworks:accounts/fireworks/models/kimi-k2-instruct",
  "gateway:anthropic/claude-sonnet-4.5",
  "groq:openai/gpt-oss-120b",
  "mistral:mistral-large-latest",
  "moonshotai:kimi-k2-thinking",
  "ollama:qwen3:8b",
  "openrouter:anthropic/claude-sonnet-4.5",
  "togetherai:Qwen/Qwen3-235B",
  "vertex:gemini-2.5-pro",
  "vertex:gemini-3-pro-preview",
  "xai:grok-4"
] as const

export interface Refused {
  readonly ref: string
  readonly wire: string
  readonly index: number
  readonly refusal: string
  readonly sent: unknown
}

export interface Tried {
  readonly seed: number
  readonly requests: Readonly<Record<string, number>>
  readonly refused: ReadonlyArray<Refused>
}

/** Each request is the same for a seed, a reference and an index. */
export const tried = Effect.fnUntraced(function*(ref: string, count: number): Effect.fn.Return<Tried> {
  const check = yield* ProviderCheck.make(ref)
  const next = Histories.make(random(ref))
  const requests: Record<string, number> = {}
  const refused: Array<Refused> = []
  for (let index = 0; index < count; index++) {
    const { format, prompt, settings, toolChoice, toolkit } = next()
    const request = {
      prompt,
      tools: Object.values(toolkit?.tools ?? {}),
      toolChoice,
      responseFormat: { type: "text" }
    } as unknown as LanguageModel.ProviderOptions
    const verdict = yield* check(request).pipe(
      (checking) => RequestOptions.provide(checking, { format, settings })
    )
    const wire = ProviderCheck.wireOf(verdict)
    requests[wire] = (requests[wire] ?? 0) + 1
    if (verdict.refusal !== undefined) {
      refused.push({ ref, wire, index, refusal: verdict.refusal, sent: verdict.sent?.body })
    }
  }
  return { seed, requests, refused }
})
