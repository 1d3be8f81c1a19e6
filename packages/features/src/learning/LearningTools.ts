// The tools with which a model saves and searches learnings. The key of a save is the `effectId` of its call, so a call
// that is repeated after a crash saves nothing a second time.
import { given } from "@svc-runtime/agents/agent/execute/RunPart"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import type { AnySchema } from "@svc-runtime/engine/schema/AnySchema"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Effect, Option, Result, Schema } from "effect"
import { CurrentLearnings } from "./CurrentLearnings.ts"
import type * as Learning from "./Learning.ts"
import { LearningRejected } from "./LearningErrors.ts"
import type * as LearningOption from "./LearningOption.ts"
import * as LearningRuns from "./LearningRuns.ts"
import * as LearningShape from "./LearningShape.ts"

// Orders learnings by the words that they share with a text.

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2))

/** The learnings that share a word, the most words first. Equal ones keep their order. */
const ranked = (
  learnings: ReadonlyArray<Learning.Learning>,
  query: string
): ReadonlyArray<Learning.Learning> => {
  const wanted = wordsOf(query)
  const scored = learnings.map((learning) => {
    const words = wordsOf(JSON.stringify(learning.content))
    return { learning, score: [...wanted].filter((word) => words.has(word)).length }
  })
  return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).map(({ learning }) => learning)
}

/** The name and the description of the tool that saves a type. */
const tools: { readonly [T in LearningShape.Type]: readonly [name: string, description: string] } = {
  user_profile: [
    "save_profile",
    "Saves lasting facts about the user, such as a name. Given fields replace earlier ones"
  ],
  user_memory: ["save_memory", "Saves one thing to remember about the user, or replaces or removes an earlier one"],
  session_context: ["save_session_context", "Saves what this session is about. Replaces what was saved before"],
  entity_memory: ["save_entity", "Saves facts, events and relationships of a thing, such as a company or a project"],
  decision_log: ["save_decision", "Saves a decision with its reasons"],
  learned_knowledge: ["save_knowledge", "Saves an insight that will help in other conversations"]
}

/** The number of learnings that a search gives. */
const foundAtOnce = 10

/** Fails if the caller or the user wants no memory. */
const currentOf = Effect.fnUntraced(function*({ userId }: Tool.ToolContext) {
  const current = yield* given(CurrentLearnings)
  if (current === undefined) {
    return yield* new LearningRejected({ message: "Nothing can be learned or searched in this run." })
  }
  if (!(yield* current.isEnabled(userId))) {
    return yield* new LearningRejected({ message: "The user has switched memory off." })
  }
  return current
})

const save = (learning: LearningOption.Learning, type: LearningShape.Type, isLeader: boolean) => {
  const [name, description] = tools[type]
  const parameters: AnySchema = LearningShape.shapes[type]
  return Tool.make({
    name,
    description: learning.isProposed
      ? `${description}. A person has to approve it before it is used`
      : description,
    parameters,
    effects: "idempotent",
    execute: (value: unknown, context) =>
      Effect.gen(function*() {
        const { root_run_id, store } = yield* currentOf(context)
        const at = yield* now
        const change = { type, value } as LearningShape.Change
        const author = LearningRuns.authorOf(context.agentId, isLeader)
        const occasion = { ...author, key: context.effectId, root_run_id, at, newId: yield* NewId }
        const update = LearningRuns.updateOf(learning, context, [change], occasion)
        if (Result.isFailure(update)) return update.failure
        const { isErased, refused } = yield* store.apply(update.success, at)
        if (isErased) {
          return yield* new LearningRejected({ message: "Not saved: what was known about the user was deleted." })
        }
        if (refused > 0) return "Not saved: there is no room for more, or the name is used by others."
        return update.success.refusals()[0] ?? (learning.isProposed ? "Proposed." : "Saved.")
      })
  })
}

const search = (learning: LearningOption.Learning) =>
  Tool.make({
    name: "search_learnings",
    description: "Finds what was learned earlier, by words",
    parameters: Schema.Struct({ query: Schema.String.check(Schema.isMaxLength(1000)) }),
    effects: "read",
    execute: ({ query }, context) =>
      Effect.gen(function*() {
        const { store } = yield* currentOf(context)
        const scope = LearningRuns.scopeOf(learning, context)
        if (Option.isNone(scope)) return []
        const found = ranked(yield* store.relevant(scope.value), query).slice(0, foundAtOnce)
        return found.map(({ content, learning_type }) => ({ learning_type, content }))
      })
  })

/** The leader of a team learns as the team. */
export const make = (learning: LearningOption.Learning, isLeader: boolean): ReadonlyArray<Tool.Tool> =>
  learning.hasTools ? [...learning.types.map((type) => save(learning, type, isLeader)), search(learning)] : []
