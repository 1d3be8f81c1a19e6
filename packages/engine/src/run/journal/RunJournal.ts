// The finished steps of a run, in their order: from them it resumes after its service has stopped,
// after a pause, and on another node. The content of an entry belongs to the component that wrote it.
//
// A member run has a journal of its own, kept among the entries of the root run under a key: the two have one lease,
// and the finished steps of one are never known without those of the other.
import type * as Json from "@svc-runtime/domain/Json"
import type { Effect } from "effect"
import type { ExecutionLease } from "../../node/ExecutionLease.ts"

export interface RunJournal {
  /** Raised each time that the lease is acquired: an entry with the attempt that wrote it is distinguished
   * from those of earlier ones. */
  readonly attempt: number
  /** What was written before. Empty at the start of a run. */
  readonly entries: ReadonlyArray<Json.Object>
  /**
   * How many entries were written before the run was last resumed. What they have changed in the state of the session
   * was stored when the run paused or failed. Undefined when it never did.
   */
  readonly resumedAt?: number | undefined
  /**
   * Returns when the entry is stored, together with the events up to it. It does not return in a run that has been
   * taken over by another node: that one is interrupted.
   *
   * `emit` emits the events of the entry: they are never stored before it.
   */
  readonly record: (entry: Json.Object, emit?: () => void) => Effect.Effect<void>
  /**
   * Executes an external effect, which requires the lease at that moment. If another node may have taken the run over,
   * the store is read first. If one has, the effect is not executed, and this does not return, as above.
   */
  readonly underLease: ExecutionLease["act"]
}

type Entries = ReadonlyArray<Json.Object>

/** Entries that were written at once. */
export const batchEntry = (entries: Entries): Json.Object => ({ kind: "batch", entries })

export const innerEntry = (key: string, entry: Json.Object): Json.Object => ({ kind: "inner", key, entry })

const unbatched = (entries: Entries): Entries =>
  entries.flatMap((entry) => entry["kind"] === "batch" ? unbatched(entry["entries"] as Entries) : [entry])

/** Of the run itself. */
export const ownEntries = (entries: Entries): Entries => unbatched(entries).filter(({ kind }) => kind !== "inner")

/** Of the run that it has inside of itself under a key. */
export const innerEntries = (entries: Entries, key: string): Entries =>
  unbatched(entries).flatMap((entry) =>
    entry["kind"] === "inner" && entry["key"] === key ? [entry["entry"] as Json.Object] : []
  )

/** Of all runs that it has inside of itself, by their keys. */
export const innerByKey = (entries: Entries): ReadonlyMap<string, Entries> => {
  const found = new Map<string, Array<Json.Object>>()
  for (const entry of unbatched(entries)) {
    if (entry["kind"] !== "inner") continue
    const key = String(entry["key"])
    const inner = found.get(key) ?? []
    found.set(key, inner)
    inner.push(entry["entry"] as Json.Object)
  }
  return found
}

/** Some of the entries, and the index among them at which the run was resumed. */
const selected = ({ entries, resumedAt }: RunJournal, select: (entries: Entries) => Entries) => ({
  entries: select(entries),
  resumedAt: resumedAt === undefined ? undefined : select(entries.slice(0, resumedAt)).length
})

/** The entries whose changes of the session's state are not stored in the session yet. */
export const unstored = <A>({ resumedAt = 0 }: Pick<RunJournal, "resumedAt">, entries: ReadonlyArray<A>) =>
  entries.slice(resumedAt)

export const own = (journal: RunJournal): RunJournal => ({ ...journal, ...selected(journal, ownEntries) })

export const innerOf = (journal: RunJournal, key: string): RunJournal => ({
  attempt: journal.attempt,
  underLease: journal.underLease,
  ...selected(journal, (entries) => innerEntries(entries, key)),
  record: (entry, emit) => journal.record(innerEntry(key, entry), emit)
})
