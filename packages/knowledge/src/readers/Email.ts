// Mail: its subject, people and text, and a document for each text of an attachment.
import { Effect } from "effect"
import { isUtf8 } from "node:buffer"
import PostalMime, { type Address } from "postal-mime"
import type { Draft } from "../Document.ts"
import { Unreadable } from "../Unreadable.ts"
import { decode } from "./decoding.ts"
import { pageOf } from "./Html.ts"
import type { Input, Read } from "./Input.ts"
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
  const body = (text ?? "").trim() === "" && html !== undefined
    ? toMarkdown((yield* pageOf(html, limits)).document.body.innerHTML)
    : (text ?? "").trim()
  if (head.length === 0) {
    return yield* Effect.fail(
      new Unreadable({ reason: "mismatch", message: "The content is not a mail: it has no header" })
    )
  }
  const message: Draft = {
    text: [head.join("\n"), body].join("\n\n").trim(),
    metadata: subject === undefined ? {} : { title: subject }
  }
  const parts = yield* Effect.forEach(attachments.slice(0, maxAttachments), (attachment, index) => {
    const name = attachment.filename ?? `attachment ${index + 1}`
    const bytes = attachment.content
    // the pictures of the signature
    if (attachment.related === true || typeof bytes === "string") return Effect.succeed<ReadonlyArray<Draft>>([])
    return Effect.map(
      readPart({ name, type: attachment.mimeType, bytes: new Uint8Array(bytes) }),
      (drafts) =>
        drafts.map((draft): Draft => ({ ...draft, metadata: { ...draft.metadata, attachment: inside(name, draft) } }))
    )
  })
  const rest = attachments.length - maxAttachments
  const left: ReadonlyArray<Draft> = rest > 0
    ? [{ text: "", problem: `${rest} attachments are left out: a mail is read with ${maxAttachments}` }]
    : []
  return [message, ...parts.flat(), ...left]
})
