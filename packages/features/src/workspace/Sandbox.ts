// The sandboxes that an agent's commands can be executed in.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Predicate } from "effect"
import { isAbsolute } from "node:path"
import * as LocalSandbox from "./local/LocalSandbox.ts"
import type { Sandbox } from "./SandboxPort.ts"

export type { Command, Ended, Entry, Listing, NewFile, Place, Quota, Sandbox } from "./SandboxPort.ts"
export { OverQuota, SandboxUnusable, Unstorable } from "./SandboxPort.ts"

export interface LocalOptions {
  /** Where the files of running sessions are. Default: the folder of the system for temporary files. */
  readonly directory?: string | undefined
  /** Of all processes of a command together. Default: 512 MiB. */
  readonly memoryBytes?: number | undefined
  /** Processes and threads of a command. Default: 64. */
  readonly processes?: number | undefined
  /** Of `/tmp` of a command, which is memory. Default: 64 MiB. */
  readonly temporaryBytes?: number | undefined
  /** Commands are stopped, and not begun, when less of the disk is free. Default: 256 MiB. */
  readonly keepFreeBytes?: number | undefined
  /** Variables that commands have. Default: `PATH`, `HOME`, `LANG` and `TMPDIR` only. */
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** Further folders of the machine that commands read. Default: none. */
  readonly readOnly?: ReadonlyArray<string> | undefined
}

const kinds: AuthorOptions.Kinds<keyof LocalOptions> = {
  directory: "text",
  memoryBytes: "number",
  processes: "number",
  temporaryBytes: "number",
  keepFreeBytes: "number",
  environment: { each: "text" },
  readOnly: "list"
}

const MiB = 1024 ** 2

/**
 * Commands on the machine of the service, isolated by bubblewrap: they see programs and libraries, and the files of
 * their session. They have no network, and nothing of the service. A service whose machine cannot isolate them does not
 * start.
 *
 * Throws an `Error` that names the option if one is invalid.
 *
 * ```ts
 * import { Agent, Sandbox, Workspace } from "@svc-runtime/server"
 *
 * export const analyst = Agent.make({
 *   id: "analyst",
 *   workspace: Workspace.make({ sandbox: Sandbox.local({ memoryBytes: 1024 ** 3 }) })
 * })
 * ```
 */
export const local = (options: LocalOptions = {}): Sandbox => {
  const owner = "Sandbox.local"
  AuthorOptions.check(owner, options, kinds)
  const {
    directory,
    environment = {},
    keepFreeBytes = 256 * MiB,
    memoryBytes = 512 * MiB,
    processes = 64,
    readOnly = [],
    temporaryBytes = 64 * MiB
  } = options
  for (const path of readOnly) {
    if (!Predicate.isString(path) || !isAbsolute(path)) {
      throw new Mistake(`${owner}: readOnly has '${String(path)}'. Give whole paths, such as /opt/python`)
    }
  }
  return LocalSandbox.make({
    directory,
    memoryBytes: Validate.wholeNumber(owner, "memoryBytes", 16 * MiB, memoryBytes),
    processes: Validate.wholeNumber(owner, "processes", 4, processes),
    temporaryBytes: Validate.wholeNumber(owner, "temporaryBytes", MiB, temporaryBytes),
    keepFreeBytes: Validate.wholeNumber(owner, "keepFreeBytes", 0, keepFreeBytes),
    environment,
    readOnly
  })
}

export const isSandbox = (value: unknown): value is Sandbox => Predicate.isTagged(value, "Sandbox")
