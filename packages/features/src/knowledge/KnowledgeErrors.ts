// The errors of contents and their chunks.
import { Schema } from "effect"
import * as Knowledge from "./Knowledge.ts"

/** Absent, or not the caller's. */
export class ContentNotFound extends Schema.TaggedError<ContentNotFound>()("ContentNotFound", {
  content_id: Knowledge.ContentId
}) {
  override get message() {
    return `Content not found: ${this.content_id}`
  }
}

/** As many uploads of the user wait as may. */
export class TooManyUploads extends Schema.TaggedError<TooManyUploads>()("TooManyUploads", { limit: Schema.Natural }) {
  override get message() {
    return `${this.limit} of your uploads wait to be processed, or for another attempt: as many as may (USER_WAITING_UPLOADS). ` +
      "Try again when some of them are complete."
  }
}

/** The id belongs to a content of another owner. */
export class ContentExists extends Schema.TaggedError<ContentExists>()("ContentExists", {
  content_id: Knowledge.ContentId
}) {
  override get message() {
    return `Content with ID ${this.content_id} already exists`
  }
}

/** An equal request has stored the content and its job. The content may have been replaced or removed since. */
export class ContentStoredBefore extends Schema.TaggedError<ContentStoredBefore>()("ContentStoredBefore", {
  content_id: Knowledge.ContentId
}) {
  override get message() {
    return `Content ${this.content_id} was stored by an equal request before`
  }
}

/** The stored metadata and the given ones together have more than `Knowledge.metadataLimit` bytes. */
export class MetadataTooLarge extends Schema.TaggedError<MetadataTooLarge>()("MetadataTooLarge", {
  content_id: Knowledge.ContentId
}) {
  override get message() {
    return Knowledge.metadataTooLong
  }
}

/** The content was replaced or removed meanwhile: this version of it is not wanted anymore. */
export class ContentSuperseded extends Schema.TaggedError<ContentSuperseded>()("ContentSuperseded", {
  content_id: Knowledge.ContentId,
  generation: Schema.Natural
}) {
  override get message() {
    return `Content ${this.content_id} was replaced or removed while it was processed`
  }
}

const nameOf = (embedding: Knowledge.Embedding | null): string =>
  embedding === null ? "no embedder" : `the embedder ${embedding.model} (${embedding.dimensions} dimensions)`

/**
 * The stored vectors were made by another model, and vectors of two models cannot be compared. If the models are equal,
 * it is the one of the instance, and what a search could find has no vectors of it yet.
 */
export class EmbeddingMismatch extends Schema.TaggedError<EmbeddingMismatch>()("EmbeddingMismatch", {
  instance: Schema.String,
  stored: Schema.NullOr(Knowledge.Embedding),
  given: Schema.NullOr(Knowledge.Embedding)
}) {
  override get message() {
    const { given, instance, stored } = this
    if (stored !== null && stored.model === given?.model && stored.dimensions === given.dimensions) {
      return `The contents of knowledge '${instance}' have no vectors of ${nameOf(given)} yet. ` +
        "They are embedded again, which their status shows. Search by keyword meanwhile."
    }
    return `The chunks of knowledge '${instance}' were stored with ${nameOf(stored)}, and ` +
      `${nameOf(given)} is configured. Configure the former, embed all contents again (EMBED_AGAIN=true), or ` +
      "delete and upload them."
  }
}

/** The embedder gave no vector, or one with the wrong length or with numbers that are not finite. */
export class UnusableVector extends Schema.TaggedError<UnusableVector>()("UnusableVector", {
  /** Null: the vector of a query. */
  chunk_id: Schema.NullOr(Schema.String),
  dimensions: Schema.NullOr(Schema.Natural)
}) {
  override get message() {
    const subject = this.chunk_id === null ? "the query" : `chunk ${this.chunk_id}`
    return this.dimensions === null
      ? `There is a vector of ${subject}, and the knowledge has no embedder`
      : `The vector of ${subject} is not ${this.dimensions} finite numbers, or all of them are 0`
  }
}

/** The content has no text that can be read. The message is a sentence for its owner. */
export class NotReadable extends Schema.TaggedError<NotReadable>()("NotReadable", {
  message: Schema.String,
  /** Whether it can be read later: a site did not respond. */
  isTransient: Schema.Boolean
}) {}
