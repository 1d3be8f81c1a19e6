// A medium as a store takes it and gives it back, in parts of bounded size.
import type * as Session from "@svc-runtime/domain/Session"

export interface NewMedium {
  /** The SHA-256 of the bytes, in hexadecimal. */
  readonly id: string
  readonly mime_type: string
  readonly bytes: Uint8Array
}

export interface StoredMedium {
  readonly id: string
  readonly session_id: Session.Id
  readonly mime_type: string
  /** Bytes. */
  readonly size: number
}

/** Bytes of each part but the last. */
export const partBytes = 1024 * 1024

/** A medium without bytes has one part too. */
export const partsOf = (size: number): number => Math.max(1, Math.ceil(size / partBytes))
