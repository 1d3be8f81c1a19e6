// The tool with which a model searches the knowledge of its agent.
import { ByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Effect, Schema } from "effect"
import * as ChosenFilters from "./ChosenFilters.ts"
import type { AgentKnowledge } from "./KnowledgeOption.ts"
import * as KnowledgeReference from "./KnowledgeReference.ts"
import { maxQuery } from "./KnowledgeSearch.ts"
import { CurrentKnowledge, KnowledgeUnusable } from "./RunKnowledge.ts"

export const toolName = "search_knowledge"

/** Bytes of one result, if the limit of tool results is larger. */
const resultBytes = 128 * 1024

const about = ({ bases }: AgentKnowledge): string =>
  bases.flatMap(({ description }) => description === undefined ? [] : [` ${description}.`]).join("")

const query = Schema.String.check(Schema.isMaxLength(maxQuery)).annotate({
  description: "What to look for, in the words of the question"
})

const search = Effect.fnUntraced(function*(
  { filters = [], query }: { readonly query: string; readonly filters?: typeof ChosenFilters.Parameter.Type }
) {
  const current = yield* CurrentKnowledge
  if (current === undefined) return yield* new KnowledgeUnusable({ message: "This run has no knowledge to search" })
  const found = yield* current.search(query, yield* ChosenFilters.parse(filters))
  const { toolResult } = yield* ByteLimits
  return KnowledgeReference.within(found, Math.min(toolResult, resultBytes))
})

export const make = (knowledge: AgentKnowledge): ReadonlyArray<Tool.Tool> => {
  const options = {
    name: toolName,
    description: `Searches the knowledge base for texts that answer a question. Name the sources in your answer.${
      about(knowledge)
    }`,
    effects: "read",
    timeout: "1 minute",
    execute: search
  } as const
  if (!knowledge.searches) return []
  return knowledge.choosesFilters
    ? [Tool.make({ ...options, parameters: Schema.Struct({ query, filters: ChosenFilters.Parameter }) })]
    : [Tool.make({ ...options, parameters: Schema.Struct({ query }) })]
}
