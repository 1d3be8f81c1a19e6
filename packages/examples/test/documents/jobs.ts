// The blocks of docs/guides/jobs.md for authors.

declare const ingest: (document: string, report: (progress: string) => Effect.Effect<void>) => Effect.Effect<void>

// #region
import { Agent, JobKind, serve } from "@svc-runtime/server"
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

import { Tool } from "@svc-runtime/server"
import { z } from "zod"

// #region
const store = Tool.make({
  name: "store_document",
  parameters: z.object({ document_id: z.string() }),
  effects: "idempotent",
  execute: async ({ document_id }, { effectId, enqueue }) => {
    const { id } = await enqueue(ingestion, { document_id }, { key: effectId })
    return { job: id }
  }
})
// #endregion

export { ingestion, store }
