// The forms of the requests about contents. Every value of a form is text, in `multipart/form-data` (required
// for files) or `application/x-www-form-urlencoded`; JSON has the same fields.
import { IntText } from "@svc-runtime/api/query/IntText"
import { Schema } from "effect"

/** The longest name and description. */
export const limits = { name: 255, description: 1000 } as const

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

const described = {
  name: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(limits.name))),
  description: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(limits.description)))
}

const reading = {
  reader_id: text("The reader; without it the name and the type of the file choose one"),
  chunker: text("The key of a chunker, as GET /knowledge/config lists them"),
  chunk_size: Schema.optionalKey(IntText.annotate({ description: "Characters of a chunk" })),
  chunk_overlap: Schema.optionalKey(IntText.annotate({ description: "Characters that a chunk repeats" }))
}

export const ContentForm = Schema.Struct({
  ...described,
  metadata: text("A JSON object. Another text is stored as its value"),
  url: text("A web page, or a file on the web"),
  text_content: text("A text. It wins over a file"),
  file: Schema.optionalKey(Schema.String.annotate({ format: "binary" })),
  ...reading
}).annotate({ identifier: "ContentForm" })
export type ContentForm = typeof ContentForm.Type

export const RemoteContentForm = Schema.Struct({
  config_id: Schema.String.annotate({ description: "The id of a source, as GET /knowledge/config lists them" }),
  path: Schema.String.annotate({ description: "A file, or a folder if it ends in /" }),
  source_params: text("A JSON object, for sources that take parameters"),
  ...described,
  metadata: text("A JSON object. Another text is stored as its value"),
  ...reading
}).annotate({ identifier: "RemoteContentForm" })
export type RemoteContentForm = typeof RemoteContentForm.Type

export const ContentPatchForm = Schema.Struct({
  ...described,
  metadata: text("A JSON object, merged into the stored metadata"),
  reader_id: text("A reader of the knowledge base")
}).annotate({ identifier: "ContentPatchForm" })
export type ContentPatchForm = typeof ContentPatchForm.Type
