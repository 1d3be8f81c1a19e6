// The prices of models: the table that ships, and the file that MODEL_PRICES names. An unusable file stops the
// start.
import * as Prices from "@svc-runtime/telemetry/Prices"
import { Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { InvalidConfig } from "../Config.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Prices.PriceList), { errors: "all" })

const unusable = (path: string, problem: string) =>
  new InvalidConfig({ message: `MODEL_PRICES ${path}: ${problem}. docs/observability.md has an example.` })

export const read = Effect.fnUntraced(function*(path: string | undefined) {
  if (path === undefined) return Prices.withList({ models: [] })
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (error) => unusable(path, error instanceof Error ? error.message : "it cannot be read")
  })
  return Prices.withList(yield* Effect.mapError(decode(text), ({ message }) => unusable(path, message)))
})
