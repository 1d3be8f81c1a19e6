// Serialized runs of one session.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { Effect } from "effect"
import { ending, newId, newRun } from "../Samples.ts"

export const anyone = { owner: Owner.anyone }

/** A serialized run, of a node of its own. */
export const queuedRun = (fields: Partial<NewRun> = {}) =>
  newRun({ isSerialized: true, node: newId("node"), ...fields })

export const isWaiting = (run: NewRun) =>
  RunStore.use((runs) => Effect.map(runs.create(run), (accepted) => accepted.isQueued))

export const statusOf = ({ run_id, session_id }: NewRun) =>
  RunStore.use((runs) =>
    Effect.map(Effect.flatMap(runs.find(session_id, run_id, anyone), Effect.fromOption), ({ status }) => status)
  )

export const end = (run: NewRun, fields: Partial<Run.Output> = {}, attempt = 1) =>
  RunStore.use((runs) => runs.finish({ ...ending(run, { run: fields }), attempt }))

export const dequeue = ({ node, session_id }: NewRun) =>
  RunStore.use((runs) =>
    Effect.map(runs.dequeue({ node, sessions: [session_id], uncertain: [] }), (all) => all.map(({ run_id }) => run_id))
  )
