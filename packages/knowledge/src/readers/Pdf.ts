// PDF: a document for each page that has text.
import { Effect } from "effect"
import { getDocumentProxy } from "unpdf"
import type { Draft } from "../Document.ts"
import { Unreadable } from "../Unreadable.ts"
import type { Read } from "./Input.ts"
import { signatureOf } from "./signatures.ts"
import { withoutText } from "./withoutText.ts"

const failed = (error: unknown) =>
  error instanceof Error && error.name === "PasswordException"
    ? new Unreadable({ reason: "encrypted", message: "The PDF document is protected by a password" })
    : new Unreadable({ reason: "broken", message: "The content is not a PDF document, or is damaged" })

const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: failed })

type Item = Awaited<
  ReturnType<Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>["getPage"]>>["getTextContent"]>
>["items"][number]

const toText = (items: ReadonlyArray<Item>): string =>
  items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("")

/** Some programs write a few bytes before the document. */
const isPdf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 1024)).includes("%PDF-")

export const read: Read = Effect.fnUntraced(function*({ content, limits }) {
  if (typeof content === "string" || !isPdf(content)) {
    const found = typeof content === "string" ? undefined : signatureOf(content)
    return yield* Effect.fail(
      new Unreadable({
        reason: "mismatch",
        message: `The content is not a PDF document${found === undefined ? "" : `: it is ${found.title}`}`
      })
    )
  }
  const pdf = yield* attempt(() => getDocumentProxy(new Uint8Array(content), { useWorkerFetch: false, verbosity: 0 }))
  const pages: Array<Draft> = []
  const empty: Array<number> = []
  let length = 0
  for (let page = 1; page <= pdf.numPages && length <= limits.outputLength; page++) {
    const text = yield* attempt(() =>
      pdf.getPage(page).then((found) =>
        found.getTextContent().then(({ items }) => {
          found.cleanup()
          return toText(items)
        })
      )
    )
    length += text.length
    if (text.trim() === "") empty.push(page)
    else pages.push({ text, metadata: { page } })
  }
  if (pages.length === 0) {
    return yield* Effect.fail(
      new Unreadable({
        reason: "empty",
        message: "The PDF document has no text. Scanned pages are pictures: run text recognition over them first"
      })
    )
  }
  return [...pages, ...withoutText("Page", "Scanned pages", empty)]
})
