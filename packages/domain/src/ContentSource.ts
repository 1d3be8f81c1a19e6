// A place outside of the service from which a knowledge base takes contents, and the files in it.
import { Schema } from "effect"
import * as Json from "./Json.ts"
import { Meta } from "./Pagination.ts"
import { DateTime } from "./Time.ts"

const text = Schema.NullOr(Schema.String)

export const Type = Schema.Literals(["s3", "gcs", "sharepoint", "github", "azureblob"])
export type Type = typeof Type.Type

export const Source = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  type: Type,
  metadata: Schema.NullOr(Json.Object),
  prefix: text
}).annotate({ identifier: "ContentSource" })
export type Source = typeof Source.Type

export const Folder = Schema.Struct({ prefix: Schema.String, name: Schema.String, is_empty: Schema.Boolean })
  .annotate({ identifier: "ContentSourceFolder" })
export type Folder = typeof Folder.Type

export const File = Schema.Struct({
  key: Schema.String,
  name: Schema.String,
  size: Schema.NullOr(Schema.Natural),
  last_modified: Schema.NullOr(DateTime),
  content_type: text
}).annotate({ identifier: "ContentSourceFile" })
export type File = typeof File.Type

export const Files = Schema.Struct({
  source_id: Schema.String,
  source_name: Schema.String,
  prefix: Schema.String,
  folders: Schema.Array(Folder),
  files: Schema.Array(File),
  meta: Meta
}).annotate({ identifier: "ContentSourceFiles" })
export type Files = typeof Files.Type
