// Tools that read the files of one directory.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Effect, Schema } from "effect"
import { opendir } from "node:fs/promises"
import { expected } from "./expected.ts"
import * as Root from "./Root.ts"
import { check, type ToolOptions } from "./ToolOptions.ts"

const path = Schema.String.annotate({ description: "Relative to the directory, such as notes/today.txt" })

const InDirectory = Schema.Struct({ path: Schema.optionalKey(path) })

const InFile = Schema.Struct({
  path,
  offset: Schema.optionalKey(
    Schema.Natural.annotate({ description: "The byte to begin with, to read a long file in parts" })
  )
})

export interface Options extends Omit<ToolOptions, "description" | "name"> {
  readonly root: string
  /** Before the names of the tools. Default: none. */
  readonly prefix?: string | undefined
  /** Of a file that is read at once. Default: 256 KiB. */
  readonly maxBytes?: number | undefined
  /** Of a list. Default: 1,000. */
  readonly maxEntries?: number | undefined
}

const kindOf = (entry: { isDirectory(): boolean; isFile(): boolean }) =>
  entry.isDirectory() ? "directory" : entry.isFile() ? "file" : "other"

const list = Effect.fnUntraced(function*(directory: string, maximum: number) {
  const entries: Array<{ readonly name: string; readonly kind: string }> = []
  const opened = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => opendir(directory),
      catch: () => new Root.PathRejected({ message: "It is no directory that can be read" })
    }),
    (opened) => Effect.ignore(Effect.tryPromise(() => opened.close()))
  )
  for (;;) {
    const entry = yield* Effect.promise(() => opened.read())
    if (entry === null) return { entries }
    if (entries.length === maximum) return { entries, note: `Only the first ${maximum} entries are listed` }
    entries.push({ name: entry.name, kind: kindOf(entry) })
  }
})

const decoder = new TextDecoder()

/**
 * The tools `list_files` and `read_file`. Throws if the directory does not exist. No path leads out of the directory,
 * also not by a symbolic link.
 */
export const fileSystem = (given: Options) => {
  check("Toolkit.fileSystem", given, { root: "text", prefix: "text", maxBytes: "any", maxEntries: "any" })
  const { maxBytes = 256 * 1024, maxEntries = 1000, prefix = "", root, ...options } = given
  const owner = "The tools of files"
  if (root === undefined) throw new Mistake(`${owner}: there is no root. Give it the directory that models may read`)
  Validate.wholeNumber(owner, "maxBytes", 1, maxBytes)
  Validate.wholeNumber(owner, "maxEntries", 1, maxEntries)
  const directory = Root.make(owner, root)
  const tools: ReadonlyArray<Tool.Tool> = [
    Tool.make({
      ...options,
      name: `${prefix}list_files`,
      description: "Lists the files and directories in a directory.",
      parameters: InDirectory,
      effects: "read",
      execute: ({ path = "." }) =>
        expected(Effect.scoped(Effect.flatMap(directory.resolve(path), (real) => list(real, maxEntries))))
    }),
    Tool.make({
      ...options,
      name: `${prefix}read_file`,
      description: "Reads a text file.",
      parameters: InFile,
      effects: "read",
      execute: ({ offset = 0, path }) =>
        expected(Effect.scoped(Effect.gen(function*() {
          const file = yield* directory.open(path)
          const buffer = new Uint8Array(maxBytes)
          const { bytesRead } = yield* Effect.promise(() => file.read(buffer, 0, maxBytes, offset))
          const { size } = yield* Effect.promise(() => file.stat())
          const text = decoder.decode(buffer.subarray(0, bytesRead))
          const end = offset + bytesRead
          return end < size ? `${text}\n[The file has ${size} bytes. Continue with offset ${end}]` : text
        })))
    })
  ]
  return tools
}
