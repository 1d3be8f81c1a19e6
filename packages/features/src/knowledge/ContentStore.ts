// Stores the contents of knowledge instances: what there is, its status and the uploaded bytes. `ChunkStore` has the
// parts that are searched. Every method that a caller reaches takes an `Owner`: what it does not cover is absent. Users
// read contents without an owner too (`Owner.reads`), but never change them.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import * as Sort from "@svc-runtime/domain/Sort"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import type { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { Context, Effect, type Option } from "effect"
import type * as Knowledge from "./Knowledge.ts"
import type { ContentExists, ContentNotFound, ContentStoredBefore, MetadataTooLarge } from "./KnowledgeErrors.ts"

export const isSortable = Sort.isOneOf(["content_id", "name", "type", "size", "status", "created_at", "updated_at"])

export type NewContent = Pick<
  Knowledge.Content,
  | "instance"
  | "content_id"
  | "user_id"
  | "name"
  | "description"
  | "type"
  | "size"
  | "metadata"
  | "origin"
  | "digest"
>

/** What is stored in the transaction of a content. */
export interface ContentWork {
  /** The uploaded bytes. They are removed when the content has ended. */
  readonly body?: Uint8Array | undefined
  readonly jobs?: ReadonlyArray<Job.NewJob> | undefined
  /** The content is a folder of a source, and this is how its files are stored. */
  readonly folder?: Json.Object | undefined
}

/** A file of a folder, as it is stored. */
export type StoredFile = Pick<Knowledge.Content, "content_id" | "digest" | "status" | "updated_at">

export interface StoredFolder {
  readonly content: Knowledge.Content
  readonly folder: Json.Object
}

/** Folders whose processing ended before a time. What their `folder` says about them has these values. */
export interface DueFolders {
  readonly instance: string
  readonly knowledge_id: string
  readonly source_id: string
  readonly before: Time.EpochSeconds
}

export interface ContentFilter {
  readonly instance: string
  readonly owner: Owner.Owner
}

export interface ContentKey extends ContentFilter {
  readonly content_id: Knowledge.ContentId
}

export interface ContentPage {
  readonly contents: ReadonlyArray<Knowledge.Content>
  readonly total: number
}

/** Given fields replace the stored ones; `Knowledge.mergeMetadata` merges metadata. */
export interface ContentPatch {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly metadata?: Json.Object | undefined
}

/** How the processing of a version ended. Given fields replace the stored ones. */
export interface ContentEnd {
  readonly status: Exclude<Knowledge.Status, "processing">
  readonly status_message: string
  readonly name?: string | undefined
  readonly type?: string | undefined
  readonly size?: number | undefined
}

/** What was read of a version without a body. Given fields replace the stored ones. */
export interface FetchedBody {
  readonly body: Uint8Array
  readonly type?: string | undefined
  readonly size?: number | undefined
}

export interface AllRemoved {
  /** No removed content had a later one. 0: none was removed. */
  readonly generation: number
}

export interface RemovedContent extends AllRemoved {
  readonly count: number
  /** Those of a folder. */
  readonly files: ReadonlyArray<Knowledge.ContentId>
}

/** Contents whose processing ended without a result, because their job failed where its handler could not end them. */
export interface Orphaned {
  /** Contents that changed later are left alone: their job may not be visible yet. */
  readonly before: Time.EpochSeconds
  readonly status_message: string
}

export class ContentStore extends Context.Service<ContentStore, {
  /**
   * Stores a content, or replaces the one of this id, with the status `processing` and a new generation. The chunks of
   * the replaced one are found until the new generation is published. The body and the jobs are stored in the same
   * transaction. If one of the jobs is stored already, nothing is.
   */
  readonly put: (
    content: NewContent,
    work: ContentWork,
    at: Time.EpochSeconds
  ) => Effect.Effect<Knowledge.Content, ContentExists | ContentStoredBefore | StorageUnavailable>
  readonly get: (key: ContentKey) => Effect.Effect<Knowledge.Content, ContentNotFound | StorageUnavailable>
  readonly list: (
    filter: ContentFilter,
    page: Pagination.Request,
    sort: Sort.Sort
  ) => Effect.Effect<ContentPage, ResponseTooLarge | StorageUnavailable>
  /** Searches see changed metadata at once: nothing is processed again. */
  readonly patch: (
    key: ContentKey,
    patch: ContentPatch,
    at: Time.EpochSeconds
  ) => Effect.Effect<Knowledge.Content, ContentNotFound | MetadataTooLarge | StorageUnavailable>
  /**
   * Stores a file of a folder as `put` does. False: this version of the folder was replaced or removed, or has ended,
   * and nothing is stored.
   */
  readonly putFile: (
    folder: Knowledge.Version,
    file: NewContent,
    work: ContentWork,
    at: Time.EpochSeconds
  ) => Effect.Effect<boolean, ContentExists | ContentStoredBefore | StorageUnavailable>
  /** The files of a folder in the order of their ids, after one of them, as many as one call reads. */
  readonly filesOf: (
    folder: Pick<Knowledge.Version, "content_id" | "instance">,
    after: Knowledge.ContentId | undefined
  ) => Effect.Effect<ReadonlyArray<StoredFile>, StorageUnavailable>
  /** The due folders that ended first, as many as one call reads. */
  readonly dueFolders: (due: DueFolders) => Effect.Effect<ReadonlyArray<StoredFolder>, StorageUnavailable>
  /**
   * Processes a version that has ended anew, with a later generation. The jobs are stored in the same transaction.
   * False: it was replaced or removed, or is processed.
   */
  readonly restart: (
    version: Knowledge.Version,
    jobs: ReadonlyArray<Job.NewJob>
  ) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * Makes this model the one of the instance, if it has chunks of another one, and gives contents that have to be
   * embedded again, some at a time. Searches by meaning do not find them meanwhile, and searches by words do.
   */
  readonly outdated: (
    instance: string,
    embedding: Knowledge.Embedding
  ) => Effect.Effect<ReadonlyArray<Knowledge.Content>, StorageUnavailable>
  /** The chunks that searches find, while a later version is processed. */
  readonly publishedChunks: (
    version: Knowledge.Version
  ) => Effect.Effect<ReadonlyArray<Knowledge.Chunk>, StorageUnavailable>
  /**
   * Its chunks are found no more, and those of the files if it is a folder. Absent ones are ignored.
   * `ChunkStore.remove` takes what this returns.
   */
  readonly remove: (key: ContentKey) => Effect.Effect<RemovedContent, StorageUnavailable>
  /** Removes what the owner covers. Nothing of it is visible from now on; `prune` removes many contents. */
  readonly removeAll: (filter: ContentFilter) => Effect.Effect<AllRemoved, StorageUnavailable>
  /** Removes contents whose removal has begun, a piece at a time. Returns how many it removed: 0 if there are none. */
  readonly prune: Effect.Effect<number, StorageUnavailable>
  /** The keys of the metadata of the newest contents (`keyLimits`), each once, sorted, without the reserved key. */
  readonly metadataKeys: (filter: ContentFilter) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /**
   * Whether a job of the content that was stored after this one waits or is executed. It processes the content then,
   * and this one does not.
   */
  readonly hasLaterJob: (
    job: Pick<Job.Acquired, "id" | "key">,
    kinds: ReadonlyArray<string>
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** The uploaded bytes of a version that is being processed. */
  readonly body: (version: Knowledge.Version) => Effect.Effect<Option.Option<Uint8Array>, StorageUnavailable>
  /**
   * Begins a version anew that is being processed, with a later generation and without progress: no chunks of the one
   * before are published. None: it was replaced or removed, or has ended.
   */
  readonly renew: (version: Knowledge.Version) => Effect.Effect<Option.Option<Knowledge.Content>, StorageUnavailable>
  /**
   * Stores what was read of a version that had no body, so that a later attempt need not read it again. False: it was
   * replaced or removed, or has ended.
   */
  readonly storeBody: (version: Knowledge.Version, fetched: FetchedBody) => Effect.Effect<boolean, StorageUnavailable>
  /** False: the version was replaced or removed, or has ended. */
  readonly report: (
    version: Knowledge.Version,
    progress: Knowledge.Progress
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** Ends the processing of a version, and removes its body. False: it was replaced or removed, or has ended. */
  readonly finish: (
    version: Knowledge.Version,
    end: ContentEnd,
    at: Time.EpochSeconds
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** Ends contents that have neither a waiting nor an executing job, some at a time. Returns their number. */
  readonly failOrphaned: (
    orphaned: Orphaned,
    at: Time.EpochSeconds
  ) => Effect.Effect<number, StorageUnavailable>
}>()("@svc-runtime/features/knowledge/ContentStore") {
  /** Undefined: it is absent. */
  static readonly found = (
    contents: ContentStore["Service"],
    key: ContentKey
  ): Effect.Effect<Knowledge.Content | undefined, StorageUnavailable> =>
    Effect.catchTag(contents.get(key), "ContentNotFound", () => Effect.undefined)
}
