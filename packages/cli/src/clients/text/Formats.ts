// The formats of configs. The parser of one is loaded for the first file that has it.
import { Effect } from "effect"
import type { EntryFormat } from "./EntryFormat.ts"

export const json: Effect.Effect<EntryFormat> = Effect.promise(() =>
  import("./JsonEntries.ts").then(({ JsonEntries }) => JsonEntries)
)

export const toml: Effect.Effect<EntryFormat> = Effect.promise(() =>
  import("./TomlEntries.ts").then(({ TomlEntries }) => TomlEntries)
)
