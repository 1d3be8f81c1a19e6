// The size of the terminal. Its input is read by `NodeLines.ts`, and its output is written by `Output.ts`.
import { Effect, Layer, Terminal } from "effect"
import process from "node:process"

const unused = Effect.fail(new Terminal.QuitError({}))

export const layer = Layer.sync(Terminal.Terminal, () =>
  Terminal.make({
    columns: Effect.sync(() => process.stdout.columns ?? process.stderr.columns ?? 0),
    rows: Effect.sync(() => process.stdout.rows ?? process.stderr.rows ?? 0),
    size: Effect.never,
    readInput: Effect.never,
    readLine: unused,
    display: () => Effect.void
  }))
