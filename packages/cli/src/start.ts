// Runs a command with the layers for this machine, and sets the exit code. Ctrl-C, SIGTERM and SIGHUP interrupt the
// command: its resources are closed and its child processes ended before the process exits.
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Cause, Effect, Exit, Layer, Result, type Runtime, Terminal } from "effect"
import { homedir } from "node:os"
import process from "node:process"
import { storeCompiledCode } from "./CompileCache.ts"
import { Environment, noColour } from "./Environment.ts"
import { codes, type Outcome } from "./Exit.ts"
import * as NodeHttp from "./NodeHttp.ts"
import { Output } from "./terminal/Output.ts"
import * as OutputReader from "./terminal/OutputReader.ts"

// The size of the terminal. Its input is read by `NodeLines.ts`, and its output is written by `Output.ts`.
const unusedInput = Effect.fail(new Terminal.QuitError({}))

const terminal = Layer.sync(Terminal.Terminal, () =>
  Terminal.make({
    columns: Effect.sync(() => process.stdout.columns ?? process.stderr.columns ?? 0),
    rows: Effect.sync(() => process.stdout.rows ?? process.stderr.rows ?? 0),
    size: Effect.never,
    readInput: Effect.never,
    readLine: unusedInput,
    display: () => Effect.void
  }))

const argv = process.argv.slice(2)
/** A user without a home has no configs: nothing is found there. */
const home = Result.getOrElse(Result.try(homedir), () => "/nonexistent")
const { PWD: directoryOfShell = home } = process.env

const environment = Environment.layer({
  // a directory that was removed has no path; the shell knows which one it was
  cwd: Result.getOrElse(Result.try(() => process.cwd()), () => directoryOfShell),
  home,
  platform: process.platform,
  variables: argv.includes(noColour) ? { ...process.env, NO_COLOR: "1" } : process.env
})

const services = Output.layer.pipe(
  Layer.provide(OutputReader.layer),
  Layer.provideMerge(Layer.mergeAll(
    NodeFileSystem.layer,
    NodePath.layer,
    NodeStdio.layer,
    terminal,
    NodeHttp.layer.pipe(Layer.provideMerge(environment))
  ))
)

let interruption: Outcome = "interrupted"
process.once("SIGTERM", () => {
  interruption = "terminated"
})
process.once("SIGHUP", () => {
  process.emit("SIGTERM")
  interruption = "hung-up"
})

/** Only the commands that are needed are loaded. */
const tree = Effect.promise(() => argv[0] === "status" ? import("./StatusOnly.ts") : import("./AllCommands.ts"))

const codeOf = (exit: Exit.Exit<number, unknown>): number =>
  Exit.isSuccess(exit) ? exit.value : codes[Cause.hasInterruptsOnly(exit.cause) ? interruption : "failed"]

const teardown: Runtime.Teardown = (exit, onExit) => {
  const code = codeOf(exit as Exit.Exit<number, unknown>)
  // a command that failed early has not executed the code that it usually does
  if (code === codes.ok) storeCompiledCode(() => onExit(code))
  else onExit(code)
}

NodeRuntime.runMain(
  Effect.flatMap(tree, ({ run }) => run(argv)).pipe(Effect.provide(services)),
  { teardown }
)
