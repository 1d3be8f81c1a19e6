// What readers read, and what they return.
import type * as Json from "@svc-runtime/domain/Json"

/** The bytes of a file, or a text. */
export type Source =
  & {
    readonly name?: string | undefined
    /** The media type, with its parameters: `text/html; charset=utf-8`. */
    readonly type?: string | undefined
    /** Names a reader of the catalogue. Without it the name and the type choose one. */
    readonly reader_id?: string | undefined
    /** Whether the metadata of a page has its `links` and their `base`. */
    readonly withLinks?: boolean | undefined
    /** Whether the texts of annotations are left out, of which a small file can have too many. Default: false. */
    readonly withoutAnnotations?: boolean | undefined
  }
  & ({ readonly bytes: Uint8Array } | { readonly text: string })

/** A text of a source: all of it, or a page, a sheet, a record. */
export interface ReadDocument {
  /** Unique in its source. */
  readonly id: string
  readonly name: string | null
  readonly text: string
  /** Where the text is in its source: `page`, `sheet`, `row`, `title`, `attachment`. */
  readonly metadata: Json.Object
  /** The text is empty: why this part of the source could not be read. */
  readonly problem?: string | undefined
  /** The pages without text that the problem is about. */
  readonly emptyPages?: ReadonlyArray<number> | undefined
}

/** A document before it has an id. */
export interface Draft {
  readonly text: string
  readonly metadata?: Json.Object | undefined
  /** Why a part of the source has no text: a sentence for its owner. */
  readonly problem?: string | undefined
  readonly emptyPages?: ReadonlyArray<number> | undefined
}

/** A part of a document, as it is stored, embedded and found. */
export interface Chunk {
  readonly id: string
  readonly name: string | null
  readonly text: string
  /** That of the document, and what the chunker adds: `row_number`, `headings`. */
  readonly metadata: Json.Object
  /** 1-based, over all documents of a source. */
  readonly index: number
  /** The length of the text. */
  readonly size: number
}
