// The filters that a model chooses for a search of its knowledge, and the keys that it is shown to choose from.
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Result, Schema } from "effect"
import { KnowledgeUnusable, type RunKnowledge } from "./RunKnowledge.ts"

const Chosen = Schema.Struct({ key: Schema.String, value: Schema.String })

/** Of the tool. Left out: the whole knowledge is searched. */
export const Parameter = Schema.Array(Chosen).pipe(
  Schema.withDecodingDefaultKey(Effect.succeed([])),
  Schema.annotate({ description: "Only texts whose metadata have all these values. Empty: all texts" })
)

/** A model writes each value as text. */
const valuesOf = (text: string) => {
  const number = Number(text)
  if (text === "true" || text === "false") return [text, text === "true"]
  return text.trim() !== "" && Number.isFinite(number) ? [text, number] : [text]
}

export const parse = (
  chosen: ReadonlyArray<typeof Chosen.Type>
): Effect.Effect<KnowledgeFilter.Filter, KnowledgeUnusable> => {
  const parsed = KnowledgeFilter.parse(chosen.map(({ key, value }) => ({ op: "IN", key, values: valuesOf(value) })))
  return Result.isFailure(parsed)
    ? Effect.fail(new KnowledgeUnusable({ message: parsed.failure }))
    : Effect.succeed(parsed.success)
}

const heading = "The texts of the knowledge base have metadata with these keys, for the filters of a search:"

/** Keys are data of uploads: they cannot open or close a block. */
const render = (keys: ReadonlyArray<string>): string => `${heading} ${JSON.stringify(keys).replaceAll("<", "\\u003c")}`

/** A context source of the agent's runs. */
export const source = (knowledge: RunKnowledge) => ({
  name: "the metadata of knowledge",
  tokens: 1000,
  section: (): Effect.Effect<string | undefined, StorageUnavailable> =>
    Effect.map(knowledge.keys, (keys) => keys.length === 0 ? undefined : render(keys))
})
