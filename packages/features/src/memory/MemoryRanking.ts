// The memories of a user that fit a text best, by its meaning and its words. None if the user has switched memory off.
import * as Memory from "@svc-runtime/domain/Memory"
import { now } from "@svc-runtime/engine/now"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"
import { type Duration, Effect } from "effect"
import type { MemoryBudget } from "./MemoryBudget.ts"
import { isEnabled, type RunMemory } from "./RunMemory.ts"

export interface Wanted {
  readonly text: string
  readonly budget: MemoryBudget
  /** How long to wait for the vector of the text. Without it, words decide. */
  readonly within: Duration.Input
}

type Parts = Pick<RunMemory, "settings" | "texts" | "user_id" | "vectors">

const rankedOf = Effect.fnUntraced(function*(
  { texts, user_id, vectors }: Omit<Parts, "settings">,
  { budget, text, within }: Wanted
) {
  const found = yield* vectors.forRun(user_id, budget, yield* texts.of(text, within))
  const similarities = new Map(
    found.flatMap(({ memory, similarity }) => similarity === undefined ? [] : [[memory.memory_id, similarity] as const])
  )
  return Memory.rank(found.map(({ memory }) => memory), text, yield* now, similarities)
})

/** For a caller who knows that the user has not switched memory off: the text may be sent to the embedder. */
export const ranked = (parts: Omit<Parts, "settings">, wanted: Wanted): ReturnType<typeof rankedOf> =>
  OperationSpan.memory(rankedOf(parts, wanted), "search_memory")

/** The statement reads the setting too, but only after the text has been sent to the embedder. */
export const find = (memory: Parts, wanted: Wanted): ReturnType<typeof ranked> =>
  memory.texts.isAvailable
    ? Effect.flatMap(isEnabled(memory), (isEnabled) => isEnabled ? ranked(memory, wanted) : Effect.succeed([]))
    : ranked(memory, wanted)
