// What the journal of a run says that was to be done to the world, and of which of it it has no answer: in the run
// itself, in the runs of members, agents and teams inside of it, and in its steps.
interface Entry {
  /** Of who speaks: an agent, the leader of a team. And of a team, about its members. */
  readonly kind?: string
  readonly call?: number
  readonly begun?: ReadonlyArray<number>
  readonly calls?: ReadonlyArray<{ readonly name: string }>
  readonly key?: string
  readonly run_id?: string
  /** The calls that were decided start after another entry that has them in `begun`. */
  readonly marks_begun?: boolean
  /** What a person has executorEntries of calls. */
  readonly decisions?: ReadonlyArray<
    { readonly call: number; readonly confirmed?: boolean; readonly result?: string }
  >
  /** The requirement that a person resolves, and the step that it is about. */
  readonly requirement?: { readonly step_id: string }
  readonly step_id?: string
  /** The question that is answered with it. */
  readonly answers?: string
  /** Entries that were written at once, of kind `batch`. */
  readonly entries?: ReadonlyArray<Entry>
  /** Of a nested run (kind `inner`, by the key of its call), or of an executor (kind `executor`, by its run). */
  readonly entry?: Entry
}

/** A run as the process that resumed it found it in the store. */
export interface Taken {
  readonly run_id: string
  readonly attempt: number
  readonly entries: ReadonlyArray<Entry>
  readonly eventCount: number
}

interface Effect {
  readonly id: string
  readonly name: string
  readonly isAnswered: boolean
}

type Entries = ReadonlyArray<Entry>

const apart = (entries: Entries): Entries =>
  entries.flatMap((entry) => entry.kind === "batch" ? apart(entry.entries ?? []) : [entry])

const inner = (entries: Entries, of: (entry: Entry) => boolean): Entries =>
  entries.filter(of).flatMap(({ entry }) => entry ?? [])

const isOf = (run: string | undefined) => ({ key, kind }: Entry): boolean => kind === "inner" && key === run

/** A call has its answer from its tool or member, or from a person who states the outcome. */
const isAnswer = (call: number) => (entry: Entry): boolean =>
  (entry.kind === "answered" && entry.call === call) ||
  (entry.decisions ?? []).some((each) => each.call === call && each.confirmed !== true)

/** A call that was decided has not begun before an entry says so: it can start without another question. */
const isUnbegun = (call: number) => ({ decisions = [], marks_begun }: Entry): boolean =>
  marks_begun === true && decisions.some((each) => each.call === call)

/** A call is open from the last entry that marks it as begun. */
const isOpen = (call: number, since: Entries): boolean => {
  const last = since.findLastIndex(({ begun = [] }) => begun.includes(call))
  return !since.slice(last).some((entry, place) => isAnswer(call)(entry) || (place > 0 && isUnbegun(call)(entry)))
}

const callsIn = (run: string, entries: Entries): ReadonlyArray<Effect> =>
  entries.filter(({ kind }) => kind === "asked").flatMap(({ calls = [] }, step, all) => {
    const next = all[step + 1]
    const since = entries.slice(entries.indexOf(all[step]!), next === undefined ? undefined : entries.indexOf(next))
    const begun = new Set(since.flatMap(({ begun = [] }) => begun))
    return [...begun].map((index) => ({
      id: `${run}.${step}.${index}`,
      name: calls[index]?.name ?? "",
      isAnswered: !isOpen(index, since)
    }))
  })

/** Whether a person was asked under such a key and has executorEntries something. */
const isDecided = (entries: Entries, is: (key: string) => boolean): boolean =>
  entries.some(({ key, kind, requirement }, index) =>
    kind === "asked" && is(key ?? "") &&
    entries.slice(index).some(({ kind, step_id }) => kind === "decided" && step_id === requirement?.step_id)
  )

/** The steps that store their intent first: steps that must not be executed twice. */
const stepsIn = (run: string, entries: Entries): ReadonlyArray<Effect> =>
  entries.filter(({ kind }) => kind === "undertaken").map(({ key: round = "" }) => {
    const place = round.replace(/!\d+$/, "")
    const isFinished = entries.some(({ key, kind }) => kind === "finished" && key === place)
    return { id: `${run}/${place}`, name: "pay", isAnswered: isFinished || isDecided(entries, (key) => key === round) }
  })

/**
 * The entries of the executors of steps. A decision that an executor has not got yet answers all that it asks.
 */
const executorsIn = (entries: Entries): ReadonlyArray<Effect> => {
  const executorEntries = entries.filter(({ kind }) => kind === "executor")
  return [...new Set(executorEntries.map(({ key = "" }) => key))].flatMap((executor) => {
    const isDelivered = (question: string) => executorEntries.some(({ answers }) => answers === question)
    const isAsked = (key: string) => key.includes(`@${executor}?`) && !isDelivered(key)
    const effects = effectsIn({ run_id: executor, entries: inner(executorEntries, ({ key }) => key === executor) })
    return isDecided(entries, isAsked) ? effects.map((effect) => ({ ...effect, isAnswered: true })) : effects
  })
}

/** Each effect that was to be made, by the id that it is made under. */
export const effectsIn = ({ entries, run_id }: Pick<Taken, "run_id" | "entries">): ReadonlyArray<Effect> => {
  const all = apart(entries)
  const own = all.filter(({ kind }) => kind !== "inner")
  const members = inner(all, isOf("team")).filter(({ kind }) => kind === "begun")
  return [
    ...callsIn(run_id, own),
    ...stepsIn(run_id, own),
    ...members.flatMap(({ key, run_id = "" }) => effectsIn({ run_id, entries: inner(all, isOf(key)) })),
    ...executorsIn(own)
  ]
}

/** The effects that must not be made twice and whose outcome is unknown. */
export const unknownIn = (taken: Taken | undefined): ReadonlyArray<string> =>
  taken === undefined ?
    [] :
    effectsIn(taken).flatMap(({ id, isAnswered, name }) => name === "pay" && !isAnswered ? [id] : [])
