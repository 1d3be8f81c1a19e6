import type { Effect } from "effect"
import type { Draft } from "../Document.ts"
import type { ReaderLimits } from "../ReaderLimits.ts"
import type { Unreadable } from "../Unreadable.ts"

export interface Input {
  /** A text that came as such, else bytes. */
  readonly content: Uint8Array | string
  readonly name: string | undefined
  readonly type: string | undefined
  readonly withLinks: boolean
  readonly limits: ReaderLimits
}

/** What each file of this folder exports as `read`. */
export type Read = (input: Input) => Effect.Effect<ReadonlyArray<Draft>, Unreadable>
