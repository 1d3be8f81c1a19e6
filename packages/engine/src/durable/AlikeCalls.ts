// The equal calls of a function that are open, by name and input: a repetition must not mistake one for another.
import type { CallType } from "./DurableJournal.ts"

interface Open {
  count: number
  /** Their order is the same in each repetition. */
  readonly isOrdered: boolean
  /** The turn of the event loop in which all of them were made. */
  tick: object | undefined
}

export interface AlikeCalls {
  /** With this call. Undefined: a repetition could mistake them for each other. */
  readonly enter: (
    what: string,
    given: unknown,
    kind: CallType | undefined
  ) => { readonly leave: () => void } | undefined
}

/** `isOrderedNow`: the function reacts to a durable call. */
export const make = (isOrderedNow: () => boolean): AlikeCalls => {
  const alike = new Map<string, Open>()
  let currentTick: object | undefined

  /** What a function calls before it gives the thread back has the same order each time, whatever it waited for. */
  const tickNow = (): object => {
    if (currentTick !== undefined) return currentTick
    const own = {}
    currentTick = own
    void Promise.resolve().then(() => {
      currentTick = undefined
    })
    return own
  }

  return {
    enter: (what, given, kind) => {
      // one of equal runs or times can stand for the other
      if (kind === "run" || what.startsWith("sleep(")) return { leave: () => {} }
      const name = `${what} ${JSON.stringify(given) ?? ""}`
      const isOrdered = isOrderedNow()
      const tick = tickNow()
      const open = alike.get(name) ?? { count: 0, isOrdered, tick }
      if (open.count > 0 && !(open.isOrdered && isOrdered) && open.tick !== tick) return undefined
      if (open.tick !== tick) open.tick = undefined
      open.count++
      alike.set(name, open)
      const leave = () => {
        if (--open.count === 0) alike.delete(name)
      }
      return { leave }
    }
  }
}
