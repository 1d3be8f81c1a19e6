// Cancels a run when its command is interrupted. The service has little time to answer: the person wants to leave.
import type { Component, RunReference } from "@svc/client"
import { Effect } from "effect"
import * as ServiceClient from "../service/ServiceClient.ts"
import { Output } from "../terminal/Output.ts"

export const cancel = Effect.fn("CancelledRun.cancel")(function*(runs: Component<"agent">, run: RunReference) {
  const output = yield* Output
  const cancelling = ServiceClient.call("Cancelling the run", (options) => runs.cancel(run, options))
  yield* Effect.matchEffect(Effect.timeout(cancelling, "3 seconds"), {
    onFailure: () => output.warn(`The run ${run.run_id} could not be cancelled, and may still execute.`),
    onSuccess: () => output.note(`run ${run.run_id} cancelled`)
  })
})
