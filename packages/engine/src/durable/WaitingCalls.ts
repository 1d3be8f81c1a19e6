// The calls of a function that wait, in the order in which they are shown. What the function calls after an answer of a
// person it awaits, and an older question can be the loser of a race.
import type * as DurableJournal from "./DurableJournal.ts"

/** The call that asks a person. */
export const pausing = "pause()"

type Begun = DurableJournal.Begun

/** Of a function with the known ends, in their order. */
export const make = <W>({ begun, ended }: Pick<DurableJournal.Played, "begun" | "ended">) => {
  const waiting = new Map<number, { readonly entry: Begun; readonly wait: W }>()
  /** All ends: whether each is the answer of a person. */
  const ends = [...ended.keys()].map((call) => begun.get(call)?.what === pausing)
  const answersBefore = ({ after }: Begun) => ends.slice(0, after).filter((isAnswer) => isAnswer).length
  return {
    add: (entry: Begun, wait: W) => void waiting.set(entry.call, { entry, wait }),
    remove: (call: number) => void waiting.delete(call),
    count: () => waiting.size,
    /** A call has ended now. */
    ends: (what: string | undefined) => void ends.push(what === pausing),
    inOrder: (): ReadonlyArray<W> =>
      [...waiting.values()]
        .toSorted(({ entry: a }, { entry: b }) => answersBefore(b) - answersBefore(a) || a.call - b.call)
        .map(({ wait }) => wait)
  }
}
