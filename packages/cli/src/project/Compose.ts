// Runs docker compose: selects the file and the command. Its output is shown to people, and captured with --json.
import { type Duration, Effect, FileSystem, Path, type Schema } from "effect"
import { CommandFailed } from "../CliError.ts"
import type { Answer } from "../CommandResult.ts"
import { Environment } from "../Environment.ts"
import { Mode } from "../Mode.ts"
import * as Program from "../Program.ts"
import { Output } from "../terminal/Output.ts"
import { Prompts } from "../terminal/Prompts.ts"

const names = ["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"]
const folders = [".", "infra"]
const limit: Duration.Input = "600 seconds"

/** The pause in which ports and locks are released. */
const pause: Duration.Input = "2 seconds"

/** One call of the tool, as printed with --json. */
export interface Call {
  readonly command: ReadonlyArray<string>
  readonly compose_file: string
  readonly dry_run: boolean
}

/** The file, as an absolute path. */
export const find = Effect.fn("Compose.find")(function*(given: string | undefined) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd } = yield* Environment
  const isFile = (file: string) =>
    Effect.orElseSucceed(Effect.map(files.stat(file), ({ type }) => type === "File"), () => false)
  if (given !== undefined) {
    // not resolved, so that `..` and links mean the same to docker
    const file = path.isAbsolute(given) ? given : `${cwd}${path.sep}${given}`
    if (yield* isFile(file)) return file
    return yield* new CommandFailed({
      message: `Compose file not found: ${file}`,
      hint: "Name an existing file with --file."
    })
  }
  for (const folder of folders) {
    for (const name of names) {
      const file = path.join(cwd, folder, name)
      if (yield* isFile(file)) return file
    }
  }
  return yield* new CommandFailed({
    message: `No compose file found in ${cwd} or ${path.join(cwd, "infra")}`,
    hint: "Start a project with svc create, go into one, or name the file with --file."
  })
})

const call = (file: string, dryRun: boolean, ...args: ReadonlyArray<string>): Call => ({
  command: ["docker", "compose", "-f", file, ...args],
  compose_file: file,
  dry_run: dryRun
})

export const up = (file: string, { dryRun, pull }: { readonly dryRun: boolean; readonly pull: boolean }): Call =>
  call(file, dryRun, "up", "-d", "--build", ...(pull ? ["--pull", "always"] : []))

export const down = (
  file: string,
  { dryRun, volumes }: { readonly dryRun: boolean; readonly volumes: boolean }
): Call => call(file, dryRun, "down", ...(volumes ? ["--volumes"] : []))

/** A followed log has no end. */
export const logs = (
  file: string,
  { dryRun, follow, tail }: { readonly dryRun: boolean; readonly follow: boolean; readonly tail: number }
): Call => call(file, dryRun, "logs", "--tail", String(tail), ...(follow ? ["--follow"] : []))

/** Quoted for a shell. */
export const shown = ({ command }: Call): string =>
  command.map((word) => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`).join(" ")

/** Does nothing on a dry run. Returns the output, which is empty if it was shown. */
export const run = Effect.fn("Compose.run")(function*({ command, compose_file: file, dry_run: dryRun }: Call) {
  if (dryRun) return ""
  const path = yield* Path.Path
  const docker = yield* Program.which("docker")
  if (docker === undefined) {
    return yield* new CommandFailed({
      message: "docker is required and is not on the PATH",
      hint: "Install it from https://docs.docker.com/get-docker/ and try again."
    })
  }
  const isJson = (yield* Mode) === "json"
  const { code, stderr, stdout } = yield* Program.run({
    program: docker,
    args: command.slice(1),
    cwd: path.dirname(file),
    limit: command.includes("--follow") ? "Infinity" : limit,
    output: isJson ? "captured" : "shown",
    isInTerminal: yield* (yield* Prompts).isInteractive
  }).pipe(
    Effect.catchTags({
      TimedOut: ({ message }) => Effect.fail(new CommandFailed({ message: `docker compose ${message}` })),
      Broken: ({ message }) => Effect.fail(new CommandFailed({ message: `docker compose broke off: ${message}` }))
    })
  )
  if (code === 0) return stdout
  const reason = (stderr.trim() === "" ? stdout : stderr).trim()
  return yield* new CommandFailed({
    message: `docker compose exited with code ${code}${reason === "" ? "" : `: ${reason}`}`,
    hint: "See what the containers say with docker compose logs."
  })
})

/** Runs the calls in sequence with `pause` in between, and returns the executed ones. */
export const answer = Effect.fn("Compose.answer")(function*(
  calls: ReadonlyArray<Call>,
  { document, done }: { readonly document: Schema.Json; readonly done: string }
) {
  const output = yield* Output
  for (const [at, call] of calls.entries()) {
    if (at > 0 && !call.dry_run) yield* output.waiting("Waiting a moment", Effect.sleep(pause))
    yield* run(call)
  }
  const isDry = calls.every(({ dry_run: dryRun }) => dryRun)
  const human = isDry
    ? output.line(calls.map((call) => `Would run: ${shown(call)}`).join("\n"))
    : output.success(done)
  return { document, human } satisfies Answer
})

/** The output of a call whose output is the result. */
export const logged = Effect.fn("Compose.logged")(function*(call: Call) {
  const { line } = yield* Output
  const text = yield* run(call)
  const human = call.dry_run ? line(`Would run: ${shown(call)}`) : Effect.void
  return { document: { ...call, output: text }, human } satisfies Answer
})
