// The requests about contents, beside plain queries. Every value of a form is text, in `multipart/form-data` (required
// for files) or `application/x-www-form-urlencoded`; JSON has the same fields.
import * as Ids from "@svc/domain/Ids"
import * as Json from "@svc/domain/Json"
import * as Content from "@svc/domain/Knowledge"
import { Effect, Schema } from "effect"
import { IntText } from "../query/IntText.ts"

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

const Page = Schema.Struct({
  limit: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(20))
  ),
  page: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))
}).annotate({ identifier: "SearchPage" })

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const Search = Schema.Struct({
  query: Schema.String,
  db_id: optional(Ids.DatabaseId),
  knowledge_id: optional(Schema.String),
  vector_db_ids: optional(Schema.Array(Schema.String)),
  search_type: optional(Content.SearchType),
  max_results: optional(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1), Schema.isLessThanOrEqualTo(Content.maxResults))
  ),
  /** Values of metadata, or an expression with `op`. */
  filters: optional(Schema.Union([Json.Input, Schema.Array(Json.Input)])),
  meta: optional(Page)
}).annotate({ identifier: "VectorSearchRequest" })
export type Search = typeof Search.Type
