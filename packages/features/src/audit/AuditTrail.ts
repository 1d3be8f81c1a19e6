// Records the changes of requests: before a change is made, so that none is made without an entry, and after it with
// its status.
import { now } from "@svc-runtime/engine/now"
import { type App, type Change, ChangeRecorder } from "@svc-runtime/http/authorization/ChangeRecorder"
import { errorResponse } from "@svc-runtime/http/middleware/ErrorResponses"
import { Effect, Exit, Layer, Predicate } from "effect"
import type { HttpServerResponse } from "effect/http"
import { AuditStore, type Ended } from "./AuditStore.ts"

const refused = errorResponse(
  503,
  "SERVICE_UNAVAILABLE",
  "The change was not made, because it could not be recorded in the audit log: the database does not reply. Try again"
)

/** Longer responses have more than what was created. */
const maxRead = 64 * 1024

const idNames = /^(id|.+_id)$/

/** What a request created: the first id of its response. */
const createdBy = ({ body, status }: HttpServerResponse.HttpServerResponse): string | undefined => {
  if (status >= 300 || body._tag !== "Uint8Array" || body.body.length > maxRead) return undefined
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body.body))
    if (!Predicate.isObject(value)) return undefined
    const id = Object.entries(value).find(([name, each]) => idNames.test(name) && typeof each === "string")?.[1]
    return typeof id === "string" ? id : undefined
  } catch {
    return undefined
  }
}

const endOf = <E>(
  { subject_id }: Change,
  exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E>
): Ended =>
  Exit.isFailure(exit)
    ? { status: null, subject_id: undefined }
    : { status: exit.value.status, subject_id: subject_id === "" ? createdBy(exit.value) : undefined }

/** The change has been made, so its response is sent all the same. */
const logUnfinished = (id: number, { action }: Change) =>
  Effect.annotateLogs(
    Effect.logWarning("The status of a change is missing in the audit log, because the database does not reply"),
    { audit_id: id, action }
  )

export const layer = Layer.effect(
  ChangeRecorder,
  Effect.map(AuditStore, (store) =>
    ChangeRecorder.of({
      recorded: <E, R>(change: Change, app: App<E, R>): App<E, R> =>
        Effect.uninterruptibleMask((restore) =>
          Effect.matchEffect(restore(Effect.flatMap(now, (at) => store.begin(change, at))), {
            onFailure: () => Effect.succeed(refused),
            onSuccess: (id) =>
              Effect.onExit(restore(app), (exit) =>
                Effect.catch(store.end(id, endOf(change, exit)), () => logUnfinished(id, change)))
          })
        )
    }))
)
