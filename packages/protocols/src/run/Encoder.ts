// Writes the pieces of one run in the format of a protocol, as server-sent events.
import type { RunPiece } from "./RunPiece.ts"

export interface Encoder {
  /** What the stream starts with, before the first piece. */
  readonly begin: string
  /** Empty for a piece that the protocol does not show. */
  readonly push: (piece: RunPiece) => string
  /** What the stream ends with, after the last piece. A replay has pieces behind those of a pause. */
  readonly end: () => string
  /** Whether nothing follows but the end, although the run continues. Never, when left out. */
  readonly isOver?: (() => boolean) | undefined
  /** What it ends with instead if it ends before its run. */
  readonly broken: (reason: string) => string
}

/** One frame without a name. */
export const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
