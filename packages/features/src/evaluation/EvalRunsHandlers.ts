// Evaluation runs. A job evaluates, whether or not the request waits for it: neither a client that disconnects nor a
// node that stops ends an evaluation.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { ModelCatalog } from "@svc-runtime/agents/Models"
import * as Caller from "@svc-runtime/agents/runService/Caller"
import * as Components from "@svc-runtime/agents/runService/Components"
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as AwaitedEnds from "@svc-runtime/engine/node/AwaitedEnds"
import { now } from "@svc-runtime/engine/now"
import * as Author from "@svc-runtime/http/authorization/Author"
import * as ChangeRecorder from "@svc-runtime/http/authorization/ChangeRecorder"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import * as RequestId from "@svc-runtime/http/requests/RequestId"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import * as DuringOutage from "@svc-runtime/http/wire/DuringOutage"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { notListed, orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import * as EvalRun from "./EvalRun.ts"
import { EvalRuns as Endpoints } from "./EvalRunsApi.ts"
import { EvaluationDatabases } from "./EvaluationDatabases.ts"
import * as EvaluationJobs from "./EvaluationJobs.ts"
import { tooManyEvaluations } from "./EvaluationJobs.ts"
import { EvaluationLimits } from "./EvaluationLimits.ts"
import * as EvaluationRequest from "./EvaluationRequest.ts"
import * as StoredEvaluationDatabase from "./StoredEvaluationDatabase.ts"

const notFound = (id: string) => Errors.notFound(`Eval run with id '${id}' not found`)

const namesIn = (text: string): ReadonlyArray<string> => text.split(",").map((name) => name.trim())

const isType = Schema.is(EvalRun.Type)
const isStatus = Schema.is(EvalRun.Status)

const invalid = (field: string, detail: string) => Errors.invalidValue(["query", field], detail)

const typesOf = Effect.fnUntraced(function*(text: string | undefined) {
  if (text === undefined || text === "") return undefined
  const wrong = namesIn(text).find((name) => !isType(name))
  return wrong === undefined ? namesIn(text).filter(isType) : yield* invalid(
    "eval_types",
    `Invalid eval_type: '${wrong}' is not a valid EvalType. Valid types: ${EvalRun.Type.literals.join(", ")}`
  )
})

const statusesOf = Effect.fnUntraced(function*(text: string | undefined) {
  if (text === undefined || text === "") return ["COMPLETED" as const]
  const wrong = namesIn(text).find((name) => !isStatus(name))
  return wrong === undefined ? namesIn(text).filter(isStatus) : yield* invalid(
    "status",
    `Invalid status: '${wrong}'. Valid statuses: ${EvalRun.Status.literals.join(", ")}`
  )
})

const named = (id: EvalRun.Id): DuringOutage.Named => ({ subject: `Evaluation '${id}'`, path: `/eval-runs/${id}` })

const evaluator = (author: Author.Author, requested: Ids.UserId | undefined) =>
  Effect.gen(function*() {
    const user_id = yield* RequestCaller.actorOfNew(requested)
    const principal = yield* CurrentPrincipal
    const caller = Caller.make(principal)
    return {
      user_id,
      isIsolated: principal.isIsolated,
      mayChange: (ref: ComponentRef) => Caller.mayChange(caller, ref),
      permit: (ref: ComponentRef) => Effect.provideService(author.ofRuns(ref), CurrentPrincipal, principal)
    }
  })

/** The job has logged the reason, with the id of the request. */
const failure = ({ error, eval_type, id }: EvalRun.Stored) =>
  Effect.map(RequestId.current, (request_id) => {
    const detail = `Failed to run ${EvalRun.typeNames[eval_type]} evaluation`
    return new Errors.Internal({
      detail,
      error_code: "INTERNAL_SERVER_ERROR",
      request_id,
      eval_run_id: id,
      ...(error === null ? {} : { error })
    })
  })

export const EvalRuns = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const databases = yield* Databases
    const choose = chooseDatabase(databases)
    const author = yield* Author.make
    const inOwn = StoredEvaluationDatabase.check(databases)
    const evaluations = yield* EvaluationDatabases
    const { signalIn, stop } = yield* EvaluationJobs.make
    const { unfinished: limit } = yield* EvaluationLimits
    const duringOutage = yield* DuringOutage.make
    const parts = { components: yield* Components.current, models: yield* ModelCatalog }

    const found = Effect.fnUntraced(function*({ evalRuns }: Database, id: EvalRun.Id) {
      return yield* Option.match(yield* evalRuns.find(id), {
        onNone: () => Effect.fail(notFound(id)),
        onSome: Effect.succeed
      })
    })

    return handlers.handleAll({
      list: Effect.fn("EvalRuns.list")(function*({ query }) {
        const { evalRuns } = yield* choose(query)
        const { agent_id, model_id, team_id, type: kind, workflow_id } = query
        const types = yield* typesOf(query.eval_types)
        const statuses = yield* statusesOf(query.status)
        const filter = { agent_id, model_id, team_id, workflow_id, kind, types, statuses }
        const page = yield* evalRuns.list(filter, query, { by: query.sort_by, order: query.sort_order }).pipe(
          Effect.mapError(notListed)
        )
        return JsonResponse.of(Pagination.response(query, page.evalRuns.map(EvalRun.toEvalRun), page.total))
      }),
      get: Effect.fn("EvalRuns.get")(function*({ params, query }) {
        return EvalRun.toEvalRun(yield* found(yield* choose(query), params.eval_run_id))
      }, orUnavailable),
      rename: Effect.fn("EvalRuns.rename")(function*({ params, payload, query }) {
        const { evalRuns } = yield* choose(query)
        const renamed = yield* evalRuns.rename(params.eval_run_id, payload.name, yield* now)
        return Option.isNone(renamed)
          ? yield* notFound(params.eval_run_id)
          : EvalRun.toEvalRun(renamed.value)
      }, orUnavailable),
      removeMany: Effect.fn("EvalRuns.removeMany")(function*({ payload, query }) {
        yield* ChangeRecorder.names(payload.eval_run_ids)
        const database = yield* choose(query)
        const jobs = yield* database.evalRuns.remove(payload.eval_run_ids)
        yield* stop(database, jobs)
      }, orUnavailable),
      create: Effect.fn("EvalRuns.create")(function*({ payload, query }) {
        const database = yield* choose(query)
        const made = yield* EvaluationRequest.make(parts, payload, yield* evaluator(author, undefined)).pipe(
          Effect.catchTags({
            EvaluationInvalid: ({ message }) => Effect.fail(Errors.badRequest(message)),
            EvaluatedNotFound: ({ message }) => Effect.fail(Errors.notFound(message)),
            JobInvalid: Effect.die
          })
        )
        const { id, request } = made.stored
        if (request?.component_versions !== undefined) yield* inOwn(database)
        const evaluate = Effect.gen(function*() {
          if (!(yield* duringOutage.store(database.evalRuns.create(made.stored, made.job, limit), named(id)))) {
            return yield* tooManyEvaluations("evaluations", request?.user_id ?? null, limit)
          }
          yield* signalIn(database)
        })
        if (payload.background === true) {
          yield* evaluate
          const accepted: EvalRun.Accepted = { id, status: "PENDING" }
          return HttpServerResponse.jsonUnsafe(accepted, { status: 202 })
        }
        const evalRun = yield* evaluations.ends.awaiting(id, (ended) => {
          const end = AwaitedEnds.read(found(database, id), ({ status }) => EvalRun.hasEnded(status), ended)
          return Effect.andThen(evaluate, duringOutage.awaitEnd(end, named(id)))
        })
        if (evalRun.status === "CANCELLED") return yield* Errors.conflict(`Evaluation '${id}' was cancelled`)
        return evalRun.status === "FAILED"
          ? yield* yield* failure(evalRun)
          : EvalRun.toResponse(evalRun, made.evaluated)
      }, orUnavailable),
      cancel: Effect.fn("EvalRuns.cancel")(function*({ params: { eval_run_id: id }, query }) {
        const database = yield* choose(query)
        const before = yield* found(database, id)
        const { eval_data, eval_input } = before
        const isCancelled = yield* database.evalRuns.finish(id, {
          status: "CANCELLED",
          error: "It was cancelled",
          eval_data,
          eval_input
        })
        if (isCancelled) {
          yield* stop(database, [before.job_id])
          yield* signalIn(database)
          evaluations.ends.ended(id)
        }
        return EvalRun.toEvalRun(yield* found(database, id))
      }, orUnavailable)
    })
  })
)
