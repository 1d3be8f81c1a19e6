// The blocks of docs/jobs.md for authors.

declare const ingest: (document: string, report: (progress: string) => Effect.Effect<void>) => Effect.Effect<void>

// #region
import { Agent, JobKind, serve } from "@svc/server"
import { Effect } from "effect"

const cleaning = JobKind.repeating({ name: "cleaning", every: "1 hour", handle: () => Effect.log("Cleaned") })

serve({ agents: [Agent.make({ id: "assistant" })], jobs: [cleaning] })
// #endregion

import { Schema } from "effect"

// #region
const ingestion = JobKind.make({
  name: "ingestion",
  payload: Schema.Struct({ document_id: Schema.String }),
  concurrency: 2,
  handle: ({ document_id }, job) => ingest(document_id, job.report)
})
// #endregion

export { ingestion }
