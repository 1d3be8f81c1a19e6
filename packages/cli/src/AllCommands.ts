// The tree of all commands, with what `svc status` does not need: child processes, and prompts in the terminal.
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import { Effect, Layer } from "effect"
import * as Main from "./Main.ts"
import * as NodeLines from "./terminal/NodeLines.ts"
import { Prompts } from "./terminal/Prompts.ts"

const layer = Layer.mergeAll(NodeChildProcessSpawner.layer, Layer.provide(Prompts.layer, NodeLines.layer))

export const run = (argv: ReadonlyArray<string>) =>
  Effect.scoped(Effect.flatMap(Layer.build(layer), (services) => Effect.provideContext(Main.run(argv), services)))
