// Word documents, as Markdown.
import { Effect } from "effect"
import mammoth from "mammoth"
import { Unreadable } from "../Unreadable.ts"
import type { Read } from "./Input.ts"
import { toMarkdown } from "./toMarkdown.ts"
import { openOffice, repack } from "./unpack.ts"

const legacy = {
  title: "a Word document",
  advice: "Word documents of the format before 2007 (.doc) cannot be read. Save the document as .docx"
}

export const read: Read = Effect.fnUntraced(function*({ content, limits }) {
  const parts = yield* openOffice(content, limits, legacy, (name) => /\.(?:xml|rels)$/i.test(name))
  const { value } = yield* Effect.tryPromise({
    try: () =>
      mammoth.convertToHtml(
        { buffer: repack(parts) },
        { convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })) }
      ),
    catch: () => new Unreadable({ reason: "broken", message: "The content is not a Word document, or is damaged" })
  })
  return [{ text: toMarkdown(value) }]
})
