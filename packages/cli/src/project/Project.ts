// Creates a project from a template. The directory is created first, so it can be removed after a failure or
// an interruption.
import { Effect, Exit, FileSystem, Path, type PlatformError } from "effect"
import { CommandFailed } from "../CliError.ts"
import { inWords } from "../FileError.ts"
import * as BuiltIn from "./BuiltIn.ts"
import * as Repository from "./Repository.ts"

export type Source =
  | { readonly _tag: "BuiltIn"; readonly template: string }
  | { readonly _tag: "Repository"; readonly address: string }

const existing = (directory: string) =>
  new CommandFailed({
    message: `${directory} already exists`,
    hint: "Choose another name, or remove the directory."
  })

/** Links count as existing, whatever their target. */
export const isTaken = Effect.fn("Project.isTaken")(function*(directory: string) {
  const files = yield* FileSystem.FileSystem
  return (yield* files.exists(directory).pipe(Effect.orElseSucceed(() => false))) || (yield* isLink(directory))
})

const isLink = Effect.fnUntraced(function*(path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.isSuccess(files.readLink(path))
})

const unwritable = (error: PlatformError.PlatformError) =>
  new CommandFailed({ message: `Could not write the project: ${inWords(error)}` })

const claim = Effect.fnUntraced(function*(directory: string) {
  const files = yield* FileSystem.FileSystem
  yield* Effect.mapError(
    files.makeDirectory(directory),
    (error) => error.reason._tag === "AlreadyExists" ? existing(directory) : unwritable(error)
  )
})

const linked = (file: string) =>
  new CommandFailed({
    message: `The template's ${file} is symlinked: a link could lead anywhere, so it is neither read nor written`,
    hint: "Use another template, or ask its authors for a plain file."
  })

/** Copies the example settings to `.env`, readable by its owner only. Returns whether there are any. */
const seed = Effect.fnUntraced(function*(directory: string, exampleName: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const [example, env] = [path.join(directory, exampleName), path.join(directory, ".env")]
  if (yield* isLink(example)) return yield* linked(exampleName)
  if (yield* isLink(env)) return yield* linked(".env")
  const kind = yield* Effect.option(files.stat(env))
  if (kind._tag === "Some") {
    if (kind.value.type === "File") return true
    return yield* new CommandFailed({
      message: "The template's .env exists and is not a regular file",
      hint: "Use another template, or ask its authors for a plain file."
    })
  }
  const isFile = Effect.map(files.stat(example), ({ type }) => type === "File")
  if (!(yield* Effect.orElseSucceed(isFile, () => false))) return false
  yield* Effect.flatMap(
    files.readFile(example),
    // never overwrites a file or follows a link
    (bytes) => files.writeFile(env, bytes, { flag: "wx", mode: 0o600 })
  ).pipe(Effect.mapError(unwritable))
  return true
})

/** Makes `directory` and puts the files of `source` into it. */
export const make = Effect.fn("Project.make")(function*(source: Source, directory: string) {
  const files = yield* FileSystem.FileSystem
  if (yield* isTaken(directory)) return yield* existing(directory)
  let isLeft = false
  const remove = Effect.map(
    Effect.isSuccess(files.remove(directory, { recursive: true, force: true })),
    (isRemoved) => {
      isLeft = !isRemoved
    }
  )
  return yield* Effect.acquireUseRelease(
    claim(directory),
    () =>
      Effect.gen(function*() {
        yield* source._tag === "Repository"
          ? Repository.clone(source.address, directory)
          : BuiltIn.write(source.template, directory).pipe(Effect.mapError(unwritable))
        return { hasEnv: yield* seed(directory, source._tag === "Repository" ? "example.env" : ".env.example") }
      }),
    (_, exit) => Exit.isSuccess(exit) ? Effect.void : remove
  ).pipe(
    Effect.mapError((error) =>
      isLeft
        ? new CommandFailed({ message: error.message, hint: `Remove what is left of it yourself: ${directory}` })
        : error
    )
  )
})
