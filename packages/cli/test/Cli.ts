// A run of the tool inside of the test: the real tree of commands on a machine that the test makes up. Files are real
// and in a directory of their own, HTTP is a function, questions are answered from a list, and the output is kept.
import { NodeServices } from "@effect/platform-node"
import { run } from "@svc-runtime/cli"
import { Effect, FileSystem, Layer, Redacted, Sink, Stdio } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestConsole } from "effect/testing"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { Aborted, CommandFailed } from "../src/CliError.ts"
import { Environment } from "../src/Environment.ts"
import { Mode } from "../src/Mode.ts"
import { Output } from "../src/terminal/Output.ts"
import { OutputReader } from "../src/terminal/OutputReader.ts"
import { Prompts } from "../src/terminal/Prompts.ts"

/** What a person at the terminal does when asked: the value chosen or typed, or leaving. */
export type Reply = string | number | boolean | "leave"

export interface Machine {
  /** Who is there: a person at a terminal, or a script. */
  readonly terminal?: boolean
  readonly replies?: ReadonlyArray<Reply>
  readonly variables?: Readonly<Record<string, string>>
  /** Responds to every request; without it nothing responds. */
  readonly http?: (request: Request) => Response | Promise<Response>
  readonly platform?: string
  /** Gets what a terminal is shown on standard error. Standard error is no terminal, when left out. */
  readonly shown?: (text: string) => void
  /** Changes the files' service: this is how a disk is made to fail. */
  readonly files?: (files: FileSystem.FileSystem) => FileSystem.FileSystem
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The questions, as they were asked. */
  readonly questions: ReadonlyArray<string>
  /** What standard output got in pieces. */
  readonly written: string
}

/** The one document of a run with --json. Fails when there is anything else. */
export const documentOf = <A = { readonly error: string; readonly hint?: string }>({ stderr, stdout }: Ran): A => {
  if (stderr !== "") throw new Error(`wrote to standard error: ${stderr}`)
  return JSON.parse(stdout)
}

/** A directory with a home, a project to stand in and programs on the PATH; gone with its scope. */
export interface Place {
  readonly home: string
  readonly cwd: string
  readonly bin: string
  readonly write: (path: string, text: string) => void
  readonly writeBytes: (path: string, bytes: Uint8Array) => void
  /** Puts a shell script on the PATH. */
  readonly program: (name: string, script: string) => void
}

export const place = Effect.acquireRelease(
  Effect.sync((): Place & { readonly root: string } => {
    const root = mkdtempSync(join(tmpdir(), "svc-cli-"))
    const [home, cwd, bin] = [join(root, "home"), join(root, "project"), join(root, "bin")]
    for (const folder of [home, cwd, bin]) mkdirSync(folder)
    const writeBytes = (path: string, text: Uint8Array | string) => {
      const file = join(cwd, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    const program = (name: string, script: string) => {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(bin, name), 0o755)
    }
    return { root, home, cwd, bin, write: writeBytes, writeBytes, program }
  }),
  ({ root }) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
)

/** No output of a test is lost. */
const alwaysRead = Layer.succeed(OutputReader, { gone: Effect.never, delivered: Effect.void })

const scripted = (replies: ReadonlyArray<Reply>, terminal: boolean, questions: Array<string>) => {
  const remaining = [...replies]
  const isInteractive = Effect.map(Mode, (mode) => mode === "human" && terminal)
  const reply = Effect.fnUntraced(function*(message: string) {
    if (!(yield* isInteractive)) return yield* new CommandFailed({ message: `Input required: ${message}` })
    questions.push(message)
    const next = remaining.shift()
    if (next === undefined) return yield* Effect.die(new Error(`no answer to: ${message}`))
    if (next === "leave") return yield* new Aborted()
    return next
  })
  return Layer.succeed(Prompts, {
    isInteractive,
    select: (message, choices) =>
      Effect.flatMap(reply(message), (wanted) => {
        const choice = choices.find(({ title, value }) => wanted === value || wanted === title)
        return choice === undefined ? Effect.die(new Error(`${wanted} is no choice`)) : Effect.succeed(choice.value)
      }),
    confirm: (message) => Effect.map(reply(message), Boolean),
    text: (message, { initial, validate }) => {
      const attempt: Effect.Effect<string, Aborted | CommandFailed> = Effect.suspend(() =>
        Effect.flatMap(
          reply(message),
          (text) =>
            Effect.catch(validate(text === "" ? initial : String(text)), (problem) => {
              questions.push(problem)
              return attempt
            })
        )
      )
      return attempt
    },
    message: Effect.map(
      Effect.catchTag(reply("> "), "Aborted", () => Effect.succeed("")),
      (text) => text === "" ? undefined : String(text)
    ),
    stopKey: Effect.never,
    hidden: (message) => Effect.map(reply(message), (text) => Redacted.make(String(text)))
  })
}

/** Nothing listens anywhere. */
const silence = (): Response => {
  throw new TypeError("fetch failed")
}

/** What a run stands on, as the test made it up. */
export const worldOf = (
  at: Place,
  machine: Machine = {},
  questions: Array<string> = [],
  written: Array<string> = []
) => {
  const terminal = machine.terminal ?? false
  const service = machine.http ?? silence
  const respond = async (input: RequestInfo | URL, init?: RequestInit) => service(new Request(input, init))
  const base = Layer.mergeAll(
    Layer.provideMerge(
      Layer.effect(FileSystem.FileSystem, Effect.map(FileSystem.FileSystem, machine.files ?? ((files) => files))),
      NodeServices.layer
    ),
    FetchHttpClient.layer,
    Layer.succeed(FetchHttpClient.Fetch, respond as typeof fetch),
    Environment.layer({
      cwd: at.cwd,
      home: at.home,
      platform: machine.platform ?? "linux",
      variables: { PATH: [at.bin, process.env["PATH"]].join(delimiter), ...machine.variables }
    }),
    Stdio.layerTest({
      stdinIsTerminal: Effect.succeed(terminal),
      stderrIsTerminal: Effect.succeed(machine.shown !== undefined),
      stdout: () => Sink.forEach((chunk) => Effect.sync(() => written.push(String(chunk)))),
      stderr: () => Sink.forEach((chunk) => Effect.sync(() => machine.shown?.(String(chunk))))
    }),
    // each run says what it says alone
    Layer.fresh(TestConsole.layer)
  )
  return Layer.mergeAll(Layer.provide(Output.layer, alwaysRead), scripted(machine.replies ?? [], terminal, questions))
    .pipe(
      Layer.provideMerge(base)
    )
}

export const cli = Effect.fnUntraced(function*(argv: ReadonlyArray<string>, at: Place, machine: Machine = {}) {
  const questions: Array<string> = []
  const written: Array<string> = []
  return yield* Effect.gen(function*() {
    const code = yield* run(argv)
    const lines = (texts: ReadonlyArray<unknown>) => texts.map((text) => `${String(text)}\n`).join("")
    const ran: Ran = {
      code,
      stdout: lines(yield* TestConsole.logLines),
      stderr: lines(yield* TestConsole.errorLines),
      questions,
      written: written.join("")
    }
    return ran
  }).pipe(Effect.provide(worldOf(at, machine, questions, written)))
})
