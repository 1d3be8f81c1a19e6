// Clones a template repository with git.
import { type Duration, Effect, FileSystem, Path } from "effect"
import { CommandFailed } from "../CliError.ts"
import * as Program from "../Program.ts"
import { Output } from "../terminal/Output.ts"
import { Prompts } from "../terminal/Prompts.ts"

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
export const clone = Effect.fn("Repository.clone")(function*(address: string, directory: string) {
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
