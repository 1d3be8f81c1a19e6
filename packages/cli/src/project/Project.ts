// Creates a project from a template repository. The directory is created first, so it can be removed after a failure or
// an interruption.
import { type Duration, Effect, Exit, FileSystem, Path, type PlatformError } from "effect"
import { CommandFailed } from "../CliError.ts"
import * as Program from "../Program.ts"
import { Output } from "../terminal/Output.ts"

const limit: Duration.Input = "300 seconds"

/** git must not prompt: it has no terminal. */
const silent = { GIT_TERMINAL_PROMPT: "0" }

const existing = (directory: string) =>
  new CommandFailed({
    message: `${directory} already exists`,
    hint: "Choose another name, or remove the directory."
  })

/** Links count as existing, whatever their target. */
export const isTaken = Effect.fn("Project.isTaken")(function*(directory: string) {
  const files = yield* FileSystem.FileSystem
  return (yield* files.exists(directory).pipe(Effect.orElseSucceed(() => true))) || (yield* isLink(directory))
})

const isLink = Effect.fnUntraced(function*(path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.isSuccess(files.readLink(path))
})

const unwritable = (error: PlatformError.PlatformError) => new CommandFailed({ message: error.message })

const claim = Effect.fnUntraced(function*(directory: string) {
  const files = yield* FileSystem.FileSystem
  yield* Effect.mapError(
    files.makeDirectory(directory),
    (error) => error.reason._tag === "AlreadyExists" ? existing(directory) : unwritable(error)
  )
})

/** The last progress line of git: "Receiving objects:  42% (…)". */
const lastLine = (text: string): string => text.split(/[\r\n]/).findLast((line) => line.trim() !== "")?.trim() ?? ""

/** The output without overwritten progress lines. */
const settled = (text: string): string =>
  text.split("\n").map((line) => line.split("\r").findLast((part) => part !== "") ?? "").join("\n").trim()

const clone = Effect.fnUntraced(function*(git: string, address: string, directory: string) {
  const path = yield* Path.Path
  const output = yield* Output
  const isMoving = yield* output.isMoving
  const { code, stderr, stdout } = yield* output.progress(`Cloning ${address}`, (say) =>
    Program.run({
      program: git,
      // after `--` an address cannot be an option
      args: ["clone", "--depth", "1", ...(isMoving ? ["--progress"] : []), "--", address, directory],
      cwd: path.dirname(directory),
      env: silent,
      limit,
      output: "captured",
      onStderr: (text) => say(`Cloning ${address}  ${lastLine(text)}`)
    })).pipe(
      Effect.catchTags({
        TimedOut: ({ message }) =>
          Effect.fail(
            new CommandFailed({ message: `git clone ${message}`, hint: "Look at the network and try again." })
          ),
        Broken: ({ message }) => Effect.fail(new CommandFailed({ message: `git clone broke off: ${message}` }))
      })
    )
  if (code === 0) return
  return yield* new CommandFailed({
    message: `git clone failed: ${settled(stderr.trim() === "" ? stdout : stderr)}`,
    hint: "Look at the address and at the network. Another repository is cloned with --url."
  })
})

const linked = (file: string) =>
  new CommandFailed({
    message: `The template's ${file} is symlinked: a link could lead anywhere, so it is neither read nor written`,
    hint: "Use another template, or ask its authors for a plain file."
  })

/** Copies `example.env` to `.env`, readable by its owner only. Returns whether there is an example. */
const seed = Effect.fnUntraced(function*(directory: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const [example, env] = [path.join(directory, "example.env"), path.join(directory, ".env")]
  if (yield* isLink(example)) return yield* linked("example.env")
  if (yield* isLink(env)) return yield* linked(".env")
  const kind = yield* Effect.option(files.stat(env))
  if (kind._tag === "Some") {
    if (kind.value.type === "File") return true
    return yield* new CommandFailed({
      message: "The template's .env is there and is no file",
      hint: "Use another template, or ask its authors for a plain file."
    })
  }
  if (!(yield* files.exists(example).pipe(Effect.mapError(unwritable)))) return false
  yield* Effect.flatMap(
    files.readFile(example),
    // never overwrites a file or follows a link
    (bytes) => files.writeFile(env, bytes, { flag: "wx", mode: 0o600 })
  ).pipe(Effect.mapError(unwritable))
  return true
})

/** Clones `address` into `directory`, without its history. */
export const make = Effect.fn("Project.make")(function*(address: string, directory: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (yield* isTaken(directory)) return yield* existing(directory)
  const git = yield* Program.which("git")
  if (git === undefined) {
    return yield* new CommandFailed({
      message: "git is required and is not on the PATH",
      hint: "Install it from https://git-scm.com/downloads and try again."
    })
  }
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
        yield* clone(git, address, directory)
        yield* Effect.ignore(files.remove(path.join(directory, ".git"), { recursive: true, force: true }))
        return { hasEnv: yield* seed(directory) }
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
