// What an agent's workspace is: `Workspace.make` checks it.
import type { Quota, Sandbox } from "./SandboxPort.ts"

export interface Settings {
  /** Undefined: files only. */
  readonly sandbox: Sandbox | undefined
  readonly quota: Quota
  /** Milliseconds. */
  readonly commandTimeout: number
  readonly outputBytes: number
  readonly requiresConfirmation: boolean
}
