// `ContentStore` in PostgreSQL. Each generation of a content is a later one, because the number is drawn under the lock
// of its row.
import type * as Json from "@svc/domain/Json"
import * as Knowledge from "@svc/domain/Knowledge"
import type * as Pagination from "@svc/domain/Pagination"
import { AnswerLimit, AnswerTooLarge } from "@svc/runtime/AnswerLimit"
import type * as Job from "@svc/runtime/jobs/Job"
import { type ContentSort, isSortable } from "@svc/runtime/knowledge/ContentSort"
import {
  type Abandoned,
  type ContentEnd,
  type ContentFilter,
  type ContentKey,
  type ContentPatch,
  ContentStore,
  type ContentWork,
  type NewContent
} from "@svc/runtime/knowledge/ContentStore"
import {
  ContentExists,
  ContentNotFound,
  ContentStoredBefore,
  MetadataTooLarge
} from "@svc/runtime/knowledge/KnowledgeErrors"
import { abandonedAtOnce, keyLimits } from "@svc/runtime/knowledge/KnowledgeLimits"
import * as ReadGate from "@svc/runtime/ReadGate"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import * as ChangedModels from "./internal/changedModels.ts"
import * as ContentBodies from "./internal/contentBodies.ts"
import * as ContentFolders from "./internal/contentFolders.ts"
import * as ContentRemoval from "./internal/contentRemoval.ts"
import { inTransaction } from "./internal/inTransaction.ts"
import * as JobStatements from "./internal/jobStatements.ts"
import { contentColumns, isPresent, isReadable, isVisible, readableContents } from "./internal/knowledgeRows.ts"
import { orUnavailable, readOrUnavailable } from "./internal/orUnavailable.ts"
import * as Ownership from "./internal/ownership.ts"
import * as Page from "./internal/page.ts"
import { readOne } from "./internal/readOne.ts"
import { jsonb, jsonbOrNull, text, textOrNull, texts, unchecked } from "./internal/rows.ts"

/** Of the text of `jsonb`, which has more blanks than the JSON text. */
const longestMetadata = 1.5 * Knowledge.metadataLimit

interface Listing {
  readonly filter: ContentFilter
  readonly page: Pagination.Request
  readonly sort: ContentSort
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const answerLimit = yield* AnswerLimit
  const jobs = JobStatements.make(sql)
  const bodies = ContentBodies.make(sql)
  const models = ChangedModels.make(sql)
  const folders = ContentFolders.make(sql)
  const removal = ContentRemoval.make(sql)
  const pages = Page.make(sql)
  const columns = sql.literal(contentColumns)
  const reservedKey = sql`${Knowledge.reservedKey}::text`

  const isOf = ({ content_id, instance }: Pick<ContentKey, "content_id" | "instance">) =>
    sql`s.instance = ${text(instance)} and s.content_id = ${text(content_id)} and ${sql.literal(isPresent)}`

  const isCovered = (key: ContentKey) => sql.and([isOf(key), Ownership.covers(sql, "s.user_id", key.owner)])

  const isProcessed = (version: Knowledge.Version) =>
    sql`${isOf(version)} and s.generation = ${version.generation} and s.status = 'processing'`

  const matching = (filter: ContentFilter) => sql`svc_contents s where ${isVisible(sql, filter)}`

  const sorted = ({ by, order }: ContentSort) =>
    sql.literal(isSortable(by) ? `s.${by} ${order}, s.seq ${order}` : `s.seq ${order}`)

  const insert = SqlSchema.findOneOption({
    Request: unchecked<
      NewContent & {
        readonly at: number
        readonly folder: Json.Object | null
        readonly folder_id: Knowledge.ContentId | null
      }
    >(),
    Result: Schema.Struct({ ...Knowledge.Content.fields, seq: Schema.Int }),
    execute: ({ at, ...content }) =>
      sql`
        insert into svc_contents as s (
          instance, content_id, user_id, name, description, type, size, metadata, origin, digest, status, generation,
          folder, folder_id, created_at, updated_at
        ) values (
          ${text(content.instance)}, ${text(content.content_id)}, ${textOrNull(content.user_id)},
          ${textOrNull(content.name)}, ${textOrNull(content.description)}, ${textOrNull(content.type)},
          ${content.size}, ${jsonbOrNull(content.metadata)}::jsonb, ${textOrNull(content.origin)},
          ${textOrNull(content.digest)}, 'processing', nextval('svc_content_generations'),
          ${jsonbOrNull(content.folder)}::jsonb, ${textOrNull(content.folder_id)}, ${at}, ${at}
        )
        on conflict (instance, content_id) do update set
          name = excluded.name, description = excluded.description, type = excluded.type, size = excluded.size,
          metadata = excluded.metadata, origin = excluded.origin, digest = excluded.digest, status = 'processing',
          status_message = null, done = null, total = null, generation = nextval('svc_content_generations'),
          updated_at = excluded.updated_at, folder = excluded.folder,
          folder_id = coalesce(excluded.folder_id, s.folder_id)
        where s.user_id is not distinct from excluded.user_id and ${sql.literal(isPresent)}
        returning ${columns}, s.seq::float8 as seq`
  })

  /** What is left of a removed content of this id would be in the way. */
  const removeRest = ({ content_id, instance }: NewContent) =>
    sql`
      delete from svc_contents s
      where s.instance = ${text(instance)} and s.content_id = ${text(content_id)} and not (${sql.literal(isPresent)})`

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
      : sql`octet_length((${merged(metadata)})::text) <= ${longestMetadata}`

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

  const areStored = (wanted: ReadonlyArray<Job.NewJob>) =>
    Effect.map(
      sql`select 1 from svc_jobs where id = any(${texts(wanted.map(({ id }) => id))}::text[])`,
      (rows) => rows.length > 0
    )

  const isThere = (key: ContentKey) =>
    Effect.map(sql`select 1 from svc_contents s where ${isCovered(key)}`, (rows) => rows.length > 0)

  const store = Effect.fnUntraced(function*(
    given: NewContent,
    { body, folder, jobs: wanted = [] }: ContentWork,
    at: number,
    folder_id: Knowledge.ContentId | null
  ) {
    const row = { ...given, at, folder: folder ?? null, folder_id }
    let inserted = yield* insert(row)
    if (Option.isNone(inserted)) inserted = yield* Effect.andThen(removeRest(given), insert(row))
    if (Option.isNone(inserted)) return yield* new ContentExists({ content_id: given.content_id })
    const { seq, ...content } = inserted.value
    // equal requests wait for the row: the later one sees the jobs of the earlier one
    if (yield* areStored(wanted)) return yield* new ContentStoredBefore({ content_id: given.content_id })
    yield* bodies.replace(seq, body)
    yield* Effect.forEach(wanted, jobs.enqueue, { discard: true })
    return content
  })

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

  /** A job `j` of these kinds that waits or is executed. */
  const hasJob = (kinds: ReadonlyArray<string>, isOfContent: Statement.Fragment) => {
    const isOfKind = sql`j.kind = any(${texts(kinds.map(text))}::text[])`
    return sql.or(
      // one condition for each index
      ["j.status = 'RUNNING'", "j.status = 'PENDING' and j.is_due", "j.status = 'PENDING' and not j.is_due"].map((
        status
      ) => sql`exists (select from svc_jobs j where ${isOfKind} and ${isOfContent} and ${sql.literal(status)})`)
    )
  }

  const hasLaterJob = ({ id, key }: Pick<Job.Acquired, "id" | "key">, kinds: ReadonlyArray<string>) => {
    const isLater = sql`j.key = ${textOrNull(key)} and j.seq > (select seq from svc_jobs where id = ${text(id)})`
    return sql`select 1 where ${hasJob(kinds, isLater)}`
  }

  const failAbandoned = ({ before, kinds, status_message }: Abandoned, at: number) => {
    const isOfContent = sql.literal("j.key = s.instance || chr(10) || s.content_id")
    return sql`
      with ended as (
        update svc_contents c set status = 'failed', status_message = ${text(status_message)}, updated_at = ${at}
        where c.seq = any(array(
          select s.seq from svc_contents s
          where s.status = 'processing' and s.updated_at < ${before} and not ${hasJob(kinds, isOfContent)}
            and ${sql.literal(isPresent)}
          order by s.updated_at limit ${abandonedAtOnce} for update skip locked
        ))
        returning c.seq
      ), gone as (delete from svc_content_bodies b using ended where b.content_seq = ended.seq)
      select 1 from ended`
  }

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
      if (bytes > answerLimit) return yield* new AnswerTooLarge({ subject: "contents", bytes, limit: answerLimit })
      yield* ReadGate.admit(Effect.succeed({ parsed: bytes }))
      const from = matching(filter)
      const rows = yield* pages.select({ columns, from, order: sorted(sort), page })
      return { contents: yield* readableContents(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    patch: Effect.fn("SqlContentStore.patch")(function*(key, patch, at) {
      const patched = yield* update({ ...key, patch, at })
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
      orUnavailable(Effect.map(hasLaterJob(job, kinds), (rows) => rows.length > 0))
    ),
    body: Effect.fn("SqlContentStore.body")((version) => readOrUnavailable(bodies.find(isProcessed(version)))),
    keep: Effect.fn("SqlContentStore.keep")((version, { body, size, type }) =>
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
    failAbandoned: Effect.fn("SqlContentStore.failAbandoned")((abandoned, at) =>
      orUnavailable(Effect.map(failAbandoned(abandoned, at), (rows) => rows.length))
    )
  })
})

export const layer: Layer.Layer<ContentStore, never, SqlClient.SqlClient> = Layer.effect(ContentStore, make)
