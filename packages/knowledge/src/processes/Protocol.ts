// The messages between the service and its reader processes. A process executes one task at a time.
import type { Chunking } from "../Chunking.ts"
import type { Chunk, ReadDocument } from "../Document.ts"
import type { ReaderLimits } from "../ReaderLimits.ts"
import type { Unreadable } from "../Unreadable.ts"
import type { Piece } from "./pieces.ts"

/** Ends a process that uses too much memory. It handles no signals, so none has to wait for its event loop. */
export const memorySignal = "SIGUSR2"

export type Task =
  | {
    readonly _tag: "Read"
    readonly name: string | undefined
    readonly type: string | undefined
    readonly reader_id: string | undefined
    readonly isText: boolean
    readonly withLinks: boolean
    readonly withoutAnnotations: boolean
  }
  | { readonly _tag: "Chunk"; readonly chunking: Chunking | undefined }

/** `Begin`, the parts of the input, `End`; then `Next` for each batch of the answer. */
export type ToReader =
  | { readonly _tag: "Begin"; readonly task: Task; readonly limits: ReaderLimits }
  | { readonly _tag: "Bytes"; readonly bytes: Uint8Array }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Documents"; readonly batch: ReadonlyArray<Piece<ReadDocument>> }
  | { readonly _tag: "End" }
  | { readonly _tag: "Next" }

/** A batch follows the `Next` of the one before, so that the service handles one in a turn of its event loop. */
export type FromReader<Item> =
  | { readonly _tag: "Batch"; readonly batch: ReadonlyArray<Piece<Item>> }
  | {
    readonly _tag: "Done"
    /** The memory of the process after the task. */
    readonly memoryBytes: number
  }
  /** The rest of the task is for annotations, which have a limit of their own. */
  | { readonly _tag: "Annotations" }
  | { readonly _tag: "Failed"; readonly reason: Unreadable["reason"]; readonly message: string }

export type Answer = Chunk | ReadDocument
