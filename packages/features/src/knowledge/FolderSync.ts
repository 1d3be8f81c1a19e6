// Compares uploaded folders with their sources again, each after the interval of its source. One repeating job of each
// database, which only enqueues.
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { now } from "@svc-runtime/engine/now"
import { JobSignal } from "@svc-runtime/engine/signals/Signals"
import { Duration, Effect, Schema } from "effect"
import { ContentStore, type DueFolders } from "./ContentStore.ts"
import * as FolderJob from "./FolderJob.ts"
import { KnowledgeRegistry } from "./KnowledgeRegistry.ts"

const decode = Schema.decodeUnknownEffect(FolderJob.FolderSettings)

export const kind = Effect.gen(function*() {
  const contents = yield* ContentStore
  const { all } = yield* KnowledgeRegistry
  const signal = yield* JobSignal

  const restart = Effect.fnUntraced(function*(due: DueFolders) {
    for (;;) {
      const folders = yield* contents.dueFolders(due)
      let count = 0
      for (const { content, folder } of folders) {
        const how = yield* Effect.option(decode(folder))
        if (how._tag === "None") continue
        const job = yield* FolderJob.of(content, how.value, { is_sync: true })
        if (yield* contents.restart(content, [job])) count++
      }
      if (count > 0) signal.notify()
      // folders that could not begin are due still
      if (count === 0) break
    }
  })

  return JobKind.repeating({
    name: "knowledge_sync",
    every: "30 seconds",
    handle: Effect.fnUntraced(function*() {
      const at = yield* now
      for (const { id, knowledge: { sources }, name } of all) {
        for (const { id: source_id, sync } of sources) {
          if (sync === undefined) continue
          const before = at - Math.floor(Duration.toSeconds(sync))
          yield* restart({ instance: name, knowledge_id: id, source_id, before })
        }
      }
    })
  })
})
