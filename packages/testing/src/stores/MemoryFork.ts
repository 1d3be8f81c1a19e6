// A copy of a session and of its runs, in memory.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as RunCopy from "@svc-runtime/domain/RunCopy"
import * as Session from "@svc-runtime/domain/Session"
import { NewId } from "@svc-runtime/engine/NewId"
import type { Forking } from "@svc-runtime/engine/run/store/RunWrites"
import { Effect, Option } from "effect"
import { type MemoryDatabase, originOf, type StoredRun } from "./MemoryDatabase.ts"
import * as MemoryJobs from "./MemoryJobs.ts"
import * as MemoryPath from "./MemoryPath.ts"

const isSource = (session: Session.Session, { component, owner }: Forking["filter"]): boolean =>
  Owner.coversIn(owner, session) && (component === undefined ||
    (session.session_type === component.kind &&
      Session.componentIdOf(session) === component.id))

export const fork = Effect.fnUntraced(function*(
  database: MemoryDatabase["Service"],
  { created_at, filter, job, session_id, source }: Forking
) {
  const { media, memoryErasures, next, runs, runsOf, sessions } = database
  const newId = yield* NewId
  const { leafRun, passedRuns = [], session: found, summarizedRun = 0 } = sessions.get(source) ?? {}
  if (found === undefined || !isSource(found, filter)) return Option.none()
  const outermost = (run: AnyRun.Output): AnyRun.Output => {
    const outer = run.parent_run_id === undefined ? undefined : runs.get(run.parent_run_id as Run.Id)
    return outer === undefined ? run : outermost(outer.output)
  }
  const copied = (runsOf.get(source) ?? []).flatMap((id) => runs.get(id) ?? [])
    .filter(({ output }) => !Run.isActive(outermost(output).status) && !Run.isActive(output.status))
  if (copied.length === 0) return Option.none()
  const ids = new Map(copied.map(({ output }) => [output.run_id, Run.Id.make(newId())]))
  const names = { runs: Object.fromEntries(ids), session: { from: source, to: session_id } }
  const path = MemoryPath.make({ runs, runsOf, sessions })
  const copies = new Map<number, number>()
  /** A run that is not copied stands for the one before it. Undefined: the newest copy. */
  const copiedEnd = (end: MemoryPath.End): number | undefined => {
    const last = [...path.backwards(source, end)].find(({ sequence }) => copies.has(sequence))
    return path.newestIs(session_id, last === undefined ? 0 : copies.get(last.sequence) ?? 0)
  }
  const copyOf = (run: StoredRun, run_id: Run.Id): StoredRun => {
    const { output } = run
    return {
      ...run,
      sequence: next(),
      after: MemoryPath.isRoot(run) ? copiedEnd(MemoryPath.before(run)) : undefined,
      origin: originOf(run),
      node: "",
      isSerialized: false,
      isCancelRequested: false,
      output: AnyRun.asCopy(RunCopy.renamed(output, names), {
        run_id,
        session_id,
        forked_from_session_id: output.forked_from_session_id ?? output.session_id
      }),
      events: run.events.map((event) => RunCopy.renamed(event, names)),
      entries: run.entries.map((entry) => RunCopy.renamed(entry, names))
    }
  }
  const covered = Math.max(summarizedRun, found.user_id === null ? 0 : memoryErasures.get(found.user_id) ?? 0)
  let coveredCopy = 0
  const passedCopies: Array<number> = []
  const sequence = next()
  runsOf.set(session_id, [...ids.values()])
  for (const run of copied) {
    const id = ids.get(run.output.run_id)
    if (id === undefined) continue
    const copy = copyOf(run, id)
    runs.set(id, copy)
    if (MemoryPath.isRoot(run)) copies.set(run.sequence, copy.sequence)
    if (run.sequence <= covered) coveredCopy = copy.sequence
    if (passedRuns.includes(run.sequence)) passedCopies.push(copy.sequence)
  }
  const made = media.get(source)
  if (made !== undefined) media.set(session_id, made)
  sessions.set(session_id, {
    sequence,
    session: { ...found, session_id, created_at, updated_at: created_at },
    leafRun: copiedEnd(leafRun),
    summarizedRun: coveredCopy,
    passedRuns: passedCopies
  })
  const isPaused = (run: Run.Id) => runs.get(run)?.output.status === "PAUSED"
  const paused = new Map([...ids].flatMap(([original, copy]) => isPaused(original) ? [[copy, original]] : []))
  const originals = new Set(paused.values())
  // the newest one of each run
  const approvals = [
    ...new Map(
      [...database.approvals.values()].map(({ approval }) => [approval.run_id, approval] as const).filter(
        ([run, { approval_type }]) => approval_type === "required" && originals.has(run)
      )
    ).values()
  ]
  if (job !== undefined && paused.size > 0) {
    const payload = { source, session_id, paused: Object.fromEntries(paused), approvals: Json.of(approvals) }
    const unowned = { key: null, isUnique: false, user_id: null, caller: null }
    yield* MemoryJobs.make(database).enqueue({ ...job, ...unowned, payload, session_id })
  }
  return Option.some({ paused, approvals })
})
