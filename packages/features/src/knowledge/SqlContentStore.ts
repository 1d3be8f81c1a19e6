// `ContentStore` in PostgreSQL. Each generation of a content is a later one, because the number is drawn under the lock
// of its row.
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Sort from "@svc-runtime/domain/Sort"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import * as JobStatements from "@svc-runtime/postgres/jobs/JobStatements"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { changeOne, readOne } from "@svc-runtime/postgres/sql/readOne"
import { jsonb, text, textOrNull, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as ContentBodies from "./ContentBodies.ts"
import * as ContentFolders from "./ContentFolders.ts"
import * as ContentJobs from "./ContentJobs.ts"
import * as ContentRemoval from "./ContentRemoval.ts"
import {
  type ContentEnd,
  type ContentFilter,
  type ContentKey,
  type ContentPatch,
  ContentStore,
  isSortable
} from "./ContentStore.ts"
import * as ContentUploads from "./ContentUploads.ts"
import * as Knowledge from "./Knowledge.ts"
import { ContentNotFound, MetadataTooLarge } from "./KnowledgeErrors.ts"
import { embeddedAgainAtOnce, keyLimits } from "./KnowledgeLimits.ts"
import {
  contentColumns,
  foundColumns,
  FoundRow,
  isPresent,
  isReadable,
  isVisible,
  readableContents
} from "./knowledgeRows.ts"

// Changes the model of the vectors of an instance, and finds what has to be embedded again.

/** Of one statement. */
const chunksAtOnce = 200

const readable = ReadableRows.make(FoundRow)

const changedModels = (sql: SqlClient.SqlClient) => {
  const change = (instance: string, { dimensions, model }: Knowledge.Embedding) =>
    inTransaction(sql)(Effect.gen(function*() {
      const [stored] = yield* sql<{ readonly isSame: boolean }>`
        select m.model is not distinct from ${text(model)}::text and m.dimensions is not distinct from ${dimensions}
          as "isSame"
        from svc_knowledge_models m where m.instance = ${text(instance)} for update`
      if (stored?.isSame !== false) return
      yield* sql`
        update svc_knowledge_models set model = ${text(model)}, dimensions = ${dimensions},
          since = nextval('svc_content_generations')
        where instance = ${text(instance)}`
    }))

  /** A content that could not be embedded again has a later generation, and is not tried once more. */
  const outdated = (instance: string) =>
    sql<object>`
      select ${sql.literal(contentColumns)} from svc_contents s
      join svc_knowledge_models m on m.instance = s.instance and s.published < m.since and s.generation < m.since
      where s.instance = ${text(instance)} and s.status <> 'processing' and ${sql.literal(isPresent)}
      order by s.seq limit ${embeddedAgainAtOnce}`

  const publishedChunks = Effect.fnUntraced(function*({ content_id, generation, instance }: Knowledge.Version) {
    const all: Array<Knowledge.Chunk> = []
    for (let last = -1;;) {
      const rows = yield* sql<{ readonly index: number }>`
        select ${sql.literal(foundColumns)} from svc_contents s
        join svc_chunks c on c.content_seq = s.seq and c.generation = s.published
        join svc_chunk_texts t on t.chunk_no = c.chunk_no
        where s.instance = ${text(instance)} and s.content_id = ${text(content_id)} and s.generation = ${generation}
          and ${sql.literal(isPresent)} and c.place > ${last}
        order by c.place limit ${chunksAtOnce}`
      for (const { id, index, metadata, name, size, text } of yield* readable(rows)) {
        all.push({ id, index, metadata, name, size, text })
      }
      last = rows.at(-1)?.index ?? last
      if (rows.length < chunksAtOnce) return all
    }
  })

  return { change, outdated, publishedChunks }
}

/** Of the text of `jsonb`, which has more blanks than the JSON text. */
const maxMetadataLength = 1.5 * Knowledge.metadataLimit

interface Listing {
  readonly filter: ContentFilter
  readonly page: Pagination.Request
  readonly sort: Sort.Sort
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { response: responseLimit } = yield* StoreLimits
  const jobs = JobStatements.make(sql)
  const bodies = ContentBodies.make(sql)
  const models = changedModels(sql)
  const folders = ContentFolders.make(sql)
  const removal = ContentRemoval.make(sql)
  const processing = ContentJobs.make(sql)
  const { store } = ContentUploads.make(sql)
  const pages = Page.make(sql)
  const columns = sql.literal(contentColumns)
  const reservedKey = sql`${Knowledge.reservedKey}::text`

  const isOf = ({ content_id, instance }: Pick<ContentKey, "content_id" | "instance">) =>
    sql`s.instance = ${text(instance)} and s.content_id = ${text(content_id)} and ${sql.literal(isPresent)}`

  const isCovered = (key: ContentKey) => sql.and([isOf(key), Ownership.covers(sql, "s.user_id", key.owner)])

  const isProcessed = (version: Knowledge.Version) =>
    sql`${isOf(version)} and s.generation = ${version.generation} and s.status = 'processing'`

  const matching = (filter: ContentFilter) => sql`svc_contents s where ${isVisible(sql, filter)}`

  const sorted = ({ by, order }: Sort.Sort) =>
    sql.literal(isSortable(by) ? `s.${by} ${order}, s.seq ${order}` : `s.seq ${order}`)

  const find = SqlSchema.findOneOption({
    Request: unchecked<ContentKey>(),
    Result: Knowledge.Content,
    execute: (key) => sql`select ${columns} from svc_contents s where ${isOf(key)} and ${isReadable(sql, key.owner)}`
  })

  const sizeOf = ({ filter, page, sort }: Listing) =>
    Effect.map(
      sql<{ readonly bytes: number }>`
        select coalesce(sum(
          200 + coalesce(octet_length(found.metadata::text), 0) + coalesce(octet_length(found.description), 0)
        ), 0)::float8 as bytes from (
          select s.metadata, s.description from ${matching(filter)} order by ${sorted(sort)} ${pages.limits(page)}
        ) found`,
      ([row]) => row?.bytes ?? 0
    )

  const stored = sql.literal("case jsonb_typeof(s.metadata) when 'object' then s.metadata else '{}' end")

  const merged = (metadata: ContentPatch["metadata"]) => {
    if (metadata === undefined) return sql.literal("s.metadata")
    const given = sql`${jsonb(metadata)}::jsonb`
    const areBoth = sql`jsonb_typeof(s.metadata -> ${reservedKey}) = 'object'
      and jsonb_typeof(${given} -> ${reservedKey}) = 'object'`
    return sql`${stored} || ${given} || case when ${areBoth}
      then jsonb_build_object(${reservedKey}, (s.metadata -> ${reservedKey}) || (${given} -> ${reservedKey}))
      else '{}' end`
  }

  const isShort = (metadata: ContentPatch["metadata"]) =>
    metadata === undefined
      ? sql.literal("true")
      : sql`octet_length((${merged(metadata)})::text) <= ${maxMetadataLength}`

  const update = SqlSchema.findOneOption({
    Request: unchecked<ContentKey & { readonly patch: ContentPatch; readonly at: number }>(),
    Result: Knowledge.Content,
    execute: ({ at, patch: { description, metadata, name }, ...key }) =>
      sql`
        update svc_contents s set metadata = ${merged(metadata)}, updated_at = ${at},
          name = coalesce(${textOrNull(name ?? null)}::text, s.name),
          description = coalesce(${textOrNull(description ?? null)}::text, s.description)
        where ${isCovered(key)} and ${isShort(metadata)} returning ${columns}`
  })

  const renew = SqlSchema.findOneOption({
    Request: unchecked<Knowledge.Version>(),
    Result: Knowledge.Content,
    execute: (version) =>
      sql`
        update svc_contents s set generation = nextval('svc_content_generations'), done = null, total = null
        where ${isProcessed(version)} returning ${columns}`
  })

  const lock = (version: Knowledge.Version) =>
    sql<{ readonly seq: number }>`
      select s.seq::float8 as seq from svc_contents s where ${isProcessed(version)} for update`

  const isThere = (key: ContentKey) =>
    Effect.map(sql`select 1 from svc_contents s where ${isCovered(key)}`, (rows) => rows.length > 0)

  const end = (version: Knowledge.Version, { name, size, status, status_message, type }: ContentEnd, at: number) =>
    sql`
      with ended as (
        update svc_contents s set status = ${status}, status_message = ${text(status_message)}, updated_at = ${at},
          name = coalesce(${textOrNull(name ?? null)}::text, s.name),
          type = coalesce(${textOrNull(type ?? null)}::text, s.type),
          size = coalesce(${size ?? null}::bigint, s.size)
        where ${isProcessed(version)} returning s.seq
      ), gone as (delete from svc_content_bodies b using ended where b.content_seq = ended.seq)
      select 1 from ended`

  return ContentStore.of({
    put: Effect.fn("SqlContentStore.put")((given, work, at) =>
      orUnavailable(
        inTransaction(sql)(Effect.andThen(removal.admitUpload(given.instance), store(given, work, at, null)))
      )
    ),
    putFile: Effect.fn("SqlContentStore.putFile")((folder, given, work, at) =>
      orUnavailable(
        inTransaction(sql)(Effect.gen(function*() {
          yield* removal.admitUpload(given.instance)
          // a removal of the folder waits for this lock, and removes the file then
          const locked = yield* sql`select 1 from svc_contents s where ${isProcessed(folder)} for share`
          if (locked.length > 0) yield* store(given, work, at, folder.content_id)
          return locked.length > 0
        }))
      )
    ),
    filesOf: Effect.fn("SqlContentStore.filesOf")((folder, after) => readOrUnavailable(folders.filesOf(folder, after))),
    dueFolders: Effect.fn("SqlContentStore.dueFolders")((due) => readOrUnavailable(folders.due(due))),
    restart: Effect.fn("SqlContentStore.restart")((version, wanted) =>
      orUnavailable(
        inTransaction(sql)(Effect.gen(function*() {
          yield* removal.admitUpload(version.instance)
          const begun = yield* sql`
          update svc_contents s set status = 'processing', status_message = null, done = null, total = null,
            generation = nextval('svc_content_generations')
          where ${isOf(version)} and s.generation = ${version.generation} and s.status <> 'processing' returning 1`
          if (begun.length > 0) yield* Effect.forEach(wanted, jobs.enqueue, { discard: true })
          return begun.length > 0
        }))
      )
    ),
    outdated: Effect.fn("SqlContentStore.outdated")((instance, embedding) =>
      orUnavailable(
        Effect.andThen(
          models.change(instance, embedding),
          Effect.flatMap(models.outdated(instance), readableContents)
        )
      )
    ),
    publishedChunks: Effect.fn("SqlContentStore.publishedChunks")((version) =>
      readOrUnavailable(models.publishedChunks(version))
    ),
    get: Effect.fn("SqlContentStore.get")(function*(key) {
      const found = yield* readOne(find(key), { kind: "content", id: key.content_id })
      return Option.isSome(found) ? found.value : yield* new ContentNotFound({ content_id: key.content_id })
    }),
    list: Effect.fn("SqlContentStore.list")(function*(filter, page, sort) {
      const bytes = yield* sizeOf({ filter, page, sort })
      yield* admit("contents", bytes, responseLimit)
      const from = matching(filter)
      const rows = yield* pages.select({ columns, from, order: sorted(sort), page })
      return { contents: yield* readableContents(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    patch: Effect.fn("SqlContentStore.patch")(function*(key, patch, at) {
      const patched = yield* changeOne(sql)(update({ ...key, patch, at }), { kind: "content", id: key.content_id })
      if (Option.isSome(patched)) return patched.value
      const { content_id } = key
      return yield* (yield* isThere(key)) ? new MetadataTooLarge({ content_id }) : new ContentNotFound({ content_id })
    }, orUnavailable),
    remove: Effect.fn("SqlContentStore.remove")((key) => orUnavailable(folders.remove(key, isCovered(key)))),
    removeAll: Effect.fn("SqlContentStore.removeAll")((filter) => orUnavailable(removal.removeAll(filter))),
    prune: orUnavailable(removal.prune),
    metadataKeys: Effect.fn("SqlContentStore.metadataKeys")((filter) =>
      readOrUnavailable(
        Effect.map(
          sql<{ readonly key: string }>`
            with newest as materialized (
              select ${stored} as metadata from ${matching(filter)}
              order by s.updated_at desc, s.seq desc limit ${keyLimits.contents}
            )
            select distinct k.key collate "C" as key from newest cross join jsonb_object_keys(newest.metadata) as k (key)
            where k.key <> ${reservedKey} order by 1 limit ${keyLimits.keys}`,
          (rows) => rows.map(({ key }) => key)
        )
      )
    ),
    hasLaterJob: Effect.fn("SqlContentStore.hasLaterJob")((job, kinds) =>
      orUnavailable(Effect.map(processing.hasLaterJob(job, kinds), (rows) => rows.length > 0))
    ),
    body: Effect.fn("SqlContentStore.body")((version) => readOrUnavailable(bodies.find(isProcessed(version)))),
    storeBody: Effect.fn("SqlContentStore.storeBody")((version, { body, size, type }) =>
      orUnavailable(
        inTransaction(sql)(Effect.gen(function*() {
          const [row] = yield* lock(version)
          if (row === undefined) return false
          yield* sql`
            update svc_contents set size = coalesce(${size ?? null}::bigint, size),
              type = coalesce(${textOrNull(type ?? null)}::text, type)
            where seq = ${row.seq}`
          yield* bodies.replace(row.seq, body)
          return true
        }))
      )
    ),
    renew: Effect.fn("SqlContentStore.renew")((version) =>
      orUnavailable(inTransaction(sql)(Effect.andThen(removal.admitUpload(version.instance), renew(version))))
    ),
    report: Effect.fn("SqlContentStore.report")((version, { done, total }) =>
      orUnavailable(
        Effect.map(
          sql`update svc_contents s set done = ${done}, total = ${total} where ${isProcessed(version)} returning 1`,
          (rows) => rows.length > 0
        )
      )
    ),
    finish: Effect.fn("SqlContentStore.finish")((version, ended, at) =>
      orUnavailable(Effect.map(end(version, ended, at), (rows) => rows.length > 0))
    ),
    failOrphaned: Effect.fn("SqlContentStore.failOrphaned")((orphaned, at) =>
      orUnavailable(Effect.map(processing.failOrphaned(orphaned, at), (rows) => rows.length))
    )
  })
})

export const layer: Layer.Layer<ContentStore, never, SqlClient.SqlClient | StoreLimits> = Layer.effect(
  ContentStore,
  make
)
