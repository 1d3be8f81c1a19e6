// The background job that executes an evaluation, one run after the other. Each result is stored when its run has
// ended, so an evaluation that is resumed on another node or after its turn repeats none.
import * as Components from "@svc-runtime/agents/runService/Components"
import { isWorkflow } from "@svc-runtime/agents/workflow/Workflow"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as Usage from "@svc-runtime/domain/Usage"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import * as Share from "@svc-runtime/engine/limits/Share"
import * as CurrentWork from "@svc-runtime/engine/node/CurrentWork"
import * as RunLogLines from "@svc-runtime/engine/run/RunLogLines"
import { ModelCatalog } from "@svc-runtime/models/ModelCatalog"
import * as UnusableModel from "@svc-runtime/models/UnusableModel"
import * as EvaluationSpan from "@svc-runtime/telemetry/EvaluationSpan"
import { Effect, Option, Schema } from "effect"
import * as AttemptTime from "./AttemptTime.ts"
import * as EvalRun from "./EvalRun.ts"
import { EvalRunStore } from "./EvalRunStore.ts"
import * as EvaluatedComponent from "./EvaluatedComponent.ts"
import * as EvaluatedRun from "./EvaluatedRun.ts"
import { EvaluationDatabases } from "./EvaluationDatabases.ts"
import { EvaluationLimits } from "./EvaluationLimits.ts"
import * as EvaluatorAccount from "./EvaluatorAccount.ts"
import * as Judge from "./Judge.ts"
import { all } from "./types/all.ts"
import { type Environment, EvaluationFailed } from "./types/EvaluationType.ts"
import { UsedMemory } from "./types/Performance.ts"

// The tokens and the cost of judges, kept with the result of each run of an evaluation, and shown as their sum.

const key = "judge_metrics"

const decode = Schema.decodeUnknownOption(Usage.Counters)

const counted = (result: Json.Object, usage: Usage.Counters): Json.Object =>
  Object.keys(usage).length === 0 ? result : { ...result, [key]: Json.of(usage) }

const withoutUsage = ({ [key]: _, ...result }: Json.Object): Json.Object => result

/** Empty if no judge answered. */
const sumOf = (results: ReadonlyArray<Json.Object>): Json.Object => {
  const used = results.flatMap((result) => key in result ? Option.toArray(decode(result[key])) : [])
  return used.length === 0 ? {} : { [key]: Json.of(used.reduce(Usage.add)) }
}

const Payload = Schema.Struct({
  eval_run_id: EvalRun.Id,
  /** Of the request that made the evaluation: log lines have it. */
  request_id: Schema.optionalKey(Schema.String)
})

/** Evaluations with a waiting request are jobs of a kind of their own: they do not wait for those in the background. */
const kindNames = { background: "evaluation", awaited: "awaited_evaluation" } as const

const names: ReadonlyArray<string> = Object.values(kindNames)

/** Attempts without progress. Others are postponed. */
const maxAttempts = 10

const shape = { payload: Payload, maxAttempts, retryDelay: "2 seconds" } as const

/** For the transaction that stores the evaluation. */
export const of = Effect.fnUntraced(function*(id: EvalRun.Id, kind: keyof typeof kindNames) {
  const request_id = yield* RunLogLines.requestId
  return yield* Jobs.newJob(
    JobKind.withoutHandler({ ...shape, name: kindNames[kind] }),
    { eval_run_id: id, ...(request_id === undefined ? {} : { request_id }) },
    { key: id }
  )
})

/** Of a message for a component that takes JSON. */
const maxValues = 20_000

/** `own`: the database of components without one of their own. */
export const kinds = Effect.fnUntraced(function*(own: Ids.DatabaseId) {
  const [store, databases, models] = [yield* EvalRunStore, yield* EvaluationDatabases, yield* ModelCatalog]
  const components = yield* Components.current
  const [limits, usedMemory] = [yield* EvaluationLimits, yield* UsedMemory]
  const isActive = yield* EvaluatorAccount.EvaluatorAccount
  const paidBy = yield* CurrentWork.payers

  const runAll = Effect.fnUntraced(function*(
    { eval_type, id }: EvalRun.Stored,
    request: EvalRun.Request,
    context: JobKind.JobContext
  ) {
    const { guard, job } = context
    const isTurnOver = yield* AttemptTime.start(context)
    const type = all[eval_type]
    const { component, component_versions } = yield* Effect.mapError(
      EvaluatedComponent.again(components, request, request.component_versions),
      (error) => {
        if (error._tag === "StorageUnavailable") return error
        const isGone = error._tag === "ComponentNotFound"
        return new EvaluationFailed({ message: isGone ? EvaluatedComponent.notFound(request) : error.message })
      }
    )
    if (isWorkflow(component)) return yield* new EvaluationFailed({ message: EvaluatedComponent.notFound(request) })
    const database = component.db?.id ?? own
    const { engine } = yield* databases.of(database)
    const judge = yield* UnusableModel.resolve(models, EvaluatedComponent.judgeOfRequest(component, request, models))
    const evaluated: EvaluatedRun.Evaluated = {
      component,
      component_versions,
      request,
      engine,
      seconds: limits.runSeconds,
      maxValues,
      isOver: Effect.orElseSucceed(
        Effect.map(store.find(id), Option.match({ onNone: () => true, onSome: (run) => EvalRun.hasEnded(run.status) })),
        () => false
      )
    }
    const { kind } = request
    const payer = {
      id: job.id,
      isJob: true,
      attempt: job.lease,
      user_id: request.user_id,
      component: { kind, id: component.id }
    }
    const paid = paidBy(payer)
    const results = [...yield* store.results(id)]
    for (let place = results.length; place < type.total(request); place++) {
      const refusal = yield* EvaluatorAccount.refusal(isActive, request.user_id)
      if (refusal !== undefined) return yield* new EvaluationFailed({ message: refusal })
      let usage: Usage.Counters = {}
      let attempt = 1
      const environment: Environment = {
        usedMemory,
        request,
        place,
        run: (isTimed = false) =>
          Effect.tap(
            EvaluatedRun.execute(
              evaluated,
              EvaluatedRun.idsOf(id, place + 1, isTimed ? job.lease : undefined),
              isTimed
            ),
            (outcome) => Effect.sync(() => outcome._tag === "Completed" && (attempt = outcome.attempt))
          ),
        judge: (question, run) =>
          EvaluationSpan.around(
            Judge.ask({
              model: judge,
              question,
              guidelines: request.additional_guidelines,
              input: request.input,
              output: EvaluatedRun.textOf(run),
              seconds: limits.judgeSeconds,
              source: "evaluation",
              onUsage: (used) => {
                usage = Usage.add(usage, used)
              }
            }),
            { run, attempt, user_id: request.user_id, database },
            ({ passed, reason, score }) => [{ name: eval_type, score, passed, explanation: reason }]
          ).pipe(paid, Effect.annotateLogs({ run_id: run.run_id, session_id: run.session_id }))
      }
      const result = counted(yield* type.step(environment), usage)
      if (!(yield* guard(store.record(id, place, result)))) return
      yield* context.progressed
      results.push(result)
      if (yield* isTurnOver) return
    }
    yield* guard(store.finish(id, {
      status: "COMPLETED",
      error: null,
      eval_data: { ...type.data(results.map(withoutUsage), request), ...sumOf(results) },
      eval_input: type.input(request)
    }))
  })

  const handle = Effect.fnUntraced(function*({ eval_run_id: id }: typeof Payload.Type, context: JobKind.JobContext) {
    const found = yield* store.begin(id)
    if (Option.isNone(found) || found.value.request === null) return
    const { eval_type, request } = found.value
    const fail = (error: string) =>
      context.guard(
        store.finish(id, { status: "FAILED", error, eval_data: {}, eval_input: all[eval_type].input(request) })
      )
    yield* runAll(found.value, request, context).pipe(
      Effect.catchTag(
        "EvaluationFailed",
        ({ message }) => Effect.andThen(Effect.logWarning("An evaluation failed", message), fail(message))
      ),
      Effect.tapDefect(() =>
        JobKind.isLast(context) ? fail("It failed unexpectedly. The log has the cause") : Effect.void
      )
    )
  }, (effect, ids) =>
    effect.pipe(
      Effect.ensuring(Effect.sync(() => databases.ends.ended(ids.eval_run_id))),
      Effect.annotateLogs(ids)
    ))

  const timeout = AttemptTime.timeoutOf(limits, 1)
  const { concurrency } = limits
  const perUser = Share.shareOf(concurrency)
  return names.map((name) => JobKind.make({ ...shape, name, timeout, concurrency, perUser, handle }))
})
