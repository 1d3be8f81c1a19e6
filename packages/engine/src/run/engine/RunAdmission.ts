// Limits the runs that a node executes at once, and the bytes of their inputs in total. Runs in a session queue count,
// because they are in memory as well. Runs that are recovered or continued count, and are never refused. Recovered ones
// wait for room, so that new ones have their share.
import type * as Run from "@svc-runtime/domain/Run"
import { Effect } from "effect"
import type { RunCommand } from "../RunCommand.ts"
import { TooManyRuns } from "../RunErrors.ts"

export interface Limits {
  readonly runs: number
  readonly inputBytes: number
}

export const defaultLimits: Limits = { runs: 10_000, inputBytes: 512 * 1024 * 1024 }

type Media = ReadonlyArray<{ readonly content?: string }>

const lengthOf = (media: Media | undefined): number =>
  media === undefined ? 0 : media.reduce((sum, { content = "" }) => sum + content.length, 0)

/** Recovered runs take at most this part of the limit. */
const recoveredPart = 0.05

const bytesOf = ({ input }: Pick<RunCommand, "input">): number => {
  const { audios, files, images, input_content, videos } = input
  const text = typeof input_content === "string" ? input_content.length : JSON.stringify(input_content ?? null).length
  return text + lengthOf(audios) + lengthOf(files) + lengthOf(images) + lengthOf(videos)
}

type Executing = ReadonlyMap<Run.Id, unknown>

type Admitted = Pick<RunCommand, "input" | "run_id">

export interface Admission {
  /** Begins a new run, or refuses it when there is no room for it. */
  readonly admit: <A, E, R>(
    command: Admitted,
    begin: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TooManyRuns, R>
  /** Counts a run that is recovered or continued, and that is executed from now on. */
  readonly count: (command: Admitted) => void
}

export interface RunAdmission {
  /** How many recovered runs an engine executes at once. Runs in session queues are not among them. */
  readonly recovered: number
  /** Counts the runs of an engine too. */
  readonly join: (executing: Executing) => Admission
}

/** The engines of a node share the limits. */
export const make = (given: Partial<Limits> = {}): RunAdmission => {
  const limits = { ...defaultLimits, ...given }
  const engines: Array<Executing> = []
  const admitted = new Map<Run.Id, number>()
  const starting = new Set<Run.Id>()
  let total = 0

  /** More entries are counted again: small inputs would not reach the limit before millions of runs had ended. */
  let maxEntries = 2 * limits.runs

  /** Drops ended runs. Called if the limit seems to be reached. */
  const recount = () => {
    for (const run of admitted.keys()) {
      if (!starting.has(run) && !engines.some((executing) => executing.has(run))) admitted.delete(run)
    }
    total = [...admitted.values()].reduce((sum, bytes) => sum + bytes, 0)
    maxEntries = 2 * Math.max(limits.runs, admitted.size)
  }

  const hasRoom = (bytes: number): boolean =>
    engines.reduce((sum, { size }) => sum + size, starting.size) < limits.runs &&
    (total === 0 || total + bytes <= limits.inputBytes)

  const add = (run: Run.Id, bytes: number) => {
    if (admitted.size >= maxEntries) recount()
    total += bytes - (admitted.get(run) ?? 0)
    admitted.set(run, bytes)
  }

  const admit = <A, E, R>(command: Admitted, begin: Effect.Effect<A, E, R>) =>
    Effect.suspend((): Effect.Effect<A, E | TooManyRuns, R> => {
      const { run_id } = command
      const bytes = bytesOf(command)
      if (!hasRoom(bytes)) recount()
      if (!hasRoom(bytes)) return Effect.fail(new TooManyRuns())
      starting.add(run_id)
      add(run_id, bytes)
      return Effect.ensuring(begin, Effect.sync(() => starting.delete(run_id)))
    })

  return {
    recovered: Math.max(1, Math.floor(limits.runs * recoveredPart)),
    join: (executing) => {
      engines.push(executing)
      return { admit, count: (command) => add(command.run_id, bytesOf(command)) }
    }
  }
}
