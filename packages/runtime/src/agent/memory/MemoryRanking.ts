// The memories of a user that fit a text best, by its meaning and its words. None if the user has switched memory off.
import * as Memory from "@svc/domain/Memory"
import { type Duration, Effect } from "effect"
import type { MemoryBudget } from "../../memory/MemoryBudget.ts"
import { now } from "../../now.ts"
import { isEnabled, type RunMemory } from "./RunMemory.ts"

export interface Wanted {
  readonly text: string
  readonly budget: MemoryBudget
  /** How long to wait for the vector of the text. Without it, words decide. */
  readonly within: Duration.Input
}

export const find = Effect.fnUntraced(function*(
  memory: Pick<RunMemory, "settings" | "texts" | "user_id" | "vectors">,
  { budget, text, within }: Wanted
) {
  const { texts, user_id, vectors } = memory
  // the statement below reads the setting too, but only after the text has been sent to the embedder
  if (texts.isAvailable && !(yield* isEnabled(memory))) return []
  const found = yield* vectors.forRun(user_id, budget, yield* texts.of(text, within))
  const similarities = new Map(
    found.flatMap(({ memory, similarity }) => similarity === undefined ? [] : [[memory.memory_id, similarity] as const])
  )
  return Memory.rank(found.map(({ memory }) => memory), text, yield* now, similarities)
})
