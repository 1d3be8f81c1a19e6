// The background job of an uploaded folder: it compares the files that the source lists with the stored files,
// stores the new and the changed ones, each with a job of its own, and removes missing ones. Each step can be
// repeated.
import * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import { now } from "@svc-runtime/engine/now"
import { JobSignal } from "@svc-runtime/engine/signals/Signals"
import { Effect, Option, Schema } from "effect"
import { ChunkStore } from "./ChunkStore.ts"
import * as ContentJobKey from "./ContentJobKey.ts"
import * as ContentSource from "./ContentSource.ts"
import { type ContentEnd, ContentStore, type NewContent, type StoredFile } from "./ContentStore.ts"
import * as ContentUpload from "./ContentUpload.ts"
import * as IngestionJob from "./IngestionJob.ts"
import * as Knowledge from "./Knowledge.ts"
import { type Instance, KnowledgeRegistry } from "./KnowledgeRegistry.ts"

/** How the files of a folder are stored. The settings are stored with the folder. */
export const FolderSettings = Schema.Struct({
  knowledge_id: Schema.String,
  source_id: Schema.String,
  path: Schema.String,
  params: Schema.Record(Schema.String, Schema.String),
  /** Files are called after it. */
  name: Schema.String,
  description: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Json.Object),
  reader_id: Schema.optionalKey(Schema.String),
  chunker: Schema.optionalKey(Schema.String),
  chunk_size: Schema.Natural,
  chunk_overlap: Schema.Natural
})
export type FolderSettings = typeof FolderSettings.Type

const Payload = Schema.Struct({
  instance: Schema.String,
  content_id: Knowledge.ContentId,
  /** That of the upload. A folder with another one was replaced, and has a job of its own. */
  digest: Schema.NullOr(Schema.String),
  how: FolderSettings,
  /** That of a sync. An upload tries each failed file again. */
  is_sync: Schema.optionalKey(Schema.Boolean)
})
type Payload = typeof Payload.Type

export const name = "knowledge-folder"

const shape = {
  name,
  payload: Payload,
  concurrency: 2,
  perUser: 1,
  maxAttempts: 6,
  timeout: "30 minutes",
  retryDelay: "2 seconds"
} as const

const enqueued = JobKind.withoutHandler(shape)

type Folder = Pick<NewContent, "content_id" | "digest" | "instance" | "user_id">

interface FolderOptions extends Pick<IngestionJob.UploadOptions, "caller" | "job_id"> {
  readonly is_sync?: boolean
}

/** For the transaction that stores the folder. Equal requests, of which one stores it, give one `job_id`. */
export const of = (
  { content_id, digest, instance, user_id }: Folder,
  how: FolderSettings,
  { caller, is_sync = false, job_id }: FolderOptions = {}
) =>
  Effect.map(
    Jobs.newJob(enqueued, { instance, content_id, digest, how, is_sync }, {
      key: ContentJobKey.of({ instance, content_id }),
      isUnique: false,
      user_id,
      caller
    }),
    (job): Job.NewJob => job_id === undefined ? job : { ...job, id: Job.Id.make(job_id) }
  )

/** `/` is all that the source offers. */
export const prefixOf = (path: string): string => path === "/" ? "" : path

export const folderSettingsOf = (
  { id }: Instance,
  source: Extract<ContentUpload.UploadSource, { readonly _tag: "Remote" }>,
  { chunking, description, metadata, name, reader_id }: Omit<ContentUpload.Upload, "user_id">
): FolderSettings => ({
  knowledge_id: id,
  source_id: source.source_id,
  path: source.path,
  params: source.params,
  name: (name ?? source.path).replace(/(?<!\/)\/+$/, "") || source.source_id,
  ...(description === undefined ? {} : { description }),
  ...(metadata === undefined ? {} : { metadata }),
  ...(reader_id === undefined ? {} : { reader_id }),
  ...(chunking.chunker === undefined ? {} : { chunker: chunking.chunker }),
  chunk_size: chunking.chunk_size,
  chunk_overlap: chunking.chunk_overlap
})

/** The longest name of a content. The beginning of a longer one is left out. */
const maxNameLength = 255

const nameOf = (name: string, path: string): string => {
  const whole = `${name}/${path}`
  return whole.length <= maxNameLength ? whole : `…${whole.slice(1 - maxNameLength).toWellFormed()}`
}

const uploadOf = (
  { chunk_overlap, chunk_size, chunker, description, metadata, name, params, path, reader_id }: FolderSettings,
  { id, type }: ContentSource.Source,
  { key, version }: ContentSource.FolderFile,
  { content_id: folder_id, user_id }: Knowledge.Content
): ContentUpload.Upload => ({
  name: nameOf(name, key.slice(prefixOf(path).length)),
  description,
  metadata,
  source: { _tag: "Remote", source_id: id, source_type: type, path: key, params, version, folder_id },
  reader_id,
  chunking: { chunker, chunk_size, chunk_overlap },
  user_id
})

class FolderFailed extends Schema.TaggedError<FolderFailed>()("FolderFailed", {
  message: Schema.String,
  isTransient: Schema.Boolean,
  retryAfter: Schema.optional(Schema.Finite)
}) {}

const failed = (message: string) => new FolderFailed({ message, isTransient: false })

/** The folder was replaced or removed meanwhile. */
class FolderSuperseded extends Schema.TaggedError<FolderSuperseded>()("FolderSuperseded", {}) {}

const listed = Effect.fnUntraced(function*(source: ContentSource.Source, { params, path }: FolderSettings) {
  if (source.folder === undefined) return yield* failed(`Config ${source.id} does not support folder uploads`)
  const prefix = prefixOf(path)
  const { bytes, files: maximum } = ContentSource.folderLimits
  const files = yield* Effect.mapError(
    source.folder({ path: prefix, params, maximum }),
    ({ message, reason, retryAfter }) =>
      new FolderFailed({
        message: `Error listing ${path}: ${message}`,
        isTransient: reason === "unavailable",
        retryAfter
      })
  )
  const offered = files.filter(({ key }) =>
    key.startsWith(prefix) && ContentSource.pathProblem(source, key) === undefined
  )
  const size = offered.reduce((sum, file) => sum + (file.size ?? 0), 0)
  if (offered.length > maximum) {
    return yield* failed(`The folder has ${offered.length} files: at most ${maximum} are uploaded at once`)
  }
  if (size > bytes) {
    return yield* failed(`The files of the folder have ${size} bytes: at most ${bytes} are uploaded at once`)
  }
  return offered.toSorted((one, other) => one.key < other.key ? -1 : 1)
})

/** Seconds after which a sync fetches a failed file again: most fail again, as a file that has no text does. */
const failedAgainAfter = 24 * 60 * 60

/** The files between two reports of progress. */
const reportEvery = 100

const counted = (count: number): string => count === 1 ? "1 file" : `${count} files`

export const kind = Effect.gen(function*() {
  const [contents, chunks] = [yield* ContentStore, yield* ChunkStore]
  const registry = yield* KnowledgeRegistry
  const signal = yield* JobSignal

  const storedFiles = Effect.fnUntraced(function*(folder: Knowledge.Content) {
    const stored = new Map<Knowledge.ContentId, StoredFile>()
    let last: Knowledge.ContentId | undefined
    do {
      const page = yield* contents.filesOf(folder, last)
      for (const file of page) stored.set(file.content_id, file)
      last = page.at(-1)?.content_id
    } while (last !== undefined)
    return stored
  })

  const remove = Effect.fnUntraced(function*(
    { instance, user_id }: Knowledge.Content,
    content_id: Knowledge.ContentId
  ) {
    const key = { instance, content_id, owner: user_id === null ? Owner.anyone : Owner.user(user_id) }
    const { count, generation } = yield* contents.remove(key)
    if (count > 0) yield* chunks.remove({ ...key, generation })
  })

  const sync = Effect.fnUntraced(function*(
    instance: Instance,
    source: ContentSource.Source,
    folder: Knowledge.Content,
    { how, is_sync = false }: Payload,
    { job, report }: Pick<JobKind.JobContext, "job" | "report">
  ) {
    const at = yield* now
    const isStored = ({ digest, status, updated_at }: StoredFile, wanted: string | null) =>
      digest === wanted && (status !== "failed" || is_sync && at - updated_at < failedAgainAfter)
    const files = yield* listed(source, how)
    const stored = yield* storedFiles(folder)
    const show = Effect.fnUntraced(function*(done: number) {
      const progress = { done, total: files.length }
      yield* report(progress)
      if (!(yield* contents.report(folder, progress))) return yield* new FolderSuperseded()
    })
    yield* show(0)
    let changed = 0
    for (const [index, file] of files.entries()) {
      const upload = uploadOf(how, source, file, folder)
      const { content } = yield* ContentUpload.prepare(instance, upload)
      const known = stored.get(content.content_id)
      stored.delete(content.content_id)
      if (known === undefined || !isStored(known, content.digest)) {
        const next = yield* IngestionJob.of(
          instance,
          content,
          { ...upload, caller: job.caller ?? undefined },
          "folderFile"
        )
        if (!(yield* contents.putFile(folder, content, { jobs: [next] }, yield* now))) {
          return yield* new FolderSuperseded()
        }
        changed++
        signal.notify()
      }
      if ((index + 1) % reportEvery === 0) yield* show(index + 1)
    }
    // what is left is in the source no more
    for (const content_id of stored.keys()) yield* remove(folder, content_id)
    yield* show(files.length)
    const end: ContentEnd = {
      status: "completed",
      status_message: `${counted(files.length)}: ${changed} new or changed, ${stored.size} removed`
    }
    yield* contents.finish(folder, end, yield* now)
  })

  const handle = Effect.fnUntraced(
    function*(payload: Payload, { job, report }: JobKind.JobContext) {
      const { content_id, digest, how, instance } = payload
      if (yield* contents.hasLaterJob(job, [name])) return
      const found = yield* ContentStore.found(contents, { instance, content_id, owner: Owner.anyone })
      if (found === undefined || found.status !== "processing" || found.digest !== digest) return
      // an attempt that was lost stores no more files
      const version = yield* contents.renew(found)
      if (Option.isNone(version)) return
      const folder = version.value
      const isLast = JobKind.isLast({ job })
      const end = Effect.fnUntraced(function*(status_message: string) {
        const isEnded = yield* contents.finish(folder, { status: "failed", status_message }, yield* now)
        if (isEnded) yield* Effect.logWarning("A folder of knowledge failed", status_message)
      })
      const registered = registry.find(how.knowledge_id)
      const source = registered?.knowledge.sources.find(({ id }) => id === how.source_id)
      const synced: Effect.Effect<void, Effect.Error<ReturnType<typeof sync>> | FolderFailed> =
        registered === undefined || source === undefined
          // a node of another version of the service may have it
          ? Effect.fail(new FolderFailed({ message: `Unknown content source: ${how.source_id}`, isTransient: true }))
          : sync(registered, source, folder, payload, { job, report })
      yield* synced.pipe(
        Effect.catchTags({
          FolderSuperseded: () => Effect.void,
          FolderFailed: (error) => error.isTransient && !isLast ? Effect.fail(error) : end(error.message)
        }),
        Effect.tapDefect(() => isLast ? end("The folder could not be processed") : Effect.void)
      )
    },
    (effect, { content_id, instance }) =>
      Effect.annotateLogs(effect, { part: "knowledge", knowledge: instance, content_id })
  )

  return JobKind.make({ ...shape, handle })
})
