import type { Effect } from "effect"
import type { Draft } from "../Document.ts"
import type { ReaderLimits } from "../ReaderLimits.ts"
import type { Unreadable } from "../Unreadable.ts"

export interface Input {
  /** A text, or bytes. */
  readonly content: Uint8Array | string
  readonly name: string | undefined
  readonly type: string | undefined
  readonly withLinks: boolean
  readonly limits: ReaderLimits
}

/** The function `read` of each file of this folder. */
export type Read = (input: Input) => Effect.Effect<ReadonlyArray<Draft>, Unreadable>
