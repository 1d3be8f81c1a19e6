// The block of docs/design/adding-a-feature.md about a job that is enqueued in the transaction of a store.
import type * as JobKind from "@svc-runtime/engine/jobs/JobKind"

// #region
import { newJob } from "@svc-runtime/engine/jobs/Jobs"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface Document {
  readonly id: string
}

const store = Effect.fnUntraced(function*(document: Document) {
  const sql = yield* SqlClient.SqlClient
  const jobStore = yield* JobStore
  yield* sql.withTransaction(Effect.gen(function*() {
    yield* insert(document)
    yield* jobStore.enqueue(yield* newJob(ingestion, { document_id: document.id }, { key: document.id }))
  }))
})
// #endregion

declare const ingestion: JobKind.JobKind<{ readonly document_id: string }>
declare const insert: (document: Document) => Effect.Effect<void>

export { store }
