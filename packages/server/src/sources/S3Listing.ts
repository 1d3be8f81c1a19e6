// The answers of ListObjectsV2, and the errors of S3, as XML.
import type * as ContentSource from "@svc/domain/ContentSource"
import { formatMillis } from "@svc/domain/Time"

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'" }

const decode = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (entity, hex, decimal, name) => {
    if (name !== undefined) return entities[String(name)] ?? entity
    const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity
  })

const all = (xml: string, tag: string): ReadonlyArray<string> =>
  xml.split(`<${tag}>`).slice(1).map((rest) => rest.slice(0, Math.max(rest.indexOf(`</${tag}>`), 0)))

/** The text of the first element with this name. */
export const textOf = (xml: string, tag: string): string | undefined => {
  const [first] = all(xml, tag)
  return first === undefined ? undefined : decode(first)
}

const nameOf = (key: string, delimiter: string): string =>
  key.slice(delimiter === "" ? 0 : key.lastIndexOf(delimiter) + delimiter.length)

const fileOf = (xml: string): ContentSource.File => {
  const key = textOf(xml, "Key") ?? ""
  const size = Number(textOf(xml, "Size") ?? "")
  const modified = Date.parse(textOf(xml, "LastModified") ?? "")
  return {
    key,
    name: nameOf(key, "/"),
    size: Number.isSafeInteger(size) && size >= 0 ? size : null,
    last_modified: Number.isNaN(modified) ? null : formatMillis(modified),
    content_type: null
  }
}

const folderOf = (prefix: string, delimiter: string): ContentSource.Folder => ({
  prefix,
  name: nameOf(delimiter === "" ? prefix : prefix.slice(0, -delimiter.length), delimiter),
  is_empty: false
})

export interface Page {
  readonly folders: ReadonlyArray<ContentSource.Folder>
  readonly files: ReadonlyArray<ContentSource.File>
  /** Undefined: there is no other page. */
  readonly next: string | undefined
}

/** Undefined: it is no list. Keys that end in `/` mark folders, and are no files. */
export const parse = (xml: string, delimiter: string): Page | undefined => {
  if (!xml.includes("<ListBucketResult")) return undefined
  return {
    folders: all(xml, "CommonPrefixes").map((entry) => folderOf(textOf(entry, "Prefix") ?? "", delimiter)),
    files: all(xml, "Contents").map(fileOf).filter(({ key }) => key !== "" && !key.endsWith("/")),
    next: textOf(xml, "IsTruncated") === "true" ? textOf(xml, "NextContinuationToken") : undefined
  }
}
