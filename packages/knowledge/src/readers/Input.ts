import type { Effect } from "effect"
import type { Draft, Source } from "../Document.ts"
import type { ReaderLimits } from "../ReaderLimits.ts"
import type { Unreadable } from "../Unreadable.ts"

export interface Input {
  /** A text, or bytes. */
  readonly content: Uint8Array | string
  readonly name: string | undefined
  readonly type: string | undefined
  readonly withLinks: boolean
  readonly withoutAnnotations: boolean
  /** Says that only annotations are left to read: they have a limit of their own. */
  readonly onAnnotations: Effect.Effect<void>
  readonly limits: ReaderLimits
  /** Reads a file inside of the file. What cannot be read is a problem of the result. */
  readonly readPart: (part: Source) => Effect.Effect<ReadonlyArray<Draft>, Unreadable>
}

/** The function `read` of each file of this folder. */
export type Read = (input: Input) => Effect.Effect<ReadonlyArray<Draft>, Unreadable>
