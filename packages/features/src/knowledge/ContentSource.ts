// The port of a place outside of the service from which a knowledge base takes contents: a bucket, a repository.
import type * as ContentSource from "@svc-runtime/domain/ContentSource"
import { Data, Duration, type Effect } from "effect"

/** `unavailable` can succeed later. The message is a sentence for the caller. */
export class ContentSourceFailed extends Data.TaggedError("ContentSourceFailed")<{
  readonly reason: "credentials" | "missing" | "refused" | "unavailable"
  readonly message: string
  /** Seconds after which the source wants to be asked again. */
  readonly retryAfter?: number | undefined
}> {}

/** What a caller says about a place beside its path: the branch of a repository. */
export type Params = Readonly<Record<string, string>>

export interface Listing {
  readonly folders: ReadonlyArray<ContentSource.Folder>
  readonly files: ReadonlyArray<ContentSource.File>
}

export interface ListRequest {
  readonly prefix: string
  /** Keys that are equal up to it are one folder. Empty: there are no folders. */
  readonly delimiter: string
  /** More entries are an error. */
  readonly maximum: number
}

export interface FolderRequest {
  /** Keys that start with it are in the folder. Empty: all. */
  readonly path: string
  readonly params: Params
  /** More files are an error. */
  readonly maximum: number
}

/** A file in a folder, or in a folder of it. */
export interface FolderFile {
  readonly key: string
  /** In bytes. Null: not known. */
  readonly size: number | null
  /** Another one means another content. */
  readonly version: string
}

export interface RemoteFile {
  readonly bytes: Uint8Array
  /** The media type. */
  readonly type: string | undefined
}

export interface Source {
  /** Part of URLs, and of requests as `config_id`. */
  readonly id: string
  readonly name: string
  readonly type: ContentSource.Type
  /** Only paths that start with it are listed and fetched. */
  readonly prefix: string
  /** The names of the parameters that it takes. */
  readonly params: ReadonlyArray<string>
  /** Why parameters with these names cannot be used. Undefined if they can. */
  readonly paramsProblem?: ((params: Params) => string | undefined) | undefined
  /** Undefined: callers see no lists. */
  readonly list: ((request: ListRequest) => Effect.Effect<Listing, ContentSourceFailed>) | undefined
  /** Undefined: folders cannot be uploaded. */
  readonly folder:
    | ((request: FolderRequest) => Effect.Effect<ReadonlyArray<FolderFile>, ContentSourceFailed>)
    | undefined
  /** How often folders that were uploaded are compared with the source again. Undefined: when they are uploaded. */
  readonly sync: Duration.Duration | undefined
  readonly fetch: (path: string, params: Params) => Effect.Effect<RemoteFile, ContentSourceFailed>
}

export const toWire = ({ id, name, prefix, type }: Source): ContentSource.Source => ({
  id,
  name,
  type,
  metadata: null,
  prefix: prefix === "" ? null : prefix
})

/** The most files of a folder that is uploaded, and their bytes. */
export const folderLimits = { files: 10_000, bytes: 10 * 1024 ** 3 } as const

/** The most files and folders that a list has. */
export const maxListing = 10_000

/** The shortest time between two syncs of a folder. */
export const minSyncInterval = Duration.minutes(1)

/** The longest path, in bytes of UTF-8. */
const maxPathLength = 1024

/** Why a source has no such path. Undefined if it can have it. */
export const pathProblem = ({ prefix }: Source, path: string): string | undefined => {
  if (!path.isWellFormed() || path.includes("\0")) return "path must be text without NUL"
  if (new TextEncoder().encode(path).length > maxPathLength) return `path must have at most ${maxPathLength} bytes`
  // a URL with such parts means another path
  if (path.split("/").some((part) => part === "." || part === "..")) return "path must not have the parts . and .."
  return path.startsWith(prefix) ? undefined : `path must start with '${prefix}'`
}
