// What the journal of a run says that was to be done to the world, and of which of it it has no answer: in the run itself,
// in the runs of members, agents and teams inside of it, and in its steps.
interface Entry {
  /** Of who speaks: an agent, the leader of a team. And of a team, about its members. */
  readonly kind?: string
  readonly call?: number
  readonly begun?: ReadonlyArray<number>
  readonly calls?: ReadonlyArray<{ readonly name: string }>
  readonly key?: string
  readonly run_id?: string
  /** Of a workflow. */
  readonly type?: string
  /** Entries that were written at once. */
  readonly together?: ReadonlyArray<Entry>
  /** Of a run inside of this one, under a key, and what it has written. */
  readonly inside?: string
  readonly entry?: Entry
}

/** A run as it was found in the store by the process that went on with it. */
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
  entries.flatMap((entry) => entry.together === undefined ? [entry] : apart(entry.together))

const inner = (entries: Entries, of: (entry: Entry) => boolean): Entries =>
  entries.filter(of).flatMap(({ entry }) => entry ?? [])

const callsIn = (run: string, entries: Entries): ReadonlyArray<Effect> =>
  entries.filter(({ kind }) => kind === "asked").flatMap(({ begun = [], calls = [] }, step, all) => {
    const from = entries.indexOf(all[step]!)
    const next = all[step + 1]
    const answers = entries.slice(from, next === undefined ? undefined : entries.indexOf(next))
    return begun.map((index) => ({
      id: `${run}.${step}.${index}`,
      name: calls[index]?.name ?? "",
      isAnswered: answers.some(({ call, kind }) => kind === "answered" && call === index)
    }))
  })

/** The steps that say of themselves that they are about to be done: those that must not be done twice. */
const stepsIn = (run: string, entries: Entries): ReadonlyArray<Effect> =>
  entries.filter(({ type }) => type === "undertaken").map(({ key = "" }) => {
    const place = key.replace(/!\d+$/, "")
    const isAnswered = entries.some(({ key, type }) => type === "finished" && key === place)
    return { id: `${run}/${place}`, name: "pay", isAnswered }
  })

/** Each effect that was to be made, by the id that it is made under. */
export const effectsIn = ({ entries, run_id }: Pick<Taken, "run_id" | "entries">): ReadonlyArray<Effect> => {
  const all = apart(entries)
  const own = all.filter(({ inside }) => inside === undefined)
  const members = inner(all, ({ inside }) => inside === "team").filter(({ kind }) => kind === "begun")
  const speakers = new Set(own.filter(({ type }) => type === "inner").map(({ run_id = "" }) => run_id))
  return [
    ...callsIn(run_id, own),
    ...stepsIn(run_id, own),
    ...members.flatMap(({ key, run_id = "" }) =>
      effectsIn({ run_id, entries: inner(all, ({ inside }) => inside === key) })
    ),
    ...[...speakers].flatMap((speaker) =>
      effectsIn({ run_id: speaker, entries: inner(own, ({ run_id, type }) => type === "inner" && run_id === speaker) })
    )
  ]
}

/** Of these nobody knows whether they were made, and they must not be made twice. */
export const unknownIn = (taken: Taken | undefined): ReadonlyArray<string> =>
  taken === undefined ?
    [] :
    effectsIn(taken).flatMap(({ id, isAnswered, name }) => name === "pay" && !isAnswered ? [id] : [])
