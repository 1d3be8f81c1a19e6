// Updates the memories of a user from the messages of a run, at most once under a key.
import { addUsage, type RunRecorder } from "@svc-runtime/agents/agent/execute/RunRecorder"
import type * as ConversationRequest from "@svc-runtime/agents/agent/read/ConversationRequest"
import * as Transcript from "@svc-runtime/agents/agent/read/Transcript"
import * as Memory from "@svc-runtime/domain/Memory"
import { now } from "@svc-runtime/engine/now"
import { Cause, Effect } from "effect"
import * as Extraction from "./MemoryExtraction.ts"
import type { MemorySource } from "./MemoryStore.ts"
import { isEnabled, type RunMemory } from "./RunMemory.ts"

/** What the model is shown of the memories. */
const budget = { maxBytes: 64 * 1024, maxCount: 200 }

/** Of the changes that follow from a run. */
export const keyOf = ({ source }: Pick<RunMemory, "source">): string => `run:${source.run_id}`

export interface Update<E, R> {
  readonly memory: RunMemory
  readonly transcript: string
  readonly lease?: MemorySource["lease"]
  readonly onUsage: ConversationRequest.OnUsage<E, R>
}

/** Returns the new and the changed memories. */
export const run = Effect.fnUntraced(function*<E, R>({ lease, memory, onUsage, transcript }: Update<E, R>) {
  const { memories, models, options: { instructions }, source, user_id } = memory
  const none: ReadonlyArray<Memory.Memory> = []
  if (!Transcript.hasUserText(transcript) || !(yield* isEnabled(memory))) return none
  const at = yield* now
  const known = yield* memories.relevant(user_id, budget)
  const changes = yield* Extraction.extract({ models, instructions, known, transcript, created_at: at }, onUsage)
  // the user may have switched it off while the model answered
  if (changes.length === 0 || !(yield* isEnabled(memory))) return none
  const applied = yield* memories.apply(user_id, changes, { ...source, key: keyOf(memory), lease }, at)
  if (applied.refused > 0) {
    yield* Effect.logWarning(`${applied.refused} memories were not stored: the user has as many as one user may have`)
  }
  const changed = new Set(changes.map(({ memory_id }) => memory_id))
  return applied.memories.filter(({ memory_id }) => changed.has(memory_id))
})

/** Before the end of a run, which it does not fail. */
export const inline = Effect.fnUntraced(function*(memory: RunMemory, recorder: RunRecorder) {
  recorder.emit({ event: "MemoryUpdateStarted" })
  const onUsage: ConversationRequest.OnUsage<never, never> = (usage, model) =>
    Effect.sync(() => addUsage(recorder, "memory_model", model, usage))
  const changed = yield* run({ memory, transcript: Transcript.make(recorder.messages), onUsage }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logWarning("The memories of a user could not be updated in the run", cause), [])
    )
  )
  recorder.emit({ event: "MemoryUpdateCompleted", memories: changed.map(Memory.toRecord) })
})
