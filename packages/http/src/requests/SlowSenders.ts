// Ends requests whose bodies arrive too slowly for another caller, who waits for the room that they hold. Otherwise few
// callers, who announce large bodies and send little of them, would keep the uploads of all others away.
import type { ByteBudget } from "./ByteBudget.ts"

export interface Sender {
  readonly caller: string
  /** The room for its body: 0 while it has none. */
  readonly held: () => number
  /** Bytes of the body that have arrived. */
  readonly received: () => number
  readonly end: () => void
}

export interface Options {
  readonly budget: ByteBudget
  /** How long a request waits for its room, in milliseconds. */
  readonly timeout: number
}

export interface SlowSenders {
  readonly add: (sender: Sender) => void
  readonly remove: (sender: Sender) => void
  /** How often to check while a request waits, in milliseconds. */
  readonly interval: number
  /** At a time in milliseconds. Each request that waits calls it. */
  readonly check: (now: number) => void
}

interface Look {
  readonly received: number
  readonly at: number
}

export const make = ({ budget, timeout }: Options): SlowSenders => {
  const interval = timeout / 10
  const measured = 3 * interval
  /** Who waits has its room in time if each body that holds it is whole by then. */
  const left = timeout - measured - interval
  const senders = new Map<Sender, Look | undefined>()
  let checkedAt = Number.NEGATIVE_INFINITY

  /** Bytes in a millisecond. Undefined until it is measured. */
  const rateOf = (sender: Sender, look: Look | undefined, now: number): number | undefined => {
    const received = sender.received()
    if (look !== undefined && now - look.at < measured) return undefined
    senders.set(sender, { received, at: now })
    return look === undefined ? undefined : (received - look.received) / (now - look.at)
  }

  const check = (now: number): void => {
    if (now - checkedAt < interval / 2) return
    // what was seen while others waited earlier says nothing about the last seconds
    if (now - checkedAt > 2 * interval) { for (const sender of senders.keys()) senders.set(sender, undefined) }
    checkedAt = now
    const shortage = budget.shortage()
    const slow = [...senders].flatMap(([sender, look]) => {
      const rate = rateOf(sender, look, now)
      const isSlow = rate !== undefined && rate * left < sender.held() - sender.received()
      return isSlow ? [{ sender, rate }] : []
    })
    if (shortage === undefined) return
    let missing = shortage.bytes
    for (const { sender } of slow.toSorted((one, other) => one.rate - other.rate)) {
      if (missing <= 0) return
      if (sender.caller === shortage.caller || budget.heldBy(sender.caller) <= shortage.held) continue
      missing -= sender.held()
      senders.delete(sender)
      sender.end()
    }
  }

  return {
    add: (sender) => void senders.set(sender, undefined),
    remove: (sender) => void senders.delete(sender),
    interval,
    check
  }
}
