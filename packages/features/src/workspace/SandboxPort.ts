// Where commands are executed. A sandbox opens a place for the files of one session on this node: a copy of what is
// stored, which it may lose. Plain promises, so that an application can bring a sandbox of its own.

/** A file of a place, as `list` finds it. */
export interface Entry {
  /** From the workspace, with `/`. */
  readonly path: string
  readonly bytes: number
  /** It is another one when the content is another one. */
  readonly stamp: string
  readonly executable: boolean
}

/** What a place has. Links and devices are removed, and named in `dropped`. */
export interface Listing {
  readonly files: ReadonlyArray<Entry>
  readonly dropped: ReadonlyArray<string>
}

export interface NewFile {
  readonly path: string
  readonly content: Uint8Array
  readonly executable: boolean
}

export interface Quota {
  /** Of all files together. */
  readonly bytes: number
  readonly files: number
}

export interface Command {
  /** A line for the shell. */
  readonly command: string
  readonly timeoutMillis: number
  /** The most that the workspace may have. A command that writes more is stopped. */
  readonly quota: Quota
  /** Bytes of the output that are kept: the first and the last half. */
  readonly outputBytes: number
  /** Files that the command reads below `/skills`. */
  readonly skills: ReadonlyArray<Omit<NewFile, "executable">>
  /** Called with the output while it is made. */
  readonly onOutput: (text: string) => void
  /** Aborted: the command ends, with all that it has started. */
  readonly signal: AbortSignal
}

export interface Ended {
  /** Null: it was stopped. */
  readonly exitCode: number | null
  readonly output: string
  /** Why it was stopped. */
  readonly stopped?: "disk" | "memory" | "quota" | "signal" | "timeout" | undefined
}

/** The files of one session on this node. Its methods are not called at the same time. */
export interface Place {
  readonly list: (quota: Quota) => Promise<Listing>
  readonly read: (path: string) => Promise<Uint8Array>
  readonly write: (file: NewFile) => Promise<void>
  readonly remove: (path: string) => Promise<void>
  readonly run: (command: Command) => Promise<Ended>
  readonly close: () => Promise<void>
}

export interface Sandbox {
  readonly _tag: "Sandbox"
  /** For messages, such as `local`. */
  readonly name: string
  /** Rejects with `SandboxUnusable` if commands cannot be isolated here. Called when a service starts. */
  readonly check: () => Promise<void>
  /** `key` names the session: two sessions never share a place. */
  readonly open: (key: string) => Promise<Place>
}

/** A sandbox cannot be had. The message says what to do. */
// @effect-diagnostics-next-line extendsNativeError:off -- adapters are plain functions
export class SandboxUnusable extends Error {
  override readonly name = "SandboxUnusable"
}

/** The workspace has more than its quota. */
// @effect-diagnostics-next-line extendsNativeError:off -- adapters are plain functions
export class OverQuota extends Error {
  override readonly name = "OverQuota"
}

/** A file cannot be stored, because of its name. */
// @effect-diagnostics-next-line extendsNativeError:off -- adapters are plain functions
export class Unstorable extends Error {
  override readonly name = "Unstorable"
}
