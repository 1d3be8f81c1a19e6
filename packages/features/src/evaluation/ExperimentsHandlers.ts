// Experiments. They are executed as background jobs; one of another user is not found.
import { Databases } from "@svc-runtime/agents/database/Databases"
import * as Caller from "@svc-runtime/agents/runService/Caller"
import * as Components from "@svc-runtime/agents/runService/Components"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as AnyScorer from "@svc-runtime/domain/scoring/AnyScorer"
import type { Database } from "@svc-runtime/engine/database/Database"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import * as Author from "@svc-runtime/http/authorization/Author"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import * as DuringOutage from "@svc-runtime/http/wire/DuringOutage"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { notListed, orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Datasets from "./DatasetsHandlers.ts"
import * as EvaluatedComponent from "./EvaluatedComponent.ts"
import * as EvaluationJobs from "./EvaluationJobs.ts"
import { tooManyEvaluations } from "./EvaluationJobs.ts"
import { EvaluationLimits } from "./EvaluationLimits.ts"
import * as Experiment from "./Experiment.ts"
import * as ExperimentJob from "./experiments/ExperimentJob.ts"
import { Experiments as Endpoints } from "./ExperimentsApi.ts"
import * as StoredEvaluationDatabase from "./StoredEvaluationDatabase.ts"

const notFound = (id: string) => Errors.notFound(`Experiment with id '${id}' not found`)

const found = Effect.fnUntraced(function*({ experiments }: Database, id: Experiment.Id) {
  return yield* Option.match(yield* experiments.find(id, yield* RequestCaller.ownerOf(undefined)), {
    onNone: () => Effect.fail(notFound(id)),
    onSome: Effect.succeed
  })
})

const refOf = Effect.fnUntraced(function*(create: Experiment.Create) {
  const named = ComponentKind.ComponentKind.literals.flatMap((kind) => {
    const component_id = create[`${kind}_id`] ?? ""
    return component_id === "" ? [] : [{ kind, component_id }]
  })
  const [ref] = named
  if (ref !== undefined && named.length === 1) return ref
  return yield* Errors.badRequest("Exactly one of agent_id, team_id or workflow_id must be given")
})

const checkNames = Effect.fnUntraced(function*(scorers: Experiment.Create["scorers"]) {
  const twice = AnyScorer.duplicateName(scorers)
  if (twice !== undefined) return yield* Errors.badRequest(`Two scorers have the name '${twice}'`)
})

export const Experiments = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const databases = yield* Databases
    const choose = chooseDatabase(databases)
    const author = yield* Author.make
    const inOwn = StoredEvaluationDatabase.check(databases)
    const components = yield* Components.current
    const { signalIn, stop } = yield* EvaluationJobs.make
    const { unfinished: limit } = yield* EvaluationLimits
    const duringOutage = yield* DuringOutage.make

    /** The versions of a stored component, or the text for people. */
    const versionsOf = Effect.fnUntraced(function*(
      database: Database,
      ref: Pick<Experiment.Stored, "component_id" | "kind">,
      named: string | null
    ) {
      const component = { kind: ref.kind, id: ref.component_id }
      const gone = () =>
        Effect.flatMap(
          EvaluatedComponent.missing(components, ref, named),
          (message) => Effect.fail(Errors.notFound(message))
        )
      const isRegistered = components.registered(component) !== undefined
      if (!isRegistered && named !== null && !/^[0-9]{1,9}$/.test(named)) return yield* gone()
      const { component_versions: versions } = yield* EvaluatedComponent.find(
        components,
        ref,
        isRegistered || named === null ? undefined : Number(named)
      ).pipe(Effect.catchTags({
        ComponentNotFound: gone,
        ComponentUnusable: ({ message }) => Effect.fail(Errors.badRequest(message)),
        FactoryContextRequired: ({ message }) => Effect.fail(Errors.badRequest(message))
      }))
      if (versions === undefined) return { component_version: named }
      yield* inOwn(database)
      // only callers who may change a draft try it
      const isHidden = versions.draft !== undefined &&
        !Caller.mayChange(Caller.make(yield* CurrentPrincipal), component)
      if (isHidden) return yield* gone()
      return { component_version: String(versions.numbers[component.id]), component_versions: versions }
    })

    return handlers.handleAll({
      list: Effect.fn("Experiments.list")(function*({ query }) {
        const { experiments } = yield* choose(query)
        const owner = yield* RequestCaller.ownerOf(query.user_id)
        const page = yield* experiments.list({ owner, dataset_id: query.dataset_id }, query)
        return JsonResponse.of(Pagination.response(query, page.experiments.map(Experiment.toExperiment), page.total))
      }, orUnavailable),
      create: Effect.fn("Experiments.create")(function*({ payload, query }) {
        const database = yield* choose(query)
        const ref = yield* refOf(payload)
        yield* author.ofRuns({ kind: ref.kind, id: ref.component_id })
        const named = payload.component_version ?? null
        const { component_version, component_versions } = yield* versionsOf(
          database,
          ref,
          named === null ? null : String(named)
        )
        yield* checkNames(payload.scorers)
        const dataset = yield* Datasets.found(database, payload.dataset_id)
        const dataset_version = yield* Datasets.versionOf(dataset, payload.version ?? undefined)
        const { total } = yield* Effect.mapError(
          database.datasets.items(dataset.id, dataset_version, { page: 1, limit: 1 }),
          notListed
        )
        if (total === 0) {
          return yield* Errors.conflict(`Version ${dataset_version} of dataset '${dataset.id}' has no items`)
        }
        const id = Experiment.Id.make((yield* NewId)())
        const job = yield* Effect.orDie(ExperimentJob.of(id))
        const at = yield* now
        const experiment: Experiment.Stored = {
          ...ref,
          id,
          name: payload.name ?? null,
          user_id: yield* RequestCaller.actorOfNew(undefined),
          is_isolated: (yield* CurrentPrincipal).isIsolated,
          dataset_id: dataset.id,
          dataset_version,
          component_version,
          scorers: payload.scorers,
          concurrency: payload.concurrency ?? 1,
          status: "PENDING",
          items_done: 0,
          items_total: total,
          error: null,
          summary: null,
          job_id: job.id,
          created_at: at,
          updated_at: at
        }
        const isCreated = yield* duringOutage.store(
          database.experiments.create({ component_versions, experiment }, job, limit),
          { subject: `Experiment '${id}'`, path: `/experiments/${id}` }
        )
        if (!isCreated) {
          return yield* tooManyEvaluations("experiments", experiment.user_id, limit)
        }
        yield* signalIn(database)
        return HttpServerResponse.jsonUnsafe(Experiment.toExperiment(experiment), { status: 202 })
      }, orUnavailable),
      compare: Effect.fn("Experiments.compare")(function*({ query }) {
        const ids = query.ids.split(",").map((id) => Experiment.Id.make(id.trim()))
        const [first, second] = ids
        if (first === undefined || second === undefined || ids.length > 2) {
          return yield* Errors.badRequest("ids must have two ids, separated by a comma")
        }
        const database = yield* choose(query)
        const [base, other] = [yield* found(database, first), yield* found(database, second)]
        if (base.dataset_id !== other.dataset_id) {
          return yield* Errors.badRequest("Only experiments of the same dataset can be compared")
        }
        const { counts, differences } = yield* database.experiments.compare(base.id, other.id, query)
        const page = Pagination.response(
          query,
          differences,
          Object.values(counts).reduce((sum, count) => sum + count, 0)
        )
        const compared = {
          base: base.id,
          other: other.id,
          base_status: base.status,
          other_status: other.status,
          base_dataset_version: base.dataset_version,
          other_dataset_version: other.dataset_version,
          has_different_scorers: Experiment.hasDifferentScorers(base, other)
        }
        return JsonResponse.of({ ...compared, ...counts, ...page })
      }, orUnavailable),
      get: Effect.fn("Experiments.get")(function*({ params, query }) {
        return Experiment.toExperiment(yield* found(yield* choose(query), params.experiment_id))
      }, orUnavailable),
      remove: Effect.fn("Experiments.remove")(function*({ params: { experiment_id: id }, query }) {
        const database = yield* choose(query)
        const { job_id } = yield* found(database, id)
        yield* database.experiments.remove(id, Owner.anyone)
        yield* stop(database, [job_id])
      }, orUnavailable),
      cancel: Effect.fn("Experiments.cancel")(function*({ params: { experiment_id: id }, query }) {
        const database = yield* choose(query)
        const { job_id } = yield* found(database, id)
        const updated_at = yield* now
        const end = { status: "CANCELLED", error: "It was cancelled", summary: null, updated_at } as const
        if (yield* database.experiments.finish(id, end)) yield* stop(database, [job_id])
        return Experiment.toExperiment(yield* found(database, id))
      }, orUnavailable),
      listItems: Effect.fn("Experiments.listItems")(function*({ params, query }) {
        const database = yield* choose(query)
        const { id } = yield* found(database, params.experiment_id)
        const page = yield* Effect.mapError(database.experiments.items(id, query, query.item_id), notListed)
        return JsonResponse.of(Pagination.response(query, page.items, page.total))
      }, orUnavailable)
    })
  })
)
