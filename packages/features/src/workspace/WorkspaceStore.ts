// Stores the files of sessions. They belong to the session: its owner decides who may see them, and they are removed
// with it. Each change has a number.
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { CopiesSession } from "@svc-runtime/engine/database/SessionCopies"
import { Context, type Effect, type Option, Schema } from "effect"
import type { Quota } from "./SandboxPort.ts"
import type * as WorkspaceFile from "./WorkspaceFile.ts"

export interface State {
  /** 0: nothing was ever stored. */
  readonly revision: number
  /** In the order of their paths. */
  readonly files: ReadonlyArray<WorkspaceFile.Listed>
}

export interface Changes {
  readonly files: ReadonlyArray<WorkspaceFile.NewFile>
  /** Paths. Absent ones are passed over. */
  readonly removed: ReadonlyArray<string>
  readonly at: number
}

/** The changes are not stored: they do not fit. The message says what to do. */
export class WorkspaceFull extends Schema.TaggedError<WorkspaceFull>()("WorkspaceFull", { message: Schema.String }) {}

export const full = (quota: Quota): WorkspaceFull =>
  new WorkspaceFull({
    message: `The workspace may have ${quota.files} files with ${quota.bytes} bytes together. Delete some of them first`
  })

export const inTheWay = (path: string): WorkspaceFull =>
  new WorkspaceFull({ message: `'${path}' is a file and would be a folder too. Use another path, or delete the file` })

export class WorkspaceStore extends Context.Service<
  WorkspaceStore,
  CopiesSession & {
    /** None: there is no such session. */
    readonly state: (
      session: Session.Id,
      owner: Owner.Owner
    ) => Effect.Effect<Option.Option<State>, StorageUnavailable>
    readonly read: (
      session: Session.Id,
      path: string,
      owner: Owner.Owner
    ) => Effect.Effect<Option.Option<WorkspaceFile.Whole>, StorageUnavailable>
    /** All of the changes, or none. The number of the new state. None: there is no such session. */
    readonly save: (
      session: Session.Id,
      changes: Changes,
      quota: Quota,
      owner: Owner.Owner
    ) => Effect.Effect<Option.Option<number>, StorageUnavailable | WorkspaceFull>
  }
>()("@svc-runtime/features/workspace/WorkspaceStore") {}

/** The folders of a path. */
export const foldersOf = (path: string): ReadonlyArray<string> => {
  const parts = path.split("/").slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"))
}
