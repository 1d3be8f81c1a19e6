// The responses of ListObjectsV2, and the errors of S3, as XML.
import type * as ContentSource from "@svc-runtime/domain/ContentSource"
import { formatMillis } from "@svc-runtime/domain/Time"
import { all, maxEntries, sizeOf, textOf } from "./xml.ts"

const nameOf = (key: string, delimiter: string): string =>
  key.slice(delimiter === "" ? 0 : key.lastIndexOf(delimiter) + delimiter.length)

/** A file, and what changes with its content. */
export interface Entry {
  readonly file: ContentSource.File
  readonly version: string
}

const entryOf = (xml: string): Entry => {
  const key = textOf(xml, "Key") ?? ""
  const size = sizeOf(textOf(xml, "Size"))
  const modified = textOf(xml, "LastModified") ?? ""
  const millis = Date.parse(modified)
  return {
    file: {
      key,
      name: nameOf(key, "/"),
      size,
      last_modified: Number.isNaN(millis) ? null : formatMillis(millis),
      content_type: null
    },
    version: textOf(xml, "ETag") ?? `${size} ${modified}`
  }
}

const folderOf = (prefix: string, delimiter: string): ContentSource.Folder => ({
  prefix,
  name: nameOf(delimiter === "" ? prefix : prefix.slice(0, -delimiter.length), delimiter),
  is_empty: false
})

export interface Page {
  readonly folders: ReadonlyArray<ContentSource.Folder>
  readonly files: ReadonlyArray<Entry>
  /** Undefined: there is no other page. */
  readonly next: string | undefined
  /** Whether there are more entries than are read. */
  readonly isTooLong: boolean
}

/** Undefined: it is no list, or not all of it. Keys that end in `/` mark folders, and are no files. */
export const parse = (xml: string, delimiter: string): Page | undefined => {
  if (!xml.includes("<ListBucketResult") || !xml.includes("</ListBucketResult>")) return undefined
  const next = textOf(xml, "IsTruncated") === "true" ? textOf(xml, "NextContinuationToken") ?? "" : undefined
  if (next === "") return undefined
  const [folders, files] = [
    all(xml, "CommonPrefixes", maxEntries + 1),
    all(xml, "Contents", maxEntries + 1)
  ]
  return {
    folders: folders.map((entry) => folderOf(textOf(entry, "Prefix") ?? "", delimiter)),
    files: files.map(entryOf).filter(({ file: { key } }) => key !== "" && !key.endsWith("/")),
    next,
    isTooLong: Math.max(folders.length, files.length) > maxEntries
  }
}
