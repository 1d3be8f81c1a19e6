// The clients whose files this tool can write, and their display names.
import { Effect, FileSystem, Option, Path } from "effect"
import { Environment } from "../Environment.ts"
import * as Program from "../Program.ts"
import { ClaudeCode } from "./ClaudeCode.ts"
import { ClaudeDesktop } from "./ClaudeDesktop.ts"
import type { Client } from "./Client.ts"
import { Codex } from "./Codex.ts"
import { Cursor } from "./Cursor.ts"

/** The clients in display order. */
export const all: ReadonlyArray<Client> = [ClaudeCode, ClaudeDesktop, Codex, Cursor]

export const layoutOf = Effect.fnUntraced(function*(client: Client) {
  const { cwd, home, platform, variable } = yield* Environment
  return client.layout({ cwd, home, platform, variable, path: yield* Path.Path })
})

/** Detects whether a client is installed here. */
export const isDetected = Effect.fn("Clients.isDetected")(function*(client: Client) {
  const files = yield* FileSystem.FileSystem
  const { evidence } = yield* layoutOf(client)
  const exists = (path: string) => Effect.orElseSucceed(files.exists(path), () => false)
  const isOnPath = (program: string) => Effect.map(Program.which(program), (found) => found !== undefined)
  const signs = [...evidence.paths.map(exists), ...evidence.programs.map(isOnPath)]
  return Option.isSome(yield* Effect.findFirst(signs, (sign) => sign))
})

export const detected = Effect.filter(all, isDetected, { concurrency: "unbounded" })
