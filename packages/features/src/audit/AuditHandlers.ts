// The audit log. An isolated caller gets the own changes.
import { Errors } from "@svc-runtime/api"
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Time from "@svc-runtime/domain/Time"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { Audit as Endpoints } from "./AuditApi.ts"
import type * as AuditEntry from "./AuditEntry.ts"
import { AuditStore } from "./AuditStore.ts"

interface Query extends Omit<AuditEntry.Filter, "since" | "until"> {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

const timeOf = Effect.fnUntraced(function*(name: "since" | "until", given: string | undefined) {
  if (given === undefined) return undefined
  const time = Time.microsecondsOf(Time.fromQuery(given))
  if (Option.isSome(time)) return Math.floor(time.value / 1_000_000)
  return yield* Errors.badRequest(`${name} is no time. Use ISO 8601, such as 2026-11-20T10:00:00Z`)
})

const filterOf = Effect.fnUntraced(function*(query: Query) {
  const { actor, request_id, subject_id, subject_kind } = query
  const since = yield* timeOf("since", query.since)
  const until = yield* timeOf("until", query.until)
  const filter: AuditEntry.Filter = { actor, request_id, subject_id, subject_kind, since, until }
  return filter
})

/** Entries that are read at once for an export. */
const batch = 500

const encoder = new TextEncoder()

const linesOf = (entries: ReadonlyArray<AuditEntry.AuditEntry>): Uint8Array =>
  encoder.encode(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""))

/** Read in batches, as fast as the client reads. */
const exported = (store: AuditStore["Service"], filter: AuditEntry.Filter, owner: Owner.Owner) =>
  Stream.paginate(0, (after: number) =>
    Effect.map(store.after(after, filter, owner, batch), (entries) =>
      [
        entries.length === 0 ? [] : [linesOf(entries)],
        entries.length < batch ? Option.none<number>() : Option.fromUndefinedOr(entries.at(-1)?.id)
      ] as const))

export const Audit = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const store = yield* AuditStore

    return handlers.handleAll({
      list: Effect.fn("Audit.list")(function*({ query }) {
        const owner = yield* RequestCaller.ownerOf(undefined)
        const { entries, total } = yield* store.list(yield* filterOf(query), owner, query)
        return JsonResponse.of(Pagination.response(query, entries, total))
      }, orUnavailable),
      export: Effect.fn("Audit.export")(function*({ query }) {
        const owner = yield* RequestCaller.ownerOf(undefined)
        const lines = exported(store, yield* filterOf(query), owner)
        return HttpServerResponse.stream(lines, { contentType: "application/x-ndjson" })
      }, orUnavailable)
    })
  })
)
