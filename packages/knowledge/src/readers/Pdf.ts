// PDF: a document for each page that has text, with the values of its forms and the texts of its annotations.
import { Effect, Predicate } from "effect"
import { getDocumentProxy } from "unpdf"
import type { Draft } from "../Document.ts"
import { Unreadable } from "../Unreadable.ts"
import type { Read } from "./Input.ts"
import { textOf as textOfAnnotations } from "./pdfAnnotations.ts"
import { unnamedFonts } from "./pdfFonts.ts"
import { signatureOf } from "./signatures.ts"
import { listOf, withoutText } from "./withoutText.ts"

const failed = (error: unknown) =>
  error instanceof Error && error.name === "PasswordException"
    ? new Unreadable({ reason: "encrypted", message: "The PDF document is protected by a password" })
    : new Unreadable({ reason: "broken", message: "The content is not a PDF document, or is damaged" })

const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: failed })

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>["getPage"]>>
type Item = Awaited<ReturnType<Page["getTextContent"]>>["items"][number]

const toText = (items: ReadonlyArray<Item>): string =>
  items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("")

/** Some programs write a few bytes before the document. */
const isPdf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 1024)).includes("%PDF-")

const options = {
  useWorkerFetch: false,
  verbosity: 0,
  fontExtraProperties: true,
  // pictures are not decoded when the fonts of a page are loaded
  maxImageSize: 1
}

/** The text of a page, and what its fonts hide: all of it, a part of it, or nothing. */
const readPage = Effect.fnUntraced(function*(page: Page, known: Map<string, boolean>) {
  const { items } = yield* attempt(() => page.getTextContent())
  const unnamed = yield* unnamedFonts(page, items, known)
  const all = toText(items)
  const text = toText(items.filter((item) => !("str" in item) || !unnamed.has(item.fontName)))
  const hidden = text === all ? "nothing" : 2 * text.trim().length < all.trim().length ? "all" : "a part"
  page.cleanup()
  const shown = hidden === "all" ? "" : text
  return { hidden, isEmpty: shown.trim() === "", text: shown }
})

const noText = (isHidden: boolean) =>
  new Unreadable({
    reason: "empty",
    message: isHidden
      ? "The fonts of the PDF document do not name their letters: run text recognition over it first"
      : "The PDF document has no text. Scanned pages are pictures: run text recognition over them first"
  })

const hiddenText = (whole: ReadonlyArray<number>, inPart: ReadonlyArray<number>): ReadonlyArray<Draft> => [
  ...(whole.length === 0 ? [] : [{
    text: "",
    problem: `${whole.length === 1 ? `Page ${listOf(whole)} has` : `Pages ${listOf(whole)} have`} text in a font ` +
      `that does not name its letters. ${whole.length === 1 ? "It needs" : "They need"} text recognition first`,
    emptyPages: whole
  }]),
  ...(inPart.length === 0 ? [] : [{
    text: "",
    problem: `A part of page${inPart.length === 1 ? "" : "s"} ${listOf(inPart)} has a font that does not name its ` +
      "letters, and is left out"
  }])
]

const withAnnotations = (text: string, annotations: string): string =>
  [text, annotations].filter((each) => each.trim() !== "").join("\n\n")

const noAnnotations: Draft = {
  text: "",
  problem: "The annotations and the values of forms are left out: reading them needs too much time or memory"
}

/** A page of such a form says only that another program is needed. */
const unknownForm = (info: object): ReadonlyArray<Draft> =>
  Predicate.hasProperty(info, "IsXFAPresent") && info.IsXFAPresent === true &&
    !(Predicate.hasProperty(info, "IsAcroFormPresent") && info.IsAcroFormPresent === true)
    ? [{
      text: "",
      problem: "The form of the document has the format XFA, which is not read. Print it into a PDF document first"
    }]
    : []

export const read: Read = Effect.fnUntraced(function*({ content, limits, onAnnotations, withoutAnnotations }) {
  if (typeof content === "string" || !isPdf(content)) {
    const found = typeof content === "string" ? undefined : signatureOf(content)
    return yield* Effect.fail(
      new Unreadable({
        reason: "mismatch",
        message: `The content is not a PDF document${found === undefined ? "" : `: it is ${found.title}`}`
      })
    )
  }
  const pdf = yield* attempt(() => getDocumentProxy(new Uint8Array(content), options))
  const texts: Array<string> = []
  const [empty, hiddenIn, partly]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
  const fonts = new Map<string, boolean>()
  let length = 0
  for (let page = 1; page <= pdf.numPages && length <= limits.outputLength; page++) {
    const { hidden, isEmpty, text } = yield* readPage(yield* attempt(() => pdf.getPage(page)), fonts)
    texts.push(text)
    length += text.length
    if (hidden === "all") hiddenIn.push(page)
    else if (isEmpty) empty.push(page)
    else if (hidden === "a part") partly.push(page)
  }
  // behind the texts of all pages: the process that reads them can be ended by them
  if (!withoutAnnotations) yield* onAnnotations
  const pages: Array<Draft> = []
  for (const [index, own] of texts.entries()) {
    const page = index + 1
    const annotations = withoutAnnotations || length > limits.outputLength
      ? ""
      : textOfAnnotations(yield* attempt(() => pdf.getPage(page).then((found) => found.getAnnotations())))
    length += annotations.length
    const text = withAnnotations(own, annotations)
    if (text !== "") pages.push({ text, metadata: { page } })
  }
  if (pages.length === 0) return yield* Effect.fail(noText(hiddenIn.length > 0))
  const { info } = yield* Effect.orElseSucceed(attempt(() => pdf.getMetadata()), () => ({ info: {} }))
  return [
    ...pages,
    ...withoutText("Page", "Scanned pages", empty),
    ...hiddenText(hiddenIn, partly),
    ...unknownForm(info),
    ...(withoutAnnotations ? [noAnnotations] : [])
  ]
})
