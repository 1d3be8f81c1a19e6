// Reads a source. Reader processes call it.
import { Effect, Predicate } from "effect"
import type { Draft, ReadDocument, Source } from "../Document.ts"
import { chooseReader, type FileReaderId } from "../ReaderCatalogue.ts"
import type { ReaderLimits } from "../ReaderLimits.ts"
import { Unreadable } from "../Unreadable.ts"
import { clean } from "./decoding.ts"
import type { Read } from "./Input.ts"

/** Loaded when they are needed: the libraries of some take long. */
const implementations: Readonly<Record<FileReaderId, () => Promise<Read>>> = {
  csv: () => import("./Csv.ts").then(({ read }) => read),
  field_labeled_csv: () => import("./Csv.ts").then(({ readLabelled }) => readLabelled),
  docx: () => import("./Docx.ts").then(({ read }) => read),
  email: () => import("./Email.ts").then(({ read }) => read),
  epub: () => import("./Epub.ts").then(({ read }) => read),
  excel: () => import("./Excel.ts").then(({ read }) => read),
  html: () => import("./Html.ts").then(({ read }) => read),
  json: () => import("./Json.ts").then(({ read }) => read),
  markdown: () => import("./Text.ts").then(({ read }) => read),
  opendocument: () => import("./OpenDocument.ts").then(({ read }) => read),
  pdf: () => import("./Pdf.ts").then(({ read }) => read),
  pptx: () => import("./Pptx.ts").then(({ read }) => read),
  rtf: () => import("./Rtf.ts").then(({ read }) => read),
  text: () => import("./Text.ts").then(({ read }) => read)
}

const tooLarge = (message: string) => new Unreadable({ reason: "too_large", message })

const toDocuments = (
  drafts: ReadonlyArray<Draft>,
  name: string | undefined,
  limits: ReaderLimits
): Effect.Effect<ReadonlyArray<ReadDocument>, Unreadable> => {
  let length = 0
  const documents: Array<ReadDocument> = []
  let problems = 0
  for (const { emptyPages, metadata = {}, problem, text } of drafts) {
    const cleaned = clean(text)
    if (cleaned.trim() === "" && problem === undefined) continue
    if (problem !== undefined) problems += 1
    length += cleaned.length
    if (length > limits.outputLength) {
      return Effect.fail(tooLarge(`The content has more than ${limits.outputLength} characters of text`))
    }
    documents.push({
      id: "",
      name: name ?? null,
      text: cleaned,
      metadata,
      ...(problem === undefined ? {} : { problem }),
      ...(emptyPages === undefined ? {} : { emptyPages })
    })
    if (documents.length > limits.documents) {
      return Effect.fail(tooLarge(`The content has more than ${limits.documents} documents`))
    }
  }
  if (documents.length === problems) {
    return Effect.fail(new Unreadable({ reason: "empty", message: documents[0]?.problem ?? "The content has no text" }))
  }
  const [only] = documents
  if (documents.length === 1 && only !== undefined) return Effect.succeed([{ ...only, id: name ?? "" }])
  return Effect.succeed(documents.map((document, index) => ({ ...document, id: `${name ?? "document"}_${index + 1}` })))
}

/** The packages of readers are optional: a service that reads no documents leaves them out. */
const missing = (reader: string) => (defect: unknown) =>
  Predicate.hasProperty(defect, "code") && defect.code === "ERR_MODULE_NOT_FOUND"
    ? Effect.fail(
      new Unreadable({
        reason: "unsupported",
        message: `The service was installed without optional packages, which ${reader} needs`
      })
    )
    : Effect.die(defect)

/** Mails inside of mails. */
const maxDepth = 3

const readDrafts = (
  source: Source,
  limits: ReaderLimits,
  depth: number,
  onAnnotations: Effect.Effect<void>
): Effect.Effect<ReadonlyArray<Draft>, Unreadable> =>
  Effect.gen(function*() {
    const content = "bytes" in source ? source.bytes : source.text
    if (content.length > limits.inputBytes) {
      return yield* Effect.fail(tooLarge(`The content has more than ${limits.inputBytes} bytes`))
    }
    const reader = chooseReader(source)
    const read = yield* Effect.catchDefect(Effect.promise(implementations[reader.id]), missing(reader.name))
    const { name, type, withLinks = false, withoutAnnotations = false } = source
    const readPart = (part: Source): Effect.Effect<ReadonlyArray<Draft>, Unreadable> =>
      (depth < maxDepth
        ? readDrafts({ ...part, withoutAnnotations }, limits, depth + 1, onAnnotations)
        : Effect.fail(new Unreadable({ reason: "unsupported", message: "It is nested too deep" }))).pipe(
          Effect.catch(({ message }) => Effect.succeed([{ text: "", problem: `${part.name ?? "A part"}: ${message}` }]))
        )
    const input = { content, name, type, withLinks, withoutAnnotations, onAnnotations, limits, readPart }
    return yield* read(input).pipe(
      // libraries overflow the stack on deep documents
      Effect.catchDefect((defect) =>
        Effect.fail(
          new Unreadable({
            reason: "broken",
            message: defect instanceof RangeError
              ? "The content is nested too deep, or is larger than a text can be"
              : `The content could not be read by ${reader.name}`
          })
        )
      )
    )
  })

/** `onAnnotations` is executed before annotations are read, each time. */
export const readSource = (source: Source, limits: ReaderLimits, onAnnotations: Effect.Effect<void> = Effect.void) =>
  Effect.flatMap(readDrafts(source, limits, 1, onAnnotations), (drafts) => toDocuments(drafts, source.name, limits))
