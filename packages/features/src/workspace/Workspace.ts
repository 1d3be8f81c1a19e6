// The files that an agent has in a session, and the commands that it executes on them.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Duration } from "effect"
import * as Sandbox from "./Sandbox.ts"
import * as WorkspaceFile from "./WorkspaceFile.ts"
import type { Settings } from "./WorkspaceSettings.ts"

export interface Workspace {
  readonly _tag: "Workspace"
  readonly settings: Settings
}

export interface Options {
  /** Where commands are executed. `"none"`: files only. Default: `Sandbox.local()`. */
  readonly sandbox?: Sandbox.Sandbox | "none" | undefined
  /** Bytes of all files of a session. Default: 50 MiB. */
  readonly maxBytes?: number | undefined
  /** Files of a session. Default: 1,000. */
  readonly maxFiles?: number | undefined
  /** How long a command may take. Default: one minute. */
  readonly commandTimeout?: Duration.Input | undefined
  /** Bytes of the output of a command that the model reads: its beginning and its end. Default: 32,000. */
  readonly outputBytes?: number | undefined
  /** Pause for a confirmation before each command. Default: false. */
  readonly requiresConfirmation?: boolean | undefined
}

const kinds: AuthorOptions.Kinds<keyof Options> = {
  sandbox: "any",
  maxBytes: "number",
  maxFiles: "number",
  commandTimeout: "any",
  outputBytes: "number",
  requiresConfirmation: "flag"
}

let shared: Sandbox.Sandbox | undefined

/**
 * Files that an agent keeps in each session, and commands that it executes on them. They are stored in the database
 * after each call, so a run that is resumed on another node has the same files.
 *
 * Throws an `Error` that names the option if one is invalid.
 *
 * ```ts
 * import { Agent, Workspace } from "@svc-runtime/server"
 *
 * export const analyst = Agent.make({
 *   id: "analyst",
 *   workspace: Workspace.make({ maxBytes: 20_000_000, commandTimeout: "30 seconds", requiresConfirmation: true })
 * })
 * ```
 */
export const make = (options: Options = {}): Workspace => {
  const owner = "Workspace.make"
  AuthorOptions.check(owner, options, kinds)
  const { commandTimeout = "1 minute", maxBytes, maxFiles, outputBytes = 32_000, requiresConfirmation = false } =
    options
  if (options.sandbox !== undefined && options.sandbox !== "none" && !Sandbox.isSandbox(options.sandbox)) {
    throw new Mistake(`${owner}: sandbox is no sandbox. Make it with Sandbox.local, or write "none" for files only`)
  }
  const sandbox = options.sandbox ?? (shared ??= Sandbox.local())
  const millis = Duration.toMillis(Validate.duration(owner, "commandTimeout", commandTimeout))
  return {
    _tag: "Workspace",
    settings: {
      sandbox: sandbox === "none" ? undefined : sandbox,
      quota: {
        bytes: Validate.wholeNumber(owner, "maxBytes", 1, maxBytes ?? WorkspaceFile.defaultQuota.bytes),
        files: Validate.wholeNumber(owner, "maxFiles", 1, maxFiles ?? WorkspaceFile.defaultQuota.files)
      },
      commandTimeout: Validate.wholeNumber(owner, "commandTimeout in milliseconds", 1, Math.ceil(millis)),
      outputBytes: Validate.wholeNumber(owner, "outputBytes", 100, outputBytes),
      requiresConfirmation
    }
  }
}
