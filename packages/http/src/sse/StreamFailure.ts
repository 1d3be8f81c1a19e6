// Why a stream of events ends before its run, in a sentence for the client. The log has what failed.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { RunHandedOver } from "@svc-runtime/engine/run/RunErrors"
import { Cause, Effect, Option } from "effect"
import * as RequestId from "../requests/RequestId.ts"

export type StreamError = StorageUnavailable | RunHandedOver

export interface StreamFailure {
  /** False: only the stream has. The run can be watched again. */
  readonly hasRunFailed: boolean
  readonly text: string
}

export const of = Effect.fnUntraced(function*(cause: Cause.Cause<StreamError>): Effect.fn.Return<StreamFailure> {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error?._tag === "RunHandedOver" || Cause.hasInterruptsOnly(cause)) {
    return { hasRunFailed: false, text: "The service is stopping. The run continues: watch its events again" }
  }
  if (error !== undefined) {
    const text = `${error.message.replace(/\.$/, "")}. This does not end the run: watch its events again`
    return { hasRunFailed: false, text }
  }
  const request_id = yield* RequestId.current
  yield* Effect.annotateLogs(Effect.logError("A stream of events broke off", cause), { request_id })
  return { hasRunFailed: true, text: `The service failed. Its log says more under request_id ${request_id}.` }
})
