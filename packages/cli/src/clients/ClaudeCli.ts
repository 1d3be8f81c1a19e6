// Claude Code's own command for adding servers. It is used only without a token: arguments of a program are readable by
// every user of the machine.
import { Effect } from "effect"
import { CommandFailed } from "../CliError.ts"
import { Environment } from "../Environment.ts"
import * as Program from "../Program.ts"

const limit = "60 seconds"

const failed = (what: string) => new CommandFailed({ message: `claude mcp add failed: ${what}` })

/** The path of the program, if it can be started directly: a script for cmd.exe would need quoted arguments. */
export const find = Effect.fnUntraced(function*() {
  const program = yield* Program.which("claude")
  return program === undefined || /\.(cmd|bat)$/i.test(program) ? undefined : program
})

export interface EntryRequest {
  readonly program: string
  readonly scope: "user" | "project"
  readonly name: string
  readonly url: string
}

/** Adds an entry without a token, and replaces one with the same name. */
export const add = Effect.fn("ClaudeCli.add")(function*({ name, program, scope, url }: EntryRequest) {
  const { cwd } = yield* Environment
  const claude = (...args: ReadonlyArray<string>) =>
    Effect.mapError(
      Program.run({ program, args, cwd, limit, output: "captured" }),
      ({ message }) => failed(message)
    )
  const adding = claude("mcp", "add", "--transport", "http", "--scope", scope, name, url)
  const first = yield* adding
  const isTaken = first.code !== 0 && first.stderr.toLowerCase().includes("already exists")
  if (isTaken) yield* claude("mcp", "remove", "--scope", scope, name)
  const last = isTaken ? yield* adding : first
  if (last.code !== 0) return yield* failed(last.stderr.trim() || last.stdout.trim() || `it ended with ${last.code}`)
  return `claude mcp add (scope: ${scope})`
})
