// Why a stream of events ends before its run, in a sentence for the client. The log has what failed.
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import type { RunHandedOver } from "@svc/runtime/run/RunErrors"
import { Cause, Effect, Option } from "effect"
import * as RequestId from "../http/RequestId.ts"

export type StreamError = StorageUnavailable | RunHandedOver

export interface StreamFailure {
  /** `stopping`: the run has not failed, and can be watched again. */
  readonly reason: "stopping" | "unavailable" | "failed"
  readonly text: string
}

export const of = Effect.fnUntraced(function*(cause: Cause.Cause<StreamError>): Effect.fn.Return<StreamFailure> {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error?._tag === "RunHandedOver" || Cause.hasInterruptsOnly(cause)) {
    const text = "The service is stopping. The run continues: watch its events again"
    return { reason: "stopping", text }
  }
  if (error !== undefined) return { reason: "unavailable", text: error.message }
  const request_id = yield* RequestId.current
  yield* Effect.annotateLogs(Effect.logError("A stream of events broke off", cause), { request_id })
  return { reason: "failed", text: `The service failed. Its log says more under request_id ${request_id}.` }
})
