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

/** More of them are counted. */
const maxNamed = 100

const singularOf = (resource: string): string => resource.replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", "_")

/** What a request created: the id in its response under the name of its kind, or of its path. */
const createdBy = (
  { path, subject_kind }: Change,
  { body, status }: HttpServerResponse.HttpServerResponse
): ReadonlyArray<string> => {
  if (status >= 300 || body._tag !== "Uint8Array" || body.body.length > maxRead) return []
  const names = [subject_kind, ...path.split("/", 2).slice(1)].map((resource) => `${singularOf(resource)}_id`)
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body.body))
    if (!Predicate.isObject(value)) return []
    const found = [...names, "id", "name"].map((name) => (value as Readonly<Record<string, unknown>>)[name])
    return found.filter(Predicate.isString).slice(0, 1)
  } catch {
    return []
  }
}

const endOf = <E>(
  change: Change,
  exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E>,
  named: ReadonlyArray<string> | undefined
): Ended => {
  const status = Exit.isFailure(exit) ? null : exit.value.status
  if (named !== undefined) {
    const subject_ids = [...new Set(named)]
    return subject_ids.length <= maxNamed
      ? { status, subject_ids }
      : { status, subject_ids: [], counts: { [change.subject_kind]: subject_ids.length } }
  }
  const isNew = Exit.isSuccess(exit) && change.subject_id === ""
  return { status, subject_ids: isNew ? createdBy(change, exit.value) : [] }
}

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
      recorded: <E, R>(change: Change, app: App<E, R>, named?: () => ReadonlyArray<string> | undefined): App<E, R> =>
        Effect.uninterruptibleMask((restore) =>
          Effect.matchEffect(restore(Effect.flatMap(now, (at) => store.begin(change, at))), {
            onFailure: () => Effect.succeed(refused),
            onSuccess: (id) =>
              Effect.onExit(restore(app), (exit) =>
                Effect.catch(store.end(id, endOf(change, exit, named?.())), () => logUnfinished(id, change)))
          })
        )
    }))
)
