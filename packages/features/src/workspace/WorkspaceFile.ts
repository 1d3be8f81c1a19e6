// The files of a session, as they are stored and shown.
import * as Time from "@svc-runtime/domain/Time"
import { Schema } from "effect"

const about = {
  path: Schema.String,
  /** Bytes. */
  size: Schema.Int,
  /** The SHA-256 of the content, in hexadecimal. */
  hash: Schema.String,
  executable: Schema.Boolean,
  updated_at: Time.EpochSeconds
}

export const Listed = Schema.Struct(about).annotate({ identifier: "WorkspaceFile" })
export type Listed = typeof Listed.Type

export interface Whole extends Listed {
  readonly content: Uint8Array
}

export interface NewFile {
  readonly path: string
  readonly hash: string
  readonly executable: boolean
  readonly content: Uint8Array
}

/** Characters of the content in a request: base64 of the largest file. */
const maxContent = 16 * 1024 ** 2

export const Input = Schema.Struct({
  content: Schema.String.check(Schema.isMaxLength(maxContent)),
  encoding: Schema.optionalKey(Schema.Literals(["utf-8", "base64"])),
  executable: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "WorkspaceFileInput" })

export const All = Schema.Struct({
  files: Schema.Array(Listed),
  total_size: Schema.Int
}).annotate({ identifier: "Workspace" })

/** What a workspace may have, unless its agent says otherwise. */
export const defaultQuota = { bytes: 50 * 1024 ** 2, files: 1000 }

/** Of one file. It is stored in one piece. */
export const maxFileBytes = 10 * 1024 ** 2
