// A sandbox whose commands are functions of the test, and whose files are in memory.
//
// @effect-diagnostics asyncFunction:off -- sandboxes are plain promises
import type { Command, Ended, Place, Sandbox } from "@svc-runtime/features/workspace/Sandbox"

interface File {
  readonly content: Uint8Array
  readonly executable: boolean
  readonly stamp: string
}

export interface Shell {
  readonly read: (path: string) => string | undefined
  readonly write: (path: string, text: string) => void
  readonly remove: (path: string) => void
  readonly command: Command
}

export type Execute = (shell: Shell) => Partial<Ended> | Promise<Partial<Ended>>

export interface MemorySandbox {
  readonly sandbox: Sandbox
  /** The commands, in the order of their calls. */
  readonly commands: ReadonlyArray<Command>
  /** Places that are open. */
  readonly open: ReadonlySet<string>
}

/** `refuses`: why commands cannot be isolated. */
export const make = (execute: Execute, refuses?: Error): MemorySandbox => {
  const commands: Array<Command> = []
  const opened = new Set<string>()
  let stamps = 0

  const place = (key: string): Place => {
    const files = new Map<string, File>()
    const put = (path: string, content: Uint8Array, executable: boolean) =>
      files.set(path, { content, executable, stamp: String(stamps++) })
    const shell = (command: Command): Shell => ({
      command,
      read: (path) => {
        const file = files.get(path)
        return file === undefined ? undefined : new TextDecoder().decode(file.content)
      },
      write: (path, text) => put(path, new TextEncoder().encode(text), files.get(path)?.executable ?? false),
      remove: (path) => files.delete(path)
    })
    return {
      list: async () => ({
        dropped: [],
        files: [...files].map(([path, { content, executable, stamp }]) => ({
          path,
          executable,
          stamp,
          bytes: content.length
        }))
      }),
      read: async (path) => files.get(path)?.content ?? new Uint8Array(),
      write: async ({ content, executable, path }) => {
        put(path, content, executable)
      },
      remove: async (path) => {
        files.delete(path)
      },
      run: async (command) => {
        commands.push(command)
        return { exitCode: 0, output: "", ...await execute(shell(command)) }
      },
      close: async () => {
        opened.delete(key)
      }
    }
  }

  return {
    commands,
    open: opened,
    sandbox: {
      _tag: "Sandbox",
      name: "memory",
      check: async () => {
        if (refuses !== undefined) throw refuses
      },
      open: async (key) => {
        opened.add(key)
        return place(key)
      }
    }
  }
}
