// The background job that executes an experiment, some items at a time. Each result is stored when its run has ended,
// so an experiment that is resumed on another node or after its turn repeats none.
import * as Components from "@svc-runtime/agents/runService/Components"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import { cut } from "@svc-runtime/domain/scoring/CutText"
import type * as Scorer from "@svc-runtime/domain/scoring/Scorer"
import * as UsageSums from "@svc-runtime/domain/UsageSums"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import * as Share from "@svc-runtime/engine/limits/Share"
import * as CurrentWork from "@svc-runtime/engine/node/CurrentWork"
import { now } from "@svc-runtime/engine/now"
import { ModelCatalog } from "@svc-runtime/models/ModelCatalog"
import * as UnusableModel from "@svc-runtime/models/UnusableModel"
import { Array as Arr, Effect, Option, Schema } from "effect"
import * as AttemptTime from "../AttemptTime.ts"
import type * as Dataset from "../Dataset.ts"
import { DatasetStore } from "../datasets/DatasetStore.ts"
import * as EvaluatedComponent from "../EvaluatedComponent.ts"
import * as EvaluatedRun from "../EvaluatedRun.ts"
import { EvaluationDatabases } from "../EvaluationDatabases.ts"
import { EvaluationLimits } from "../EvaluationLimits.ts"
import * as EvaluatorAccount from "../EvaluatorAccount.ts"
import * as Experiment from "../Experiment.ts"
import * as Rating from "../Rating.ts"
import { type End, ExperimentStore } from "./ExperimentStore.ts"
import * as Summary from "./Summary.ts"

const Payload = Schema.Struct({ experiment_id: Experiment.Id })

export const name = "experiment"

/** Attempts without progress. Others are postponed. */
const maxAttempts = 10

const shape = { name, payload: Payload, maxAttempts, retryDelay: "2 seconds" } as const

const enqueued = JobKind.withoutHandler(shape)

/** For the transaction that stores the experiment. */
export const of = (id: Experiment.Id) => Jobs.newJob(enqueued, { experiment_id: id }, { key: id })

/** Of a message for a component that takes JSON. */
const maxValues = 20_000

type Found = Effect.Success<ReturnType<typeof EvaluatedComponent.find>>

/** Items that are read at once. */
const pageSize = 20

/** The experiment has ended in the meantime, or was removed. */
class Over extends Schema.TaggedError<Over>()("ExperimentOver", {}) {}

const expectationOf = ({ expected_output, expected_tool_calls }: Dataset.Item): Scorer.Expectation => ({
  ...(expected_output === null ? {} : { expected_output }),
  ...(expected_tool_calls === null ? {} : { expected_tool_calls })
})

const noFigures = {
  score: null,
  scores: [],
  duration: null,
  tokens: 0,
  cost: null,
  unpriced_tokens: 0,
  judge_tokens: 0,
  judge_cost: null
}

const failed = (item_id: Dataset.ItemId, input: string | null, error: string): Experiment.Item => ({
  ...noFigures,
  item_id,
  input: input === null ? null : Experiment.beginningOf(input),
  run_id: null,
  session_id: null,
  status: "error",
  output: null,
  error
})

/** The store has logged why an item cannot be read. */
const damaged = (item_id: Dataset.ItemId): Experiment.Item =>
  failed(item_id, null, "The stored item of the dataset is damaged. The log has the cause")

const figuresOf = (run: AnyRun.Output) => {
  const usage = AnyRun.usageOf(run)
  const { cost = null, total_tokens: tokens = 0 } = usage
  return { duration: AnyRun.durationOf(run) ?? null, tokens, cost, unpriced_tokens: UsageSums.unpricedTokensOf(usage) }
}

/** `own`: the database of components without one of their own. */
export const kind = Effect.fnUntraced(function*(own: Ids.DatabaseId) {
  const [store, datasets, databases] = [yield* ExperimentStore, yield* DatasetStore, yield* EvaluationDatabases]
  const models = yield* ModelCatalog
  const components = yield* Components.current
  const limits = yield* EvaluationLimits
  const isActive = yield* EvaluatorAccount.EvaluatorAccount
  const paidBy = yield* CurrentWork.payers

  const resultOf = Effect.fnUntraced(function*(
    { id, is_isolated, kind, scorers, user_id }: Experiment.Stored,
    { component, component_versions }: Found,
    item: Dataset.Item,
    place: number,
    { id: payer, lease: attempt }: JobKind.JobContext["job"]
  ) {
    const database = component.db?.id ?? own
    const { engine } = yield* databases.of(database)
    const input = Run.textOf(item.input)
    const ids = EvaluatedRun.idsOf(id, place + 1)
    const outcome = yield* EvaluatedRun.execute({
      component,
      component_versions,
      request: { input, is_isolated, kind, model: null, user_id },
      engine,
      seconds: limits.runSeconds,
      maxValues,
      isOver: Effect.orElseSucceed(
        Effect.map(
          store.find(id, Owner.anyone),
          Option.match({ onNone: () => true, onSome: ({ status }) => Experiment.hasEnded(status) })
        ),
        () => false
      )
    }, ids)
    const { output: run } = outcome
    if (outcome._tag === "Failed" || run === undefined) {
      const reason = outcome._tag === "Failed" ? outcome.reason : "There is no output"
      return { ...failed(item.id, input, reason), ...ids, ...(run === undefined ? {} : figuresOf(run)) }
    }
    const { scores, unjudged, usage } = yield* Rating.rate({
      scorers,
      input,
      run,
      attempt: outcome.attempt,
      user_id,
      database,
      expectation: expectationOf(item),
      judge: yield* UnusableModel.resolve(models, EvaluatedComponent.judgeOf(models)),
      seconds: limits.judgeSeconds,
      source: "experiment"
    }).pipe(paidBy({ id: payer, isJob: true, attempt, user_id, component: { kind, id: component.id } }))
    const result: Experiment.Item = {
      ...ids,
      ...figuresOf(run),
      item_id: item.id,
      input: Experiment.beginningOf(input),
      status: unjudged !== undefined ? "error" : scores.every(({ passed }) => passed) ? "passed" : "failed",
      score: unjudged === undefined ? Summary.mean(scores.map(({ score }) => score)) : null,
      scores,
      output: cut(EvaluatedRun.textOf(run)),
      error: unjudged ?? null,
      judge_tokens: usage.total_tokens ?? 0,
      judge_cost: usage.cost ?? null
    }
    return result
  })

  const finish = (id: Experiment.Id, { guard }: JobKind.JobContext, end: Omit<End, "updated_at">) =>
    Effect.flatMap(now, (updated_at) => guard(store.finish(id, { ...end, updated_at })))

  const runAll = Effect.fnUntraced(function*(
    experiment: Experiment.Stored,
    component: Found,
    context: JobKind.JobContext
  ) {
    const { concurrency, dataset_id, dataset_version, id, user_id } = experiment
    const isTurnOver = yield* AttemptTime.start(context)
    let isPostponed = false
    const done = yield* store.recorded(id)
    // by their ids: an item that cannot be read would make a page shorter
    const ids = yield* datasets.itemIds(dataset_id, dataset_version)
    const waiting = ids.flatMap((item_id, place) => done.has(item_id) ? [] : [{ item_id, place }])
    for (const page of Arr.chunksOf(waiting, pageSize)) {
      const items = yield* datasets.itemsOf(dataset_id, dataset_version, page.map(({ item_id }) => item_id))
      const byId = new Map(items.map((item) => [item.id, item]))
      yield* Effect.forEach(
        page,
        Effect.fnUntraced(function*({ item_id, place }) {
          if (isPostponed) return
          const refusal = yield* EvaluatorAccount.refusal(isActive, user_id)
          if (refusal !== undefined) {
            // ended first: the runs that are interrupted now are cancelled then
            yield* finish(id, context, { status: "FAILED", error: refusal, summary: null })
            return yield* new Over()
          }
          const item = byId.get(item_id)
          const result = item === undefined
            ? damaged(item_id)
            : yield* resultOf(experiment, component, item, place, context.job)
          if (!(yield* context.guard(store.record(id, place, result)))) return yield* new Over()
          yield* context.progressed
          isPostponed ||= yield* isTurnOver
        }),
        { concurrency, discard: true }
      )
      if (isPostponed) return
    }
    const summary = yield* store.summary(id)
    yield* finish(id, context, { status: "COMPLETED", error: null, summary })
  })

  const handle = Effect.fnUntraced(function*({ experiment_id: id }: typeof Payload.Type, context: JobKind.JobContext) {
    const found = yield* store.begin(id)
    if (Option.isNone(found)) return
    const fail = (error: string) => finish(id, context, { status: "FAILED", error, summary: null })
    const { component_versions, experiment } = found.value
    yield* EvaluatedComponent.again(components, experiment, component_versions).pipe(
      Effect.flatMap((component) => runAll(experiment, component, context)),
      Effect.catchTags({
        ExperimentOver: () => Effect.void,
        ComponentNotFound: () => fail(EvaluatedComponent.notFound(experiment)),
        ComponentUnusable: ({ message }) => fail(message),
        FactoryContextRequired: ({ message }) => fail(message)
      }),
      Effect.tapDefect(() =>
        JobKind.isLast(context) ? fail("It failed unexpectedly. The log has the cause") : Effect.void
      )
    )
  }, (effect, { experiment_id }) => Effect.annotateLogs(effect, { experiment_id }))

  const timeout = AttemptTime.timeoutOf(limits, Experiment.maxScorers)
  const { concurrency } = limits
  return JobKind.make({ ...shape, timeout, concurrency, perUser: Share.shareOf(concurrency), handle })
})
