// The id of the current request, as the client has it in `X-Request-Id`.
import { NewId } from "@svc-runtime/engine/NewId"
import { Effect, References } from "effect"

/** The key of the id in log lines. */
const key = "request_id"

export const annotations = (id: string): Readonly<Record<string, unknown>> => ({ [key]: id })

/** A new id outside of requests. */
export const current: Effect.Effect<string> = Effect.gen(function*() {
  const { [key]: id } = yield* References.CurrentLogAnnotations
  return typeof id === "string" ? id : (yield* NewId)()
})
