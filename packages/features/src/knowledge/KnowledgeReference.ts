// A chunk that a run was shown: for its model, and for its output, so that an answer can name its sources.
import * as Json from "@svc-runtime/domain/Json"
import { Schema } from "effect"
import * as Knowledge from "./Knowledge.ts"

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
  meta_data: Schema.Record(Schema.String, Schema.Json)
})
export type Reference = typeof Reference.Type

/** What one search has shown a run. */
export const References = Schema.Struct({
  query: Schema.String,
  references: Schema.Array(Reference),
  /** Seconds. */
  time: Schema.Finite
})
export type References = typeof References.Type

export const of = ({ chunk, content, rerankingScore, score }: Knowledge.Found): Reference => ({
  content_id: content.content_id,
  name: content.name ?? chunk.name,
  content: chunk.text,
  chunk: chunk.index,
  score: Math.round((rerankingScore ?? score) * 1e6) / 1e6,
  content_origin: content.origin,
  meta_data: Knowledge.metadataOf(chunk, content)
})

const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** The first ones, as many as fit. */
export const within = (references: ReadonlyArray<Reference>, maxBytes: number): ReadonlyArray<Reference> => {
  let bytes = 2
  const fitting = references.findIndex((reference) => (bytes += byteLength(JSON.stringify(reference)) + 1) > maxBytes)
  return fitting < 0 ? references : references.slice(0, fitting)
}

export const toJson = (references: References): Json.Value => Json.of(references)
