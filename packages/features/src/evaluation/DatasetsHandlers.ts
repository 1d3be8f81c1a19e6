// Datasets and their items. A dataset of another user is not found.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { Errors } from "@svc-runtime/api"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as Share from "@svc-runtime/engine/limits/Share"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { notListed, orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Declared from "../declarations/Declared.ts"
import { TraceWriter } from "../traces/TraceWriter.ts"
import * as Dataset from "./Dataset.ts"
import { type DatasetChanged, type DatasetFull, exceeded } from "./datasets/DatasetErrors.ts"
import * as ItemLines from "./datasets/ItemLines.ts"
import { Datasets as Endpoints } from "./DatasetsApi.ts"
import * as EvaluationJobs from "./EvaluationJobs.ts"
import { EvaluationLimits } from "./EvaluationLimits.ts"
import * as RunToolCalls from "./RunToolCalls.ts"

const notFound = (id: Dataset.Id) => Errors.notFound(`Dataset with id '${id}' not found`)

const conflict = ({ message }: DatasetChanged | DatasetFull) => Effect.fail(Errors.conflict(message))

const refused = ({ isTooLarge, message }: ItemLines.ItemInvalid) =>
  isTooLarge ? Errors.payloadTooLarge(message) : Errors.badRequest(message)

const orNotFound = <A>(id: Dataset.Id, found: Option.Option<A>) =>
  Option.match(found, { onNone: () => Effect.fail(notFound(id)), onSome: Effect.succeed })

export const found = Effect.fnUntraced(function*({ datasets }: Database, id: Dataset.Id) {
  return yield* orNotFound(id, yield* datasets.find(id, yield* RequestCaller.ownerOf(undefined)))
})

interface Target {
  readonly id: Dataset.Id
  readonly owner: Owner.Owner
}

/** Items as they are stored, with ids for those without one. */
const namedOf = Effect.fnUntraced(function*(items: ReadonlyArray<Dataset.ItemInput>) {
  yield* Effect.mapError(ItemLines.check(items), refused)
  const newId = yield* NewId
  return items.map((item) => ({
    id: item.id ?? Dataset.ItemId.make(newId()),
    content: Dataset.contentOf(item)
  }))
})

const change = Effect.fnUntraced(
  function*({ datasets }: Database, { id, owner }: Target, { put, remove, version }: Dataset.Change) {
    const named = yield* namedOf(put ?? [])
    const { datasetItems: limit } = yield* EvaluationLimits
    const changed = yield* datasets.change(id, owner, {
      put: named,
      remove: remove ?? [],
      version: version ?? undefined,
      at: yield* now,
      limit
    })
    const dataset = Dataset.toDataset(yield* orNotFound(id, changed))
    return { ...dataset, item_ids: named.map((item) => item.id) }
  },
  Effect.catchTags({ DatasetChanged: conflict, DatasetFull: conflict })
)

/** Where the run of a new item can be. */
interface Sources {
  readonly choose: ReturnType<typeof chooseDatabase>
  /** Of the dataset. */
  readonly database: Database
  readonly own: Ids.DatabaseId
}

const isGiven = (text: string | null | undefined): text is string => text !== null && text !== undefined

/** The run of a trace. The service's own database has all traces, and the run can be in another one. */
const runOfTrace = Effect.fnUntraced(function*({ traces }: Partial<Database>, owner: Owner.Owner, trace_id: string) {
  const found = traces === undefined ? Option.none() : yield* Effect.mapError(traces.find(trace_id, owner), notListed)
  const whole = Option.getOrUndefined(found)
  if (whole === undefined) return undefined
  const { run_id, session_id } = whole.trace
  const db_id = whole.spans.find((span) => span.run_id === run_id && span.database !== undefined)?.database
  return { run_id, session_id, db_id: db_id === undefined ? undefined : Ids.DatabaseId.make(db_id) }
})

/** The run of the request, which the owner may see. */
const sourceOf = Effect.fnUntraced(function*(
  { choose, database, own }: Sources,
  owner: Owner.Owner,
  { run_id, session_id, trace_id }: Dataset.FromTrace
) {
  if (isGiven(trace_id) === isGiven(run_id) || isGiven(run_id) !== isGiven(session_id)) {
    return yield* Errors.badRequest("Either trace_id, or run_id and session_id, must be given")
  }
  const missing = Errors.notFound(isGiven(trace_id) ? "Trace not found" : "Run not found")
  const ids = isGiven(trace_id)
    ? yield* runOfTrace(yield* choose({ db_id: own }), owner, trace_id)
    : { run_id, session_id, db_id: undefined }
  if (!isGiven(ids?.run_id) || !isGiven(ids.session_id)) return yield* missing
  const { runs } = ids.db_id === undefined ? database : yield* choose({ db_id: ids.db_id })
  const run = yield* runs.find(Session.Id.make(ids.session_id), Run.Id.make(ids.run_id), { owner })
  return Option.isNone(run) ? yield* missing : run.value
})

const inputOf = (run: AnyRun.Output): Json.Value => AnyRun.inputOf(run).input_content ?? ""

/** The latest version if none is named. */
export const versionOf = Effect.fnUntraced(function*(dataset: Dataset.Stored, version: number | undefined) {
  if (version === undefined || version <= dataset.version) return version ?? dataset.version
  return yield* Errors.notFound(`Dataset '${dataset.id}' has no version ${version}`)
})

export const Datasets = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const databases = yield* Databases
    const choose = chooseDatabase(databases)
    const own = databases.all[0].id
    const flush = Option.match(yield* Effect.serviceOption(TraceWriter), {
      onNone: () => Effect.void,
      onSome: ({ flush }) => flush
    })
    const limits = yield* EvaluationLimits
    const declared = yield* Declared.of("dataset", "dataset")
    const { stop } = yield* EvaluationJobs.make

    /** The database of a dataset that requests may change. One of another user is not found. */
    const changeable = Effect.fnUntraced(
      function*(query: { readonly db_id?: Ids.DatabaseId | undefined }, id: Dataset.Id) {
        const database = yield* choose(query)
        const isDeclared = database.id === own && (yield* declared.ids).has(id)
        if (isDeclared) yield* Effect.andThen(found(database, id), declared.refuse(id))
        return database
      }
    )

    const changed = (
      database: Database,
      id: Dataset.Id,
      fields: Dataset.Change
    ) =>
      Effect.flatMap(
        RequestCaller.ownerOf(undefined),
        (owner) => Effect.provideService(change(database, { id, owner }, fields), EvaluationLimits, limits)
      )

    const itemsOf = Effect.fnUntraced(function*(
      database: Database,
      id: Dataset.Id,
      query: Pagination.Request & { readonly version?: number | undefined }
    ) {
      const version = yield* versionOf(yield* found(database, id), query.version)
      return yield* Effect.mapError(database.datasets.items(id, version, query), notListed)
    })

    return handlers.handleAll({
      list: Effect.fn("Datasets.list")(function*({ query }) {
        const { datasets } = yield* choose(query)
        const page = yield* datasets.list(yield* RequestCaller.ownerOf(query.user_id), query)
        const known = yield* declared.ids
        const shown = page.datasets.map((dataset) => Dataset.toDataset(dataset, known.has(dataset.id)))
        return JsonResponse.of(Pagination.response(query, shown, page.total))
      }, orUnavailable),
      create: Effect.fn("Datasets.create")(function*({ payload, query }) {
        const database = yield* choose(query)
        const items = yield* namedOf(payload.items ?? [])
        const full = exceeded(items.length, items.length, limits.datasetItems)
        if (full !== undefined) return yield* conflict(full)
        const user_id = yield* RequestCaller.actorOfNew(payload.user_id)
        const at = yield* now
        const dataset: Dataset.Stored = {
          id: Dataset.Id.make((yield* NewId)()),
          name: payload.name,
          description: payload.description ?? null,
          user_id,
          version: 1,
          item_count: 0,
          created_at: at,
          updated_at: at
        }
        const stored = yield* database.datasets.createWithin(dataset, items, limits.datasets)
        if (Option.isNone(stored)) {
          const many = `${limits.datasets} datasets${Share.text(limits.datasets, user_id)}`
          return yield* Errors.conflict(`There are ${many} already (MAX_DATASETS). Remove one first`)
        }
        const made = { ...Dataset.toDataset(stored.value), item_ids: items.map((item) => item.id) }
        return HttpServerResponse.jsonUnsafe(made, { status: 201 })
      }, orUnavailable),
      get: Effect.fn("Datasets.get")(function*({ params: { dataset_id }, query }) {
        const dataset = yield* found(yield* choose(query), dataset_id)
        return Dataset.toDataset(dataset, (yield* declared.ids).has(dataset_id))
      }, orUnavailable),
      update: Effect.fn("Datasets.update")(function*({ params: { dataset_id: id }, payload, query }) {
        const { datasets } = yield* changeable(query, id)
        const patched = yield* datasets.patch(id, yield* RequestCaller.ownerOf(undefined), {
          name: payload.name ?? undefined,
          description: payload.description,
          at: yield* now
        })
        return Dataset.toDataset(yield* orNotFound(id, patched))
      }, orUnavailable),
      remove: Effect.fn("Datasets.remove")(function*({ params: { dataset_id: id }, query }) {
        const database = yield* changeable(query, id)
        const removed = yield* database.datasets.remove(id, yield* RequestCaller.ownerOf(undefined))
        yield* stop(database, yield* orNotFound(id, removed))
      }, orUnavailable),
      listItems: Effect.fn("Datasets.listItems")(function*({ params, query }) {
        const page = yield* itemsOf(yield* choose(query), params.dataset_id, query)
        return JsonResponse.of(Pagination.response(query, page.items, page.total))
      }, orUnavailable),
      changeItems: Effect.fn("Datasets.changeItems")(function*({ params, payload, query }) {
        return yield* changed(yield* changeable(query, params.dataset_id), params.dataset_id, payload)
      }, orUnavailable),
      addFromTrace: Effect.fn("Datasets.addFromTrace")(function*({ params, payload, query }) {
        // readers see the runs that ended before on this node
        yield* flush
        const database = yield* changeable(query, params.dataset_id)
        yield* found(database, params.dataset_id)
        const run = yield* sourceOf({ choose, database, own }, yield* RequestCaller.ownerOf(undefined), payload)
        const calls = payload.with_tool_calls === true ? RunToolCalls.expectedOf(run)?.slice(0, 100) : undefined
        const item: Dataset.ItemInput = {
          id: payload.id ?? null,
          input: inputOf(run),
          // the content of another run is an error or a question
          expected_output: run.status === "COMPLETED" ? run.content ?? null : null,
          ...(calls === undefined ? {} : { expected_tool_calls: calls }),
          metadata: { ...payload.metadata, run_id: run.run_id, session_id: run.session_id }
        }
        return yield* changed(database, params.dataset_id, { put: [item] })
      }, orUnavailable),
      importItems: Effect.fn("Datasets.importItems")(function*({ params, payload, query }) {
        const database = yield* changeable(query, params.dataset_id)
        const put = yield* Effect.mapError(ItemLines.parse(payload), refused)
        return yield* changed(database, params.dataset_id, { put })
      }, orUnavailable),
      exportItems: Effect.fn("Datasets.exportItems")(function*({ params, query }) {
        const { items } = yield* itemsOf(yield* choose(query), params.dataset_id, query)
        return JsonResponse.ofTexts(ItemLines.format(items), { contentType: "application/x-ndjson" })
      }, orUnavailable)
    })
  })
)
