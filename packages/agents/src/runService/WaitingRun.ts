// The paused run that a request answers, for callers who build the decisions from what the run waits for.
import * as Run from "@svc-runtime/domain/Run"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import { Effect } from "effect"
import type { RunService } from "./RunService.ts"
import type { RunQuery } from "./VisibleRuns.ts"

/** The run with what it waits for. One that is not paused is refused as `continue` refuses it. */
export const find = Effect.fnUntraced(function*(service: RunService["Service"], query: RunQuery) {
  const run = yield* service.get({ ...query, partOf: "continue" })
  if (run.status === "PAUSED") return run
  const status = Run.isActive(run.status) ? yield* service.refusingStatus(query) : run.status
  return yield* new ContinueRejected({ reason: "notPaused", message: `Run is not paused (status=${status})`, status })
})
