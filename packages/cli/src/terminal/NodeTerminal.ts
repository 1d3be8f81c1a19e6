// The terminal, opened for the first prompt: most commands only need its width, and opening standard input is slow.
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Effect, Layer, Scope, Terminal } from "effect"
import process from "node:process"

export const layer = Layer.effect(
  Terminal.Terminal,
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const opened = yield* Effect.cached(Scope.provide(NodeTerminal.make(), scope))
    return Terminal.make({
      columns: Effect.sync(() => process.stdout.columns ?? 0),
      rows: Effect.sync(() => process.stdout.rows ?? 0),
      size: Effect.flatMap(opened, ({ size }) => size),
      readInput: Effect.flatMap(opened, ({ readInput }) => readInput),
      readLine: Effect.flatMap(opened, ({ readLine }) => readLine),
      display: (text) => Effect.flatMap(opened, ({ display }) => display(text))
    })
  })
)
