// `DatasetStore` in PostgreSQL.
import type * as Owner from "@svc-runtime/domain/Owner"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import * as Share from "@svc-runtime/engine/limits/Share"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import * as Counted from "@svc-runtime/postgres/sql/Counted"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { changeOne, readOne } from "@svc-runtime/postgres/sql/readOne"
import { json, text, textOrNull, texts, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as Dataset from "./Dataset.ts"
import { DatasetChanged, exceeded } from "./datasets/DatasetErrors.ts"
import { type Change, DatasetStore, filled, type Patch } from "./datasets/DatasetStore.ts"
import * as EvaluationAdmission from "./EvaluationAdmission.ts"

const columns = `d.id, d.name, d.description, d.user_id, d.version, d.item_count, d.created_at::float8 as created_at,
  d.updated_at::float8 as updated_at`

interface Key {
  readonly id: Dataset.Id
  readonly owner: Owner.Owner
}

interface Changing extends Key {
  readonly change: Change
}

/** `row_count`: items of all versions. */
const LockedRow = Schema.Struct({ ...Dataset.Stored.fields, row_count: Schema.Natural })

const ItemRow = Schema.Struct({ id: Dataset.ItemId, body: Dataset.Content, version: Schema.Natural })

const CountsRow = Schema.Struct({ closed: Schema.Natural, added: Schema.Natural })

const readable = ReadableRows.make(Dataset.Stored, "dataset_id")
const readableItems = ReadableRows.make(ItemRow, "item_id")

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const counted = Counted.make(sql)
  const { response: responseLimit } = yield* StoreLimits
  const pages = Page.make(sql)
  const shown = sql.literal(columns)
  const isUnfinished = sql.literal(EvaluationAdmission.unfinished)

  const isAt = ({ id, owner }: Key) => sql`d.id = ${text(id)} and ${Ownership.covers(sql, "d.user_id", owner)}`

  const find = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Dataset.Stored,
    execute: (key) => sql`select ${shown} from svc_datasets d where ${isAt(key)}`
  })

  const lock = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: LockedRow,
    execute: (key) => sql`select ${shown}, d.row_count from svc_datasets d where ${isAt(key)} for update`
  })

  const patch = SqlSchema.findOneOption({
    Request: unchecked<Key & { readonly patch: Patch }>(),
    Result: Dataset.Stored,
    execute: ({ patch: { at, description, name }, ...key }) =>
      sql`
        update svc_datasets d set ${
        sql.update({
          updated_at: at,
          ...(name === undefined ? {} : { name: text(name) }),
          ...(description === undefined ? {} : { description: textOrNull(description) })
        })
      } where ${isAt(key)} returning ${shown}`
  })

  const create = (dataset: Dataset.Stored, items: Change["put"]) =>
    sql`
      with made as (
        insert into svc_datasets ${
      sql.insert({
        id: text(dataset.id),
        user_id: textOrNull(dataset.user_id),
        name: text(dataset.name),
        description: textOrNull(dataset.description),
        version: dataset.version,
        item_count: dataset.item_count,
        row_count: items.length,
        last_place: items.length,
        created_at: dataset.created_at,
        updated_at: dataset.updated_at
      })
    } returning id, version
      )
      insert into svc_dataset_items (dataset_id, id, from_version, place, body, bytes)
      select made.id, n.id, made.version, n.number, n.body::json, octet_length(n.body)
      from made cross join unnest(
        ${texts(items.map(({ id }) => text(id)))}::text[], ${texts(items.map(({ content }) => json(content)))}::text[]
      ) with ordinality as n (id, body, number)`

  /** A replaced item keeps its place. */
  const replace = SqlSchema.findOne({
    Request: unchecked<{ readonly id: Dataset.Id; readonly change: Change; readonly version: number }>(),
    Result: CountsRow,
    execute: ({ change: { put, remove }, id, version }) => {
      const ids = put.map((item) => text(item.id))
      return sql`
        with closed as (
          update svc_dataset_items i set until_version = ${version}
          where i.dataset_id = ${text(id)} and i.until_version is null
            and i.id = any(${texts([...ids, ...remove.map(text)])}::text[])
          returning i.id, i.place
        ), added as (
          insert into svc_dataset_items (dataset_id, id, from_version, place, body, bytes)
          select ${text(id)}, n.id, ${version}, coalesce(c.place, d.last_place + n.number), n.body::json,
            octet_length(n.body)
          from svc_datasets d cross join unnest(
            ${texts(ids)}::text[], ${texts(put.map(({ content }) => json(content)))}::text[]
          ) with ordinality as n (id, body, number) left join closed c on c.id = n.id
          where d.id = ${text(id)}
          returning 1
        )
        select (select count(*) from closed)::int as closed, (select count(*) from added)::int as added`
    }
  })

  const store = SqlSchema.findOne({
    Request: unchecked<Dataset.Stored & { readonly row_count: number; readonly added: number }>(),
    Result: Dataset.Stored,
    execute: ({ added, id, item_count, row_count, updated_at, version }) =>
      sql`
        update svc_datasets d set version = ${version}, item_count = ${item_count}, row_count = ${row_count},
          last_place = d.last_place + ${added}, updated_at = ${updated_at}
        where d.id = ${text(id)} returning ${shown}`
  })

  const change = Effect.fnUntraced(function*({ change, ...key }: Changing) {
    const locked = yield* lock(key)
    if (Option.isNone(locked)) return Option.none()
    const { row_count, ...dataset } = locked.value
    if (change.version !== undefined && change.version !== dataset.version) {
      return yield* new DatasetChanged({ version: dataset.version })
    }
    const version = dataset.version + 1
    const { added, closed } = yield* replace({ id: key.id, change, version })
    if (added + closed === 0) return Option.some(dataset)
    const [item_count, rows] = [dataset.item_count - closed + added, row_count + added]
    const full = exceeded(item_count, rows, change.limit)
    if (full !== undefined) return yield* full
    const changed = { ...dataset, version, item_count, row_count: rows, added, updated_at: change.at }
    return Option.some(yield* store(changed))
  })

  const itemsIn = (id: Dataset.Id, version: number) =>
    sql`svc_dataset_items i where i.dataset_id = ${text(id)} and i.from_version <= ${version}
      and (i.until_version is null or i.until_version > ${version})`

  const itemColumns = sql.literal("i.id, i.body, i.from_version as version")

  const decoded = (rows: ReadonlyArray<object>): Effect.Effect<ReadonlyArray<Dataset.Item>> =>
    Effect.map(readableItems(rows), (items) => items.map(({ body, ...item }) => ({ ...item, ...body })))

  return DatasetStore.of({
    create: Effect.fn("SqlDatasetStore.create")((dataset, items = []) => {
      const stored = filled(dataset, items.length)
      return orUnavailable(Effect.as(create(stored, items), stored))
    }),
    createWithin: Effect.fn("SqlDatasetStore.createWithin")((dataset, items, limit) => {
      const stored = filled(dataset, items.length)
      const { user_id } = dataset
      return orUnavailable(Effect.map(
        counted({ table: "svc_datasets", user_id, room: Share.roomOf(limit) }, create(stored, items)),
        (isStored) => isStored ? Option.some(stored) : Option.none()
      ))
    }),
    find: Effect.fn("SqlDatasetStore.find")((id, owner) => readOne(find({ id, owner }), { kind: "dataset", id })),
    list: Effect.fn("SqlDatasetStore.list")(function*(owner, page) {
      const from = sql`svc_datasets d where ${Ownership.covers(sql, "d.user_id", owner)}`
      const rows = yield* pages.select({ columns: shown, from, order: sql.literal("d.seq desc"), page })
      return { datasets: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    patch: Effect.fn("SqlDatasetStore.patch")((id, owner, fields) =>
      changeOne(sql)(patch({ id, owner, patch: fields }), { kind: "dataset", id })
    ),
    remove: Effect.fn("SqlDatasetStore.remove")((id, owner) =>
      orUnavailable(Effect.map(
        // a statement sees the experiments that its end removes
        sql<{ readonly job_id: string | null }>`
          with removed as (delete from svc_datasets d where ${isAt({ id, owner })} returning d.id)
          select e.job_id from removed left join svc_experiments e on e.dataset_id = removed.id and ${isUnfinished}`,
        (rows) => rows.length === 0 ? Option.none() : Option.some(rows.flatMap(({ job_id }) => job_id ?? []))
      ))
    ),
    change: Effect.fn("SqlDatasetStore.change")((id, owner, fields) =>
      changeOne(sql)(change({ id, owner, change: fields }), { kind: "dataset", id })
    ),
    items: Effect.fn("SqlDatasetStore.items")(function*(id, version, page) {
      const [from, order] = [itemsIn(id, version), sql.literal("i.place")]
      const bytes = yield* pages.bytesOf({ from, order, page }, "i.bytes")
      yield* admit("datasetItems", bytes, responseLimit)
      const rows = yield* pages.select({ columns: itemColumns, from, order, page })
      return { items: yield* decoded(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    itemIds: Effect.fn("SqlDatasetStore.itemIds")((id, version) =>
      readOrUnavailable(Effect.map(
        sql<{ readonly id: Dataset.ItemId }>`select i.id from ${itemsIn(id, version)} order by i.place`,
        (rows) => rows.map(({ id }) => id)
      ))
    ),
    itemsOf: Effect.fn("SqlDatasetStore.itemsOf")((id, version, ids) =>
      readOrUnavailable(Effect.flatMap(
        sql`select ${itemColumns} from ${itemsIn(id, version)} and i.id = any(${
          texts(ids.map(text))
        }::text[]) order by i.place`,
        decoded
      ))
    )
  })
})

export const layer: Layer.Layer<DatasetStore, never, SqlClient.SqlClient | StoreLimits> = Layer.effect(
  DatasetStore,
  make
)
