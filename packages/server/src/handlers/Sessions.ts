// Sessions and their runs. A conversation is stored in the form in which responses show it, so responses with it are
// assembled as text.
import { Databases } from "@svc-runtime/agents/database/Databases"
import * as ClaimedFields from "@svc-runtime/agents/runService/ClaimedFields"
import * as Components from "@svc-runtime/agents/runService/Components"
import { Errors } from "@svc-runtime/api"
import { Sessions as Endpoints } from "@svc-runtime/api/Sessions"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Time from "@svc-runtime/domain/Time"
import { ByteLimits, checkState } from "@svc-runtime/engine/limits/ByteLimits"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import * as NewRun from "@svc-runtime/engine/run/NewRun"
import type { RunNotFound } from "@svc-runtime/engine/run/RunErrors"
import type { Conversation, SessionNotFound } from "@svc-runtime/engine/session/SessionStore"
import { TraceStore } from "@svc-runtime/features/traces/TraceStore"
import * as ChangeRecorder from "@svc-runtime/http/authorization/ChangeRecorder"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable, runNotFound, sessionNotFound } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import * as CheckedState from "../sessions/CheckedState.ts"
import * as SessionReading from "../sessions/SessionReading.ts"
import * as SessionRemoval from "../sessions/SessionRemoval.ts"

/** With an explicit type the text of the error names it, as in the contract. */
const notFound = (id: Session.Id, kind: ComponentKind.ComponentKind | undefined) => () =>
  Errors.notFound(
    `${kind === undefined ? "" : `${ComponentKind.descriptions[kind].label} `}Session with id '${id}' not found`
  )

/** The header of a response whose chat history has only the newest runs. */
const partial = { "x-chat-history": "partial" }

/** The header of a list whose later sessions have no states, because the earlier ones fill the response. */
const sayPartialList = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "x-session-states", "partial"))
)

/** Inserts the stored chat history into the encoded session without decoding it. */
const detail = (
  { chat, isWhole, leaf, session }: Conversation,
  kind: ComponentKind.ComponentKind | undefined,
  nulls: "keep" | "omit",
  status = 200
) => {
  const shape = Session.toDetail(session, kind ?? session.session_type)
  const encoded = nulls === "keep" ? JSON.stringify(shape) : Json.textWithoutNulls(shape)
  const current = leaf === null && nulls === "omit" ? "" : `,"current_run_id":${JSON.stringify(leaf)}`
  return JsonResponse.ofTexts(
    [encoded.slice(0, -1), current, ...(Session.hasChat(shape) ? [",\"chat_history\":", chat] : []), "}"],
    { status, headers: isWhole ? {} : partial }
  )
}

/** The response to a change: the session as it is now, with its nulls. */
const changed = (
  update: Effect.Effect<Conversation, RunNotFound | SessionNotFound | StorageUnavailable>,
  kind: ComponentKind.ComponentKind | undefined
) =>
  update.pipe(
    Effect.catchTags({
      RunNotFound: ({ run_id }) => Effect.fail(runNotFound(run_id)),
      SessionNotFound: (error) => Effect.fail(sessionNotFound(error))
    }),
    orUnavailable,
    Effect.map((conversation) => detail(conversation, kind, "keep"))
  )

/** Refuses a state that no run could store. */
const checkGiven = (byteLimits: ByteLimits, state: Json.Object | null | undefined) =>
  checkState({}, state ?? {}).pipe(
    Effect.provideService(ByteLimits, byteLimits),
    Effect.mapError(({ message }) => Errors.payloadTooLarge(message))
  )

const isGiven = <A>(value: A | null | undefined): value is A => value !== null && value !== undefined

const created = (
  body: Session.Create,
  kind: ComponentKind.ComponentKind,
  { createdAt, id, owner }: { readonly id: Session.Id; readonly owner: Ids.UserId | null; readonly createdAt: number }
): Session.Session => ({
  session_id: id,
  session_type: kind,
  ...ComponentKind.idsOf(kind, body[`${kind}_id`] ?? null),
  user_id: owner,
  session_name: body.session_name ?? null,
  derived_name: null,
  session_state: body.session_state ?? null,
  session_metrics: null,
  component_data: null,
  metadata: body.metadata ?? null,
  summary: null,
  created_at: createdAt,
  updated_at: createdAt
})

export const Sessions = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const reading = SessionReading.make(yield* Databases)
    const { choose } = reading
    const engine = yield* RunEngine
    const traces = Option.getOrUndefined(yield* Effect.serviceOption(TraceStore))
    const byteLimits = yield* ByteLimits
    const components = yield* Components.current
    const claimed = yield* ClaimedFields.ClaimedFields

    return handlers.handleAll({
      list: Effect.fn("Sessions.list")(function*({ query }) {
        const { isWhole, response } = yield* reading.page(query)
        if (!isWhole) yield* sayPartialList
        return JsonResponse.of(response)
      }),
      create: Effect.fn("Sessions.create")(function*({ payload, query }) {
        const { sessions } = yield* choose(query)
        const newId = yield* NewId
        const body = payload ?? {}
        const session_state = isGiven(body.session_state)
          ? yield* ClaimedFields.unclaimed(claimed, "session_state", body.session_state)
          : null
        yield* checkGiven(byteLimits, session_state)
        const named = isGiven(body.session_id) && body.session_id !== "" ? body.session_id : undefined
        const id = Session.Id.make((yield* RequestCaller.sessionOfNew(named)) ?? newId())
        const owner = yield* RequestCaller.ownerOfNew(body.user_id)
        const session = created({ ...body, session_state }, query.type, { id, owner, createdAt: yield* now })
        yield* CheckedState.check(components, session, session_state ?? {})
        yield* sessions.create(session).pipe(
          Effect.catchTag("SessionExists", (error) => Effect.fail(Errors.conflict(error.message))),
          orUnavailable
        )
        return detail({ session, leaf: null, chat: "[]", isWhole: true }, query.type, "omit", 201)
      }),
      get: Effect.fnUntraced(function*({ params, query }) {
        const { sessions } = yield* choose(query)
        const conversation = yield* sessions.getConversation(
          params.session_id,
          yield* RequestCaller.ownerOf(query.user_id)
        )
          .pipe(
            Effect.catchTag("SessionNotFound", () => Effect.fail(notFound(params.session_id, query.type)())),
            orUnavailable
          )
        const { session_type } = conversation.session
        // a session of another type is not found
        if (query.type !== undefined && query.type !== session_type) {
          return yield* notFound(params.session_id, query.type)()
        }
        return detail(conversation, undefined, "omit")
      }),
      listRuns: Effect.fn("Sessions.listRuns")(function*({ params, query }) {
        const request = { ...query, ...params }
        const records = yield* reading.records(request, yield* reading.runs(request))
        return JsonResponse.of(records.map((record) => Json.withoutNulls(record)))
      }),
      getRun: Effect.fn("Sessions.getRun")(function*({ params, query }) {
        const request = { ...query, ...params }
        const [record] = yield* reading.records(request, [yield* reading.run(request)])
        return JsonResponse.of(record ?? {})
      }),
      rename: Effect.fn("Sessions.rename")(function*({ params, payload, query }) {
        const { sessions } = yield* choose(query)
        const patch = { session_name: payload.session_name, updated_at: yield* now }
        return yield* changed(
          sessions.update(params.session_id, yield* RequestCaller.ownerOf(query.user_id), patch),
          query.type
        )
      }),
      update: Effect.fn("Sessions.update")(function*({ params, payload, query }) {
        const { sessions } = yield* choose(query)
        yield* checkGiven(byteLimits, payload.session_state)
        const owner = yield* RequestCaller.ownerOf(query.user_id)
        const session_state = isGiven(payload.session_state)
          ? yield* ClaimedFields.unclaimed(claimed, "session_state", payload.session_state)
          : undefined
        if (session_state !== undefined) {
          const found = yield* orUnavailable(sessions.find(params.session_id, owner))
          if (Option.isSome(found)) {
            const kept = ClaimedFields.kept(claimed, found.value.session_state)
            yield* CheckedState.check(components, found.value, { ...session_state, ...kept })
          }
        }
        const updated_at = yield* now
        const { current_run_id: current } = payload
        if (isGiven(current) && current !== NewRun.start && !Ids.isExact(current)) return yield* runNotFound(current)
        const patch = {
          leaf: isGiven(current) ? current === NewRun.start ? null : Run.Id.make(current) : undefined,
          session_name: payload.session_name ?? undefined,
          session_state,
          kept_state: claimed.session_state,
          metadata: payload.metadata ?? undefined,
          summary: isGiven(payload.summary)
            ? { ...payload.summary, updated_at: payload.summary.updated_at ?? Time.toDateTime(updated_at) }
            : undefined,
          updated_at
        }
        return yield* changed(
          sessions.update(params.session_id, owner, patch),
          query.type
        )
      }),
      remove: Effect.fn("Sessions.remove")(function*({ params, query }) {
        const filter = { owner: yield* RequestCaller.ownerOf(query.user_id) }
        const removing = SessionRemoval.remove({ engine, traces }, yield* choose(query), [params.session_id], filter)
        yield* orUnavailable(removing)
      }),
      removeMany: Effect.fn("Sessions.removeMany")(function*({ payload, query }) {
        if (payload.session_ids.length !== payload.session_types.length) {
          return yield* Errors.badRequest("Session IDs and session types must have the same length")
        }
        yield* ChangeRecorder.names(payload.session_ids)
        const filter = { owner: yield* RequestCaller.ownerOf(query.user_id) }
        const removing = SessionRemoval.remove({ engine, traces }, yield* choose(query), payload.session_ids, filter)
        yield* orUnavailable(removing)
      })
    })
  })
)
