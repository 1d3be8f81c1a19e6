// The format of stored commands and journal entries. Each has its version as `v`; without it the version is 1. A change
// of the format raises `current` and adds a function that upgrades the version before. Data of a newer version is left
// to nodes that can read it.
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Json from "@svc-runtime/domain/Json"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Result } from "effect"
import type { RunSnapshot } from "../store/RunReads.ts"

type Upcast = (stored: Json.Object) => Json.Object

/**
 * By kind of run. The first function makes version 2 of version 1. Entries of inner runs are inside of the outer ones.
 */
type Upcasts = Readonly<Record<ComponentKind.ComponentKind, ReadonlyArray<Upcast>>>

export interface Format {
  /** What this service writes, and the newest that it reads. */
  readonly current: number
  readonly commands: Upcasts
  readonly entries: Upcasts
}

const none: Upcasts = { agent: [], team: [], workflow: [] }

export const StoredFormat = Context.Reference<Format>("@svc-runtime/engine/run/journal/StoredFormat", {
  defaultValue: () => ({ current: 1, commands: none, entries: none })
})

export const withVersion = ({ current }: Format, stored: Json.Object): Json.Object => ({ ...stored, v: current })

const versionOf = ({ v }: Json.Object): number => typeof v === "number" ? v : 1

const upcast = (upcasts: ReadonlyArray<Upcast>, stored: Json.Object): Json.Object => {
  const { v: _, ...plain } = stored
  return upcasts.slice(versionOf(stored) - 1).reduce<Json.Object>((each, next) => next(each), plain)
}

/** The run as this version stores it. Fails with the version that is needed to read it. */
export const read = (format: Format, snapshot: RunSnapshot): Result.Result<RunSnapshot, number> => {
  const { command, entries, kind } = snapshot
  const newest = Math.max(1, ...[command ?? {}, ...entries].map(versionOf))
  if (newest > format.current) return Result.fail(newest)
  return Result.succeed({
    ...snapshot,
    command: command && upcast(format.commands[kind], command),
    entries: entries.map((entry) => upcast(format.entries[kind], entry))
  })
}

/** For a store: a run that is about to be continued or copied, as this version stores it. */
export const upcasted = (stored: RunSnapshot): Effect.Effect<RunSnapshot, StorageUnavailable> =>
  Effect.flatMap(StoredFormat, (format) =>
    Effect.mapError(
      Effect.fromResult(read(format, stored)),
      (newest) => {
        const cause = `It needs a service that reads the stored format ${newest}, and this one reads ${format.current}`
        return new StorageUnavailable({ cause, isNewer: true })
      }
    ))
