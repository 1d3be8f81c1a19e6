// Mail: its subject, people and text, and a document for each text of an attachment.
import { Effect, Result } from "effect"
import { isUtf8 } from "node:buffer"
import PostalMime, { type Address, type Attachment } from "postal-mime"
import type { Draft } from "../Document.ts"
import type { ReaderLimits } from "../ReaderLimits.ts"
import { Unreadable } from "../Unreadable.ts"
import { decode } from "./decoding.ts"
import { pageOf } from "./Html.ts"
import type { Input, Read } from "./Input.ts"
import { mediaTypeOf } from "./signatures.ts"
import { toMarkdown } from "./toMarkdown.ts"

const maxAttachments = 100

const nameOf = ({ address = "", group, name }: Address): string =>
  group !== undefined ? name : name === "" ? address : `${name} <${address}>`

const namesOf = (addresses: ReadonlyArray<Address> | undefined): string => (addresses ?? []).map(nameOf).join(", ")

/** An attachment of an attached mail has the names of both. */
const inside = (name: string, { metadata }: Draft): string =>
  typeof metadata?.["attachment"] === "string" ? `${name}/${metadata["attachment"]}` : name

/** Old programs declare no charset. The library takes such a text for UTF-8. */
const declaring = ({ content, type }: Input): Effect.Effect<Uint8Array | string> =>
  typeof content === "string" || isUtf8(content) || Buffer.from(content).includes("charset")
    ? Effect.succeed(content)
    : Effect.orElseSucceed(decode({ content, type }), () => content)

/** The ids of the parts that a page shows. */
const shownIn = (html: string): ReadonlySet<string> =>
  new Set(
    Array.from(html.matchAll(/\bcid:([^\s"'<>)]+)/gi), ([, id = ""]) =>
      Result.getOrElse(
        Result.try(() => decodeURIComponent(id)),
        () => id
      ))
  )

/** Programs put documents beside the page too, so a picture is left out only if it is a part of the page. */
const isPicture = ({ contentId = "", mimeType }: Attachment, bytes: Uint8Array, shown: ReadonlySet<string>): boolean =>
  shown.has(contentId.trim().replace(/^<|>$/g, "")) &&
  (mimeType.startsWith("image/") || mediaTypeOf(bytes)?.startsWith("image/") === true)

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))

/** The plain text of some mails says only that there is a page. */
const isKnown = (page: string, text: string): boolean => {
  const [words, known] = [wordsOf(page), wordsOf(text)]
  return 2 * Array.from(words).filter((word) => known.has(word)).length >= words.size
}

const markdownOf = (html: string, limits: ReaderLimits) =>
  Effect.map(pageOf(html, limits), ({ document }) => toMarkdown(document.body.innerHTML))

/** The text of a mail, and its page if the text says something else. */
const bodyOf = (text: string, html: string | undefined, limits: ReaderLimits) =>
  html === undefined
    ? Effect.succeed({ body: text, problems: [] })
    : Effect.map(markdownOf(html, limits), (page) => ({
      body: text === "" ? page : isKnown(page, text) ? text : `${text}\n\n${page}`,
      problems: []
    })).pipe(
      Effect.catch((error) =>
        text === ""
          ? Effect.fail(error)
          : Effect.succeed({ body: text, problems: [{ text: "", problem: `The HTML of the mail: ${error.message}` }] })
      )
    )

export const read: Read = Effect.fnUntraced(function*(input) {
  const { limits, readPart } = input
  const content = yield* declaring(input)
  const mail = yield* Effect.tryPromise({
    try: () => PostalMime.parse(content, { maxNestingDepth: 50, attachmentEncoding: "arraybuffer" }),
    catch: () => new Unreadable({ reason: "broken", message: "The content is not a mail, or is damaged" })
  })
  const { attachments, date, from, html, subject, text, to } = mail
  const head = [
    ["Subject", subject ?? ""],
    ["From", from === undefined ? "" : nameOf(from)],
    ["To", namesOf(to)],
    ["Cc", namesOf(mail.cc)],
    ["Date", date ?? ""]
  ].flatMap(([label, value]) => value === "" ? [] : [`${label}: ${value}`])
  if (head.length === 0) {
    return yield* Effect.fail(
      new Unreadable({ reason: "mismatch", message: "The content is not a mail: it has no header" })
    )
  }
  const { body, problems } = yield* bodyOf((text ?? "").trim(), html, limits)
  const message: Draft = {
    text: [head.join("\n"), body].join("\n\n").trim(),
    metadata: subject === undefined ? {} : { title: subject }
  }
  const shown = shownIn(html ?? "")
  const parts = yield* Effect.forEach(attachments.slice(0, maxAttachments), (attachment, index) => {
    const name = attachment.filename ?? `attachment ${index + 1}`
    const bytes = typeof attachment.content === "string" ? Buffer.from(attachment.content) : attachment.content
    const content = new Uint8Array(bytes)
    if (isPicture(attachment, content, shown)) return Effect.succeed<ReadonlyArray<Draft>>([])
    return Effect.map(
      readPart({ name, type: attachment.mimeType, bytes: content }),
      (drafts) =>
        drafts.map((draft): Draft => ({ ...draft, metadata: { ...draft.metadata, attachment: inside(name, draft) } }))
    )
  })
  const rest = attachments.length - maxAttachments
  const left: ReadonlyArray<Draft> = rest > 0
    ? [{ text: "", problem: `${rest} attachments are left out: a mail is read with ${maxAttachments}` }]
    : []
  return [message, ...problems, ...parts.flat(), ...left]
})
