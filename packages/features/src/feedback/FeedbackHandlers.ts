// Feedback on runs. A run of another user is not found.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import * as Given from "./Feedback.ts"
import { Feedback as Endpoints } from "./FeedbackApi.ts"
import type { FeedbackFilter } from "./FeedbackStore.ts"

const notFound = (id: Run.Id) => Errors.notFound(`Run with id '${id}' not found`)

const full = (id: Run.Id) =>
  Errors.conflict(`Run '${id}' has ${Given.maxPerRun} feedback entries, which is the limit for a run`)

/** At most one, as everywhere. */
const componentOf = Effect.fnUntraced(function*(
  query: Readonly<Partial<Record<`${ComponentKind.ComponentKind}_id`, string>>>
) {
  const named = ComponentKind.ComponentKind.literals.flatMap((kind) => {
    const id = query[`${kind}_id`]
    return id === undefined ? [] : [{ kind, id }]
  })
  if (named.length > 1) return yield* Errors.badRequest("Only one of agent_id, team_id or workflow_id can be given")
  return named[0]
})

export const Feedback = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const choose = chooseDatabase(yield* Databases)

    return handlers.handleAll({
      give: Effect.fn("Feedback.give")(function*({ params: { run_id }, payload, query }) {
        const { feedback } = yield* choose(query)
        const given: Given.New = {
          id: Given.Id.make((yield* NewId)()),
          run_id,
          user_id: yield* RequestCaller.ownerOfNew(payload.user_id),
          source: "user",
          key: payload.key ?? Given.defaultKey,
          score: payload.score,
          comment: payload.comment ?? null,
          at: yield* now
        }
        const stored = yield* Effect.catchTag(
          feedback.put(given, yield* RequestCaller.ownerOf(undefined)),
          "FeedbackFull",
          () => Effect.fail(full(run_id))
        )
        if (Option.isNone(stored)) return yield* notFound(run_id)
        return Given.toFeedback(stored.value)
      }, orUnavailable),
      ofRun: Effect.fn("Feedback.ofRun")(function*({ params: { run_id }, query }) {
        const { feedback } = yield* choose(query)
        const found = yield* feedback.ofRun(run_id, yield* RequestCaller.ownerOf(undefined))
        if (Option.isNone(found)) return yield* notFound(run_id)
        return JsonResponse.of(found.value.map(Given.toFeedback))
      }, orUnavailable),
      list: Effect.fn("Feedback.list")(function*({ query }) {
        const { feedback } = yield* choose(query)
        const { key, run_id, session_id, source } = query
        const filter: FeedbackFilter = {
          owner: yield* RequestCaller.ownerOf(query.user_id),
          component: yield* componentOf(query),
          run_id,
          session_id,
          key,
          source
        }
        const found = yield* feedback.list(filter, query)
        return JsonResponse.of(Pagination.response(query, found.feedback.map(Given.toFeedback), found.total))
      }, orUnavailable),
      remove: Effect.fn("Feedback.remove")(function*({ params: { feedback_id: id }, query }) {
        const { feedback } = yield* choose(query)
        if (yield* feedback.remove(id, yield* RequestCaller.ownerOf(undefined))) return
        return yield* Errors.notFound(`Feedback with id '${id}' not found`)
      }, orUnavailable)
    })
  })
)
