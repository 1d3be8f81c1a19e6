// A chunker as its author defines it: cuts the text of a document into chunks.
import type * as Json from "@svc-runtime/domain/Json"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import type * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import type { Document } from "./Reader.ts"

/** In characters. The upload or the knowledge says them. */
export interface Sizes {
  readonly chunkSize: number
  readonly chunkOverlap: number
}

/** A text, or one with what its chunk has beside the metadata of the document. */
export type Part = string | { readonly text: string; readonly metadata?: Json.Object | undefined }

export interface Options {
  /** What uploads name as `chunker`. */
  readonly key: string
  /** The name for people. Default: the key. */
  readonly name?: string | undefined
  /** How it divides texts. Default: none. */
  readonly description?: string | undefined
  /** Divides a document. It returns the chunks, a promise of them or an Effect. */
  readonly chunk: (document: Document, sizes: Sizes) => UserCode.Returned<ReadonlyArray<Part>>
}

export interface Chunker {
  readonly _tag: "Chunker"
  readonly key: string
  readonly name: string
  readonly description: string
  readonly chunk: Options["chunk"]
}

const kinds: AuthorOptions.Kinds<keyof Options> = {
  key: "text",
  name: "text",
  description: "text",
  chunk: "function"
}

const keyRule = /^[A-Za-z][A-Za-z0-9]{0,63}$/

/**
 * A chunker, for the option `chunkers` of `Knowledge.make`. It runs in the process of the service.
 *
 * Throws an `Error` if the key is invalid.
 *
 * ```ts
 * import { Chunker, Knowledge } from "@svc-runtime/server"
 *
 * const scenes = Chunker.make({
 *   key: "SceneChunker",
 *   chunk: ({ text }) => text.split(/^\* \* \*$/m).map((scene) => scene.trim())
 * })
 *
 * Knowledge.make({ name: "plays", chunkers: [scenes], chunker: "SceneChunker" })
 * ```
 */
export const make = (options: Options): Chunker => {
  const owner = AuthorOptions.ownerOf("Chunker", options, "key")
  AuthorOptions.check(owner, options, kinds)
  const { chunk, description = "", key, name = key } = options
  if (key === undefined || !keyRule.test(key)) throw new Mistake(`${owner}: key must be letters and digits`)
  if (chunk === undefined) throw new Mistake(`${owner} has no chunk. Give it the function that cuts a document`)
  return { _tag: "Chunker", key, name, description, chunk }
}
