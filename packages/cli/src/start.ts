// Runs a command with the layers for this machine, and sets the exit code. Ctrl-C and SIGTERM interrupt the command:
// its resources are closed and its child processes ended before the process exits.
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Cause, Effect, Exit, Layer, type Runtime } from "effect"
import { homedir } from "node:os"
import process from "node:process"
import { Environment } from "./Environment.ts"
import { codes } from "./Exit.ts"
import { run } from "./Main.ts"
import * as NodeHttp from "./NodeHttp.ts"
import * as NodeLines from "./terminal/NodeLines.ts"
import * as NodeTerminal from "./terminal/NodeTerminal.ts"
import { Output } from "./terminal/Output.ts"
import { Prompts } from "./terminal/Prompts.ts"

const environment = Environment.layer({
  cwd: process.cwd(),
  home: homedir(),
  platform: process.platform,
  variables: process.env
})

const platform = Layer.provideMerge(
  NodeChildProcessSpawner.layer,
  Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, NodeTerminal.layer)
)

const services = Prompts.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Output.layer, NodeLines.layer)),
  Layer.provideMerge(Layer.mergeAll(platform, NodeHttp.layer.pipe(Layer.provideMerge(environment))))
)

const teardown: Runtime.Teardown = (exit, onExit) =>
  onExit(
    Exit.isSuccess(exit) ? Number(exit.value) : Cause.hasInterruptsOnly(exit.cause) ? codes.interrupted : codes.failed
  )

NodeRuntime.runMain(Effect.provide(run(process.argv.slice(2)), services), { teardown })
