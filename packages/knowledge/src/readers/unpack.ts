// Opens the ZIP archive of an Office document. Declared sizes are checked before unpacking, and an entry that is longer
// than declared is refused.
import { Effect } from "effect"
import { unzipSync, zipSync } from "fflate"
import type { ReaderLimits } from "../ReaderLimits.ts"
import { Unreadable } from "../Unreadable.ts"
import { signatureOf } from "./signatures.ts"
import { isDeeper } from "./tagDepth.ts"

export type Entries = Readonly<Record<string, Uint8Array>>

const mebi = 1024 * 1024

const tooLarge = (message: string) => new Unreadable({ reason: "too_large", message })

/** Parts of Office documents define no entities. In a hostile part they could expand to a large text. */
const definesEntities = (part: Uint8Array): boolean => {
  const buffer = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
  return buffer.includes("<!DOCTYPE") || buffer.includes("<!DOCTYPE", 0, "utf16le") || buffer.includes("<!ENTITY")
}

const unpack = (bytes: Uint8Array, limits: ReaderLimits, keep: (name: string) => boolean): Entries => {
  let [entries, total] = [0, 0]
  return unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      entries += 1
      if (entries > limits.entries) throw tooLarge(`The document has more than ${limits.entries} parts`)
      if (!keep(name)) return false
      total += originalSize
      if (total > limits.unpackedBytes) {
        throw tooLarge(`The parts of the document have more than ${limits.unpackedBytes / mebi} MiB`)
      }
      return true
    }
  })
}

const unpackOffice = (bytes: Uint8Array, limits: ReaderLimits, keep: (name: string) => boolean): Entries => {
  const unpacked = unpack(bytes, limits, keep)
  if (Object.values(unpacked).some(definesEntities)) {
    throw new Unreadable({ reason: "broken", message: "The document defines entities, which Office documents do not" })
  }
  return unpacked
}

/** Office documents before 2007 and encrypted ones use the same container. */
const checkContainer = (
  content: Uint8Array | string,
  legacy: { readonly title: string; readonly advice: string }
): Effect.Effect<Uint8Array, Unreadable> => {
  if (typeof content === "string") {
    return Effect.fail(new Unreadable({ reason: "mismatch", message: `A text is not ${legacy.title}` }))
  }
  const signature = signatureOf(content)
  if (signature?.format === "archive") return Effect.succeed(content)
  if (signature?.format !== "compound") {
    const found = signature === undefined ? "" : `: it is ${signature.title}`
    return Effect.fail(new Unreadable({ reason: "mismatch", message: `The content is not ${legacy.title}${found}` }))
  }
  return Effect.fail(
    isEncrypted(content)
      ? new Unreadable({ reason: "encrypted", message: "The document is protected by a password" })
      : new Unreadable({ reason: "unsupported", message: legacy.advice })
  )
}

export const isEncrypted = (content: Uint8Array): boolean =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength).includes("EncryptedPackage", 0, "utf16le")

/** No program writes a tenth of it. */
const maxDepth = 10_000

/** Parts of XML that become documents. Those of workbooks have a parser of their own. */
const isParsed = (name: string): boolean => /\.(?:xml|rels|opf)$/i.test(name) && !name.startsWith("xl/")

const withinDepth = (entries: Entries): Entries => {
  const decoder = new TextDecoder()
  for (const [name, part] of Object.entries(entries)) {
    if (isParsed(name) && isDeeper(decoder.decode(part), maxDepth, { isXml: true })) {
      throw new Unreadable({ reason: "too_large", message: `The document is nested deeper than ${maxDepth} levels` })
    }
  }
  return entries
}

const opened = (title: string, unpacked: () => Entries): Effect.Effect<Entries, Unreadable> =>
  Effect.try({
    try: () => withinDepth(unpacked()),
    catch: (error) =>
      error instanceof Unreadable
        ? error
        : new Unreadable({ reason: "broken", message: `The content is not ${title}, or is damaged` })
  })

/** The parts of an Office document that `keep` names. Pictures need not be unpacked. */
export const openOffice = Effect.fnUntraced(function*(
  content: Uint8Array | string,
  limits: ReaderLimits,
  legacy: { readonly title: string; readonly advice: string },
  keep: (name: string) => boolean
) {
  const bytes = yield* checkContainer(content, legacy)
  return yield* opened(legacy.title, () => unpackOffice(bytes, limits, keep))
})

/** The parts of an archive whose pages are HTML: the parser knows no entities but its own. */
export const openArchive = (
  content: Uint8Array | string,
  limits: ReaderLimits,
  title: string,
  keep: (name: string) => boolean
): Effect.Effect<Entries, Unreadable> =>
  typeof content !== "string" && signatureOf(content)?.format === "archive"
    ? opened(title, () => unpack(content, limits, keep))
    : Effect.fail(new Unreadable({ reason: "mismatch", message: `The content is not ${title}` }))

/** An archive without compression, for libraries that open archives themselves and limit nothing. */
export const repack = (entries: Entries): Buffer => {
  const { buffer, byteLength, byteOffset } = zipSync({ ...entries }, { level: 0 })
  return Buffer.from(buffer, byteOffset, byteLength)
}
