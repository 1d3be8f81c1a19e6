// How far the clock of the database is ahead of a monotonic one of this process, so that a statement can carry the time
// after which it stores nothing. A caller who waits in vain gets an error before a silent database executes what it was
// sent.
import { minSilenceMillis } from "@svc-runtime/engine/node/DatabaseLiveness"

export interface DatabaseClock {
  /** Epoch milliseconds of the database; zero, for always, until the first reply. `delays`: how often it was late. */
  readonly validUntil: (sentAt: number, delays: number) => number
  /** `received`: when the database received a statement, and whether that was too late. */
  readonly replied: (sentAt: number, received: number, isLate: boolean) => void
}

/** Epoch milliseconds at which the database received the statement. */
export const received = "(extract(epoch from statement_timestamp()) * 1000)::float8"

/** Whether a statement with this time stores nothing any more. */
export const isLate = (validUntil: string): string => `(${validUntil} > 0 and ${validUntil} < ${received})`

export const make = (): DatabaseClock => {
  let ahead: number | undefined
  return {
    validUntil: (sentAt, delays) =>
      ahead === undefined ? 0 : Math.ceil(sentAt + ahead + minSilenceMillis * 2 ** delays),
    // the way of a statement is part of it, so the least is the closest, until a clock jumps
    replied: (sentAt, received, isLate) => {
      ahead = isLate || ahead === undefined ? received - sentAt : Math.min(ahead, received - sentAt)
    }
  }
}
