// Creates a project from a template. The directory is created first, so it can be removed after a failure or
// an interruption.
import { type Duration, Effect, Exit, FileSystem, Path, type PlatformError } from "effect"
import { CommandFailed } from "../CliError.ts"
import { inWords } from "../FileError.ts"
import * as Program from "../Program.ts"
import { Output } from "../terminal/Output.ts"
import { Prompts } from "../terminal/Prompts.ts"
import * as BuiltIn from "./BuiltIn.ts"
import * as PackedPackages from "./PackedPackages.ts"

// Clones a template repository with git.

const limit: Duration.Input = "300 seconds"

/** git must not prompt below a spinner. Its errors are read, so they are in English. */
const silent = { GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" }

/** git would have asked for a password, a passphrase or a host key. */
const wouldAsk =
  /could not read (?:Username|Password)|Permission denied|Host key verification failed|Authentication failed/

/** The last progress line of git: "Receiving objects:  42% (…)". */
const lastLine = (text: string): string => text.split(/[\r\n]/).findLast((line) => line.trim() !== "")?.trim() ?? ""

/** The output without overwritten progress lines. */
const settled = (text: string): string =>
  text.split("\n").map((line) => line.split("\r").findLast((part) => part !== "") ?? "").join("\n").trim()

/** Clones `address` into an empty directory, without its history. */
const clone = Effect.fn("Repository.clone")(function*(address: string, directory: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const git = yield* Program.which("git")
  if (git === undefined) {
    return yield* new CommandFailed({
      message: "git is required and is not on the PATH",
      hint: "Install it from https://git-scm.com/downloads and try again."
    })
  }
  const output = yield* Output
  const isInteractive = yield* (yield* Prompts).isInteractive
  const isMoving = yield* output.isMoving
  const invocation = {
    program: git,
    // after `--` an address cannot be an option
    args: ["clone", "--depth", "1", ...(isMoving ? ["--progress"] : []), "--", address, directory],
    cwd: path.dirname(directory),
    limit
  }
  const { code, stderr, stdout } = yield* output.progress(`Cloning ${address}`, (say) =>
    Program.run({
      ...invocation,
      env: silent,
      output: "captured",
      onStderr: (text) => say(`Cloning ${address}  ${lastLine(text)}`)
    })).pipe(
      Effect.flatMap((finished) =>
        finished.code !== 0 && isInteractive && wouldAsk.test(finished.stderr)
          ? Program.run({ ...invocation, output: "shown", isInTerminal: true })
          : Effect.succeed(finished)
      ),
      Effect.catchTags({
        TimedOut: ({ message }) =>
          Effect.fail(
            new CommandFailed({ message: `git clone ${message}`, hint: "Look at the network and try again." })
          ),
        Broken: ({ message }) => Effect.fail(new CommandFailed({ message: `git clone broke off: ${message}` }))
      })
    )
  if (code === 0) {
    return yield* Effect.ignore(files.remove(path.join(directory, ".git"), { recursive: true, force: true }))
  }
  return yield* new CommandFailed({
    message: ["git clone failed", settled(stderr.trim() === "" ? stdout : stderr)].filter(Boolean).join(": "),
    hint: "Look at the address and at the network. Another repository is cloned with --url."
  })
})

export type Source =
  | {
    readonly _tag: "BuiltIn"
    readonly template: string
    /** Packages that travel with the project. Default: none, npm gets them from the registry. */
    readonly tarballs?: ReadonlyArray<PackedPackages.Tarball> | undefined
  }
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
          ? clone(source.address, directory)
          : BuiltIn.write(source.template, directory).pipe(
            Effect.andThen(
              source.tarballs === undefined ? Effect.void : PackedPackages.put(source.tarballs, directory)
            ),
            Effect.mapError(unwritable)
          )
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
