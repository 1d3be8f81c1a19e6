// `ContentStore` in memory.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Sort from "@svc-runtime/domain/Sort"
import type * as Time from "@svc-runtime/domain/Time"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import * as ContentJobKey from "@svc-runtime/features/knowledge/ContentJobKey"
import { isSortable } from "@svc-runtime/features/knowledge/ContentStore"
import type {
  ContentFilter,
  ContentKey,
  ContentStore,
  ContentWork,
  NewContent
} from "@svc-runtime/features/knowledge/ContentStore"
import * as Knowledge from "@svc-runtime/features/knowledge/Knowledge"
import {
  ContentExists,
  ContentNotFound,
  ContentStoredBefore,
  MetadataTooLarge
} from "@svc-runtime/features/knowledge/KnowledgeErrors"
import {
  embeddedAgainAtOnce,
  folderLimits,
  keyLimits,
  orphanedAtOnce
} from "@svc-runtime/features/knowledge/KnowledgeLimits"
import * as VectorChecks from "@svc-runtime/features/knowledge/VectorChecks"
import { Effect, Option, Struct } from "effect"
import type { MemoryDatabase, StoredContent } from "./MemoryDatabase.ts"
import * as MemoryJobs from "./MemoryJobs.ts"

/** Two instances can have contents of one id. */
export const contentKey = ({ content_id, instance }: Pick<Knowledge.Content, "content_id" | "instance">): string =>
  JSON.stringify([instance, content_id])

const byteLength = (value: Knowledge.Content): number => new TextEncoder().encode(JSON.stringify(value)).length

const compareBy = ({ by, order }: Sort.Sort) =>
  Sort.compare<StoredContent>(order, ({ content }) => isSortable(by) ? content[by] : null, ({ sequence }) => sequence)

export const make = (database: MemoryDatabase["Service"], responseLimit: number) => {
  const { contents } = database
  const enqueue = MemoryJobs.enqueueIn(database)

  const readable = ({ instance, owner }: ContentFilter) =>
    [...contents.values()].filter(({ content }) => content.instance === instance && Owner.reads(owner, content.user_id))

  const save = (stored: StoredContent) => contents.set(contentKey(stored.content), stored)

  /** The stored content, if it is still processed in this version. */
  const processed = (version: Knowledge.Version): StoredContent | undefined => {
    const stored = contents.get(contentKey(version))
    return stored?.content.generation === version.generation && stored.content.status === "processing"
      ? stored
      : undefined
  }

  const covered = (key: ContentKey): StoredContent | undefined => {
    const stored = contents.get(contentKey(key))
    return stored !== undefined && Owner.covers(key.owner, stored.content.user_id) ? stored : undefined
  }

  const removeEach = (removed: ReadonlyArray<StoredContent>) => {
    for (const { content } of removed) contents.delete(contentKey(content))
    return {
      count: removed.length,
      generation: removed.reduce((last, { content }) => Math.max(last, content.generation), 0)
    }
  }

  const put = (
    given: NewContent,
    { body, folder, jobs = [] }: ContentWork,
    at: Time.EpochSeconds,
    folder_id?: Knowledge.ContentId
  ) =>
    Effect.gen(function*() {
      const stored = contents.get(contentKey(given))
      if (stored !== undefined && stored.content.user_id !== given.user_id) {
        return yield* new ContentExists({ content_id: given.content_id })
      }
      if (jobs.some(({ id }) => database.jobs.has(id))) {
        return yield* new ContentStoredBefore({ content_id: given.content_id })
      }
      const content: Knowledge.Content = {
        ...given,
        status: "processing",
        status_message: null,
        progress: null,
        generation: database.next(),
        published: stored?.content.published ?? null,
        created_at: stored?.content.created_at ?? at,
        updated_at: at
      }
      const sequence = stored?.sequence ?? database.next()
      save({ sequence, content, body, folder, folder_id: folder_id ?? stored?.folder_id })
      yield* enqueue(jobs)
      return content
    })

  const filesIn = ({ content_id, instance }: Pick<Knowledge.Version, "content_id" | "instance">) =>
    [...contents.values()].filter(({ content, folder_id }) => folder_id === content_id && content.instance === instance)

  return {
    put: (given, work, at) => put(given, work, at),
    putFile: (folder, given, work, at) =>
      Effect.suspend(() =>
        processed(folder) === undefined
          ? Effect.succeed(false)
          : Effect.as(put(given, work, at, folder.content_id), true)
      ),
    filesOf: (folder, after) =>
      Effect.sync(() =>
        filesIn(folder).map(({ content }) => Struct.pick(content, ["content_id", "digest", "status", "updated_at"]))
          .filter(({ content_id }) => after === undefined || content_id > after)
          .sort((one, other) => one.content_id < other.content_id ? -1 : 1)
          .slice(0, folderLimits.files)
      ),
    dueFolders: ({ before, instance, knowledge_id, source_id }) =>
      Effect.sync(() =>
        [...contents.values()].flatMap(({ content, folder }) => folder === undefined ? [] : [{ content, folder }])
          .filter(({ content, folder }) =>
            content.instance === instance && content.status !== "processing" && content.updated_at < before &&
            folder["knowledge_id"] === knowledge_id && folder["source_id"] === source_id
          )
          .sort((one, other) => one.content.updated_at - other.content.updated_at)
          .slice(0, folderLimits.due)
      ),
    restart: (version, jobs) =>
      Effect.gen(function*() {
        const stored = contents.get(contentKey(version))
        if (stored?.content.generation !== version.generation || stored.content.status === "processing") return false
        const content: Knowledge.Content = {
          ...stored.content,
          status: "processing",
          status_message: null,
          generation: database.next(),
          progress: null
        }
        save({ ...stored, content })
        yield* enqueue(jobs)
        return true
      }),
    outdated: (instance, embedding) =>
      Effect.sync(() => {
        const stored = database.embeddings.get(instance)
        if (stored === undefined) return []
        if (!VectorChecks.isSameModel(stored, embedding)) {
          database.embeddings.set(instance, embedding)
          database.embeddedSince.set(instance, database.next())
        }
        const since = database.embeddedSince.get(instance) ?? 0
        return [...contents.values()].map(({ content }) => content)
          .filter(({ generation, published, status, ...content }) =>
            content.instance === instance && published !== null && generation < since && status !== "processing"
          )
          .slice(0, embeddedAgainAtOnce)
      }),
    publishedChunks: (version) =>
      Effect.sync(() => {
        const stored = contents.get(contentKey(version))?.content
        if (stored?.generation !== version.generation) return []
        return [...database.chunks.get(stored.published ?? 0)?.chunks.values() ?? []]
          .map(({ vector: _, ...chunk }) => chunk)
          .sort((left, right) => left.index - right.index)
      }),
    get: (key) =>
      Effect.suspend(() => {
        const stored = contents.get(contentKey(key))
        return stored !== undefined && Owner.reads(key.owner, stored.content.user_id)
          ? Effect.succeed(stored.content)
          : Effect.fail(new ContentNotFound({ content_id: key.content_id }))
      }),
    list: (filter, page, sort) =>
      Effect.suspend((): ReturnType<ContentStore["Service"]["list"]> => {
        const found = readable(filter).sort(compareBy(sort))
        const listed = Pagination.slice(page, found).map(({ content }) => content)
        const bytes = listed.reduce((sum, content) => sum + byteLength(content), 0)
        return Effect.as(admit("contents", bytes, responseLimit), { contents: listed, total: found.length })
      }),
    patch: (key, { description, metadata, name }, at) =>
      Effect.suspend((): ReturnType<ContentStore["Service"]["patch"]> => {
        const stored = covered(key)
        if (stored === undefined) return Effect.fail(new ContentNotFound({ content_id: key.content_id }))
        const content: Knowledge.Content = {
          ...stored.content,
          name: name ?? stored.content.name,
          description: description ?? stored.content.description,
          metadata: metadata === undefined
            ? stored.content.metadata
            : Knowledge.mergeMetadata(stored.content.metadata, metadata),
          updated_at: at
        }
        if (metadata !== undefined && content.metadata !== null && !Knowledge.isShort(content.metadata)) {
          return Effect.fail(new MetadataTooLarge({ content_id: key.content_id }))
        }
        save({ ...stored, content })
        return Effect.succeed(content)
      }),
    remove: (key) =>
      Effect.sync(() => {
        const stored = covered(key)
        if (stored === undefined) return { ...removeEach([]), files: [] }
        const files = stored.folder === undefined
          ? []
          : filesIn(key).filter(({ content }) => content.user_id === stored.content.user_id)
        return { ...removeEach([stored, ...files]), files: files.map(({ content }) => content.content_id) }
      }),
    removeAll: ({ instance, owner }) =>
      Effect.sync(() => {
        const { generation } = removeEach(
          [...contents.values()].filter(({ content }) =>
            content.instance === instance && Owner.covers(owner, content.user_id)
          )
        )
        return { generation }
      }),
    prune: Effect.succeed(0),
    metadataKeys: (filter) =>
      Effect.sync(() => {
        const newest = readable(filter).sort(compareBy({ by: "updated_at", order: "desc" })).slice(
          0,
          keyLimits.contents
        )
        const keys = newest.flatMap(({ content }) => Object.keys(Knowledge.withoutReserved(content.metadata)))
        return [...new Set(keys)].sort().slice(0, keyLimits.keys)
      }),
    hasLaterJob: ({ id, key }, kinds) =>
      Effect.sync(() => {
        const ofContent = [...database.jobs.values()].map(({ job }) => job)
          .filter((job) => kinds.includes(job.kind) && job.key === key)
        const own = ofContent.findIndex((job) => job.id === id)
        return own >= 0 && ofContent.slice(own + 1).some(({ status }) => !Job.isEnded(status))
      }),
    body: (version) => Effect.sync(() => Option.fromUndefinedOr(processed(version)?.body)),
    renew: (version) =>
      Effect.sync(() => {
        const stored = processed(version)
        if (stored === undefined) return Option.none()
        const content: Knowledge.Content = { ...stored.content, generation: database.next(), progress: null }
        save({ ...stored, content })
        return Option.some(content)
      }),
    storeBody: (version, { body, ...known }) =>
      Effect.sync(() => {
        const stored = processed(version)
        if (stored === undefined) return false
        const { size = stored.content.size, type = stored.content.type } = known
        save({ ...stored, body, content: { ...stored.content, size, type } })
        return true
      }),
    report: (version, progress) =>
      Effect.sync(() => {
        const stored = processed(version)
        if (stored === undefined) return false
        save({ ...stored, content: { ...stored.content, progress } })
        return true
      }),
    finish: (version, end, at) =>
      Effect.sync(() => {
        const stored = processed(version)
        if (stored === undefined) return false
        const { name = stored.content.name, size = stored.content.size, status, status_message } = end
        const { type = stored.content.type } = end
        save({
          ...stored,
          body: undefined,
          content: { ...stored.content, name, size, status, status_message, type, updated_at: at }
        })
        return true
      }),
    failOrphaned: ({ before, status_message }, at) =>
      Effect.sync(() => {
        const busy = new Set(
          [...database.jobs.values()].flatMap(({ job }) => Job.isEnded(job.status) ? [] : [job.key])
        )
        // folders in code have no job
        const isDeclared = (folder: object | undefined) => folder !== undefined && Object.keys(folder).length === 0
        const orphaned = [...contents.values()].filter(({ content, folder }) =>
          !isDeclared(folder) && content.status === "processing" && content.updated_at < before &&
          !busy.has(ContentJobKey.of(content))
        ).slice(0, orphanedAtOnce)
        for (const stored of orphaned) {
          const content: Knowledge.Content = { ...stored.content, status: "failed", status_message, updated_at: at }
          save({ ...stored, body: undefined, content })
        }
        return orphaned.length
      })
  } satisfies ContentStore["Service"]
}
