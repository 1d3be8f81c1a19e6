// `svc mcp-docs`: the entry point of the MCP server of the documents. It is a program of its own, because an MCP server
// is large, and other commands would share parts of it and load them.
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Effect, Layer } from "effect"
import process from "node:process"
import { sentencesOf } from "./CliError.ts"
import * as DocumentServer from "./docs/DocumentServer.ts"
import { Environment } from "./Environment.ts"

const layer = Layer.mergeAll(
  NodeFileSystem.layer,
  NodePath.layer,
  NodeStdio.layer,
  Environment.layer({ cwd: process.cwd(), home: "", platform: process.platform, variables: process.env })
)

/** Standard output is for messages of the protocol. */
const failed = (message: string) =>
  Effect.sync(() => {
    process.stderr.write(`${message}\n`)
    process.exitCode = 1
  })

const main = Effect.catchTag(DocumentServer.run, "CommandFailed", (error) => failed(sentencesOf(error)))

NodeRuntime.runMain(
  Effect.scoped(Effect.flatMap(Layer.build(layer), (services) => Effect.provideContext(main, services)))
)
