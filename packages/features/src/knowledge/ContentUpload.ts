// An upload as it is stored: the id of its content, what is known about it before it is read, and its job.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import { detectMediaType } from "@svc-runtime/knowledge"
import { Effect } from "effect"
import type { Params } from "./ContentSource.ts"
import type { NewContent } from "./ContentStore.ts"
import type { Chunking } from "./DocumentReading.ts"
import * as Knowledge from "./Knowledge.ts"
import type { Instance } from "./KnowledgeRegistry.ts"

export type UploadSource =
  | { readonly _tag: "File"; readonly bytes: Uint8Array; readonly name: string; readonly type: string }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Url"; readonly url: string }
  /** A file of a source of the knowledge base. The job fetches it. */
  | {
    readonly _tag: "Remote"
    readonly source_id: string
    readonly source_type: string
    readonly path: string
    readonly params: Params
    /** What the source says of a file in a folder. Another one means another content. */
    readonly version?: string | undefined
    /** That it is uploaded with. A file of two folders is a content of each. */
    readonly folder_id?: Knowledge.ContentId | undefined
  }
  /** There is nothing to store. */
  | { readonly _tag: "Nothing" }

export interface Upload {
  readonly name: string | undefined
  readonly description: string | undefined
  readonly metadata: Json.Object | undefined
  readonly source: UploadSource
  readonly reader_id: string | undefined
  readonly chunking: Chunking
  /** Null: all users read it. */
  readonly user_id: Ids.UserId | null
}

/** The type of a text that was not uploaded as a file, and those of a URL and of a folder. */
export const types = { text: "manual", url: "url", folder: "folder" } as const

const encoder = new TextEncoder()

const digestOf = (algorithm: "SHA-1" | "SHA-256", bytes: Uint8Array<ArrayBuffer>) =>
  Effect.map(Effect.promise(() => crypto.subtle.digest(algorithm, bytes)), (digest) => new Uint8Array(digest))

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const sha256 = (bytes: Uint8Array) => Effect.map(digestOf("SHA-256", new Uint8Array(bytes)), hex)

/** The namespace of names of hosts. */
const dns = Uint8Array.from([107, 167, 184, 16, 157, 173, 17, 209, 128, 180, 0, 192, 79, 212, 48, 200])

/** A UUID of version 5. */
export const uuidOf = Effect.fnUntraced(function*(name: string) {
  const digest = yield* digestOf("SHA-1", Uint8Array.from([...dns, ...encoder.encode(name)]))
  const bytes = digest.slice(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
})

/** The id of the folder of a knowledge base, or of one of its files. An upload never gets it. */
export const folderIdOf = (instance: string, path = ""): Effect.Effect<Knowledge.ContentId> =>
  Effect.map(uuidOf(JSON.stringify(["folder in code", instance, path])), (id) => Knowledge.ContentId.make(id))

const isEmpty = (value: object): boolean => Object.keys(value).length === 0

const bodyOf = (source: UploadSource): Uint8Array | undefined => {
  switch (source._tag) {
    case "File":
      return source.bytes
    case "Text":
      return encoder.encode(source.text)
    default:
      return undefined
  }
}

const nameOf = ({ name, source }: Upload): string | undefined => {
  if (name !== undefined) return name
  if (source._tag === "File") return source.name === "" ? undefined : source.name
  if (source._tag === "Remote") return source.path
  return source._tag === "Url" ? source.url : undefined
}

/** What distinguishes two contents of one name. A text without a name has nothing but its text. */
const keyOf = (upload: Upload, digest: string): string => {
  const { source } = upload
  switch (source._tag) {
    case "Url":
      return source.url
    case "Remote":
      return [
        `${source.source_id}:${source.path}${isEmpty(source.params) ? "" : JSON.stringify(Json.sorted(source.params))}`,
        ...(source.folder_id === undefined ? [] : [source.folder_id])
      ].join(":")
    case "File":
      return source.name === "" ? source.type === "" ? String(source.bytes.length) : source.type : source.name
    case "Text":
      return nameOf(upload) === undefined ? digest : types.text
    case "Nothing":
      return ""
  }
}

const typeOf = (source: UploadSource): string | null => {
  switch (source._tag) {
    case "Url":
      return types.url
    case "Text":
      return types.text
    case "File":
      return detectMediaType(source) ?? (source.type === "" ? null : source.type)
    case "Remote":
    case "Nothing":
      return null
  }
}

const originOf = (source: UploadSource): string | null => {
  if (source._tag === "Url") return source.url
  if (source._tag === "Remote") return source.path
  return source._tag === "File" && source.name !== "" ? source.name : null
}

const versionOf = (source: UploadSource): string =>
  source._tag === "Remote" && source.version !== undefined ? `\n${source.version}` : ""

const metadataOf = ({ metadata, source }: Upload): Json.Object | null => {
  if (source._tag === "Remote") {
    const { params, path, source_id, source_type } = source
    const given = isEmpty(params) ? {} : { source_params: params }
    return { ...metadata, [Knowledge.reservedKey]: { source_type, source_id, source_path: path, ...given } }
  }
  if (source._tag !== "Url") return metadata ?? null
  return { ...metadata, [Knowledge.reservedKey]: { source_type: "url", source_url: source.url } }
}

/** The bytes of a body and how they are read: an upload with the same digest has the same chunks. */
const contentDigestOf = (bodyDigest: string, { chunking, reader_id, source }: Upload) =>
  sha256(encoder.encode(JSON.stringify([
    bodyDigest,
    typeOf(source),
    originOf(source),
    reader_id ?? null,
    chunking.chunker ?? null,
    chunking.chunk_size,
    chunking.chunk_overlap
  ])))

export interface Prepared {
  readonly content: NewContent
  readonly body: Uint8Array | undefined
}

/**
 * The same name, description, metadata and kind have the same id: such an upload replaces the content. Contents of
 * different owners never have one id.
 */
export const prepare = Effect.fnUntraced(function*({ name: instance }: Instance, upload: Upload) {
  const { description, source, user_id } = upload
  const body = bodyOf(source)
  const name = nameOf(upload)
  const metadata = upload.metadata === undefined || isEmpty(upload.metadata) ? undefined : upload.metadata
  const bytes = body ?? encoder.encode(source._tag === "Url" ? source.url : `${keyOf(upload, "")}${versionOf(source)}`)
  const bodyDigest = yield* sha256(bytes)
  const digest = yield* contentDigestOf(bodyDigest, upload)
  const parts = [name, description, metadata === undefined ? undefined : JSON.stringify(Json.sorted(metadata))]
  const identity = [...parts, keyOf(upload, bodyDigest)].filter((part) => part !== undefined && part !== "")
    .join(":")
  const hash = yield* sha256(encoder.encode(user_id === null ? identity : JSON.stringify([user_id, identity])))
  const prepared: Prepared = {
    content: {
      instance,
      content_id: Knowledge.ContentId.make(yield* uuidOf(hash)),
      user_id,
      name: name ?? null,
      description: description ?? null,
      type: typeOf(source),
      size: body === undefined ? null : body.length,
      metadata: metadataOf({ ...upload, metadata }),
      origin: originOf(source),
      digest
    },
    body
  }
  return prepared
})
