// Chunks of knowledge that a run was shown, so that its answer can name its sources.
import { Schema } from "effect"
import * as Json from "./Json.ts"

export const Reference = Schema.Struct({
  content_id: Schema.String,
  name: Schema.NullOr(Schema.String),
  /** The text of the chunk. */
  content: Schema.String,
  /** The place of the chunk in its content, from 1. */
  chunk: Schema.Natural,
  score: Schema.Finite,
  /** A file name or a URL. */
  content_origin: Schema.NullOr(Schema.String),
  meta_data: Json.Object
}).annotate({ identifier: "Reference" })
export type Reference = typeof Reference.Type

/** What one search has shown a run. */
export const References = Schema.Struct({
  query: Schema.String,
  references: Schema.Array(Reference),
  /** Seconds. */
  time: Schema.Finite
}).annotate({ identifier: "References" })
export type References = typeof References.Type
