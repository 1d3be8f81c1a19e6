// The tools with which a model keeps memories of the user of its run. The key of a change is that of the call: a call
// that is repeated after a crash changes nothing twice.
import * as Memory from "@svc-runtime/domain/Memory"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"
import { Effect, Schema } from "effect"
import * as MemoryRanking from "./MemoryRanking.ts"
import { CurrentMemory, isEnabled } from "./RunMemory.ts"

class MemoryUnusable extends Schema.TaggedError<MemoryUnusable>()("MemoryUnusable", { message: Schema.String }) {}

const current = Effect.gen(function*() {
  const memory = yield* CurrentMemory
  if (memory === undefined) {
    return yield* new MemoryUnusable({ message: "This run has no memory: it has no user, or memory is switched off" })
  }
  if (!(yield* isEnabled(memory))) {
    return yield* new MemoryUnusable({ message: "The user has switched memory off" })
  }
  return memory
})

const operations = { Create: "create_memory", Update: "update_memory", Remove: "delete_memory" } as const

const apply = Effect.fnUntraced(function*(change: Memory.Change, key: string) {
  const memory = yield* current
  const applied = yield* OperationSpan.memory(
    memory.memories.apply(memory.user_id, [change], { ...memory.source, key }, yield* now),
    operations[change._tag]
  )
  if (applied.isErased) {
    return yield* new MemoryUnusable({ message: "Nothing was stored: what was known about the user was deleted" })
  }
  if (applied.refused > 0) {
    return yield* new MemoryUnusable({
      message: "The user has as many memories as one user may have. Forget some first"
    })
  }
  return applied.memories
})

const text = Memory.Text.annotate({ description: "One statement about the user, in the third person" })
const topics = Schema.optionalKey(Memory.Topics.annotate({ description: "A few words to find it by" }))
const id = Memory.Id.annotate({ description: "The id of the memory, as recall gives it" })

/** How many memories a call of `recall` gives. */
const recalled = 20

const budget = { maxBytes: 256 * 1024, maxCount: 500 }

/** How long a call of `recall` waits for the vector of the query. */
const within = "2 seconds"

const remember = Tool.make({
  name: "remember",
  description: "Remembers a lasting fact about the user for later conversations",
  parameters: Schema.Struct({ memory: text, topics }),
  effects: "idempotent",
  execute: Effect.fnUntraced(function*({ memory, topics = [] }, { effectId }) {
    const memory_id = Memory.Id.make((yield* NewId)())
    yield* apply({ _tag: "Create", memory_id, memory, topics }, effectId)
    return { stored: memory }
  })
})

const update = Tool.make({
  name: "update_memory",
  description: "Replaces a memory about the user by a corrected one",
  parameters: Schema.Struct({ memory_id: id, memory: text, topics }),
  effects: "idempotent",
  execute: Effect.fnUntraced(function*({ memory, memory_id, topics = [] }, { effectId }) {
    const memories = yield* apply({ _tag: "Update", memory_id, memory, topics }, effectId)
    if (!memories.some((each) => each.memory_id === memory_id)) {
      return yield* new MemoryUnusable({ message: `The user has no memory with the id ${memory_id}` })
    }
    return { updated: memory_id }
  })
})

const forget = Tool.make({
  name: "forget",
  description: "Removes a memory about the user, if it is wrong or the user wants it",
  parameters: Schema.Struct({ memory_id: id }),
  effects: "idempotent",
  execute: Effect.fnUntraced(function*({ memory_id }, { effectId }) {
    yield* apply({ _tag: "Remove", memory_id }, effectId)
    return { forgotten: memory_id }
  })
})

const recall = Tool.make({
  name: "recall",
  description: "Finds memories about the user",
  parameters: Schema.Struct({ query: Schema.String.annotate({ description: "What to look for" }) }),
  effects: "read",
  execute: Effect.fnUntraced(function*({ query }) {
    const memory = yield* current
    const found = yield* MemoryRanking.ranked(memory, { text: query, budget, within })
    return found.slice(0, recalled).map(({ memory, memory_id, topics }) => ({ memory_id, memory, topics }))
  })
})

export const tools: ReadonlyArray<Tool.Tool> = [remember, update, forget, recall]
