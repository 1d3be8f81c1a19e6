// The text that executing runs have made so far, from their events. A page that is loaded in the middle of an answer
// shows it before the events to come.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { RunLog } from "@svc-runtime/engine/run/store/RunLog"
import type { RunPiece } from "@svc-runtime/protocols/run/RunPiece"
import * as RunPieces from "@svc-runtime/protocols/run/RunPieces"
import { Effect, Option } from "effect"

/** Events in one read. */
const page = 500

/** Of a run. What follows is missing until the run ends. */
const maxEvents = 20_000

/** More runs of one session rarely execute at a time. The others are without content. */
const maxRuns = 20

export interface Reading {
  readonly runs: Pick<RunLog["Service"], "readEvents">
  readonly session: Session.Id
  readonly owner: Owner.Owner
}

/** The text of the last answer of the model, as the end of the run has it. */
const textOf = Effect.fnUntraced(function*({ owner, runs, session }: Reading, run: AnyRun.Output) {
  const pieces = RunPieces.make(run.run_id)
  let answer: { readonly segment: number; readonly texts: Array<string> } = { segment: -1, texts: [] }
  const add = (piece: RunPiece): void => {
    if (piece._tag === "Resumed" && piece.isVoid) answer = { segment: -1, texts: [] }
    if (piece._tag !== "Text") return
    if (piece.segment !== answer.segment) answer = { segment: piece.segment, texts: [] }
    answer.texts.push(piece.delta)
  }
  for (let after = -1; after < maxEvents - 1;) {
    const read = Option.getOrUndefined(yield* runs.readEvents(session, run.run_id, { owner }, { after, limit: page }))
    for (const event of read?.events ?? []) pieces.push(event).forEach(add)
    const last = read?.events.at(-1)?.event_index
    if (read === undefined || last === undefined || last >= read.count - 1) break
    after = last
  }
  return answer.texts.join("")
})

/** Runs inside of another one have no events of their own. */
const isExecuting = (run: AnyRun.Output): boolean =>
  run.status === "RUNNING" && run.content === undefined && (AnyRun.isWorkflow(run) || run.parent_run_id === undefined)

/** The same runs, the executing ones with their text so far. */
export const added = <A extends AnyRun.Output>(
  reading: Reading,
  runs: ReadonlyArray<A>
): Effect.Effect<ReadonlyArray<A>, StorageUnavailable> => {
  const executing = new Set(runs.filter(isExecuting).slice(0, maxRuns))
  if (executing.size === 0) return Effect.succeed(runs)
  return Effect.forEach(runs, (run) =>
    executing.has(run)
      ? Effect.map(textOf(reading, run), (content) => content === "" ? run : { ...run, content })
      : Effect.succeed(run))
}
