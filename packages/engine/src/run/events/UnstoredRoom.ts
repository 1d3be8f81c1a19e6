// How many bytes of events the runs of a node keep until they are stored. While the store is slow or away, runs that
// keep many read no more of what their models answer. Each run may keep some, however many others keep.
import { Effect } from "effect"

export interface RunRoom {
  /** From now on what the run keeps counts: a run that is refused never begins. */
  readonly begin: () => void
  /** Less than zero for what is stored. */
  readonly keep: (bytes: number) => void
  /** Whether the run has to wait until something is stored. */
  readonly isFull: () => boolean
  readonly hasRoom: Effect.Effect<void>
  /** The run has ended. */
  readonly end: () => void
}

/** In bytes: `limit` of all runs together, `least` of each. */
export const make = (limit: number, least: number) => {
  let all = 0
  const waiting = new Set<() => void>()

  const ofRun = (): RunRoom => {
    let own = 0
    let isCounted = false
    const isFull = () => all > limit && own > least
    const keep = (bytes: number) => {
      own += bytes
      if (!isCounted) return
      all += bytes
      if (bytes >= 0 || waiting.size === 0) return
      for (const check of waiting) check()
    }
    return {
      begin: () => {
        if (isCounted) return
        isCounted = true
        all += own
      },
      keep,
      isFull,
      hasRoom: Effect.suspend(() =>
        isFull()
          ? Effect.callback<void>((resume) => {
            const check = () => {
              if (isFull()) return
              waiting.delete(check)
              resume(Effect.void)
            }
            waiting.add(check)
            return Effect.sync(() => waiting.delete(check))
          })
          : Effect.void
      ),
      end: () => {
        keep(-own)
        isCounted = false
      }
    }
  }
  return { ofRun }
}

export type UnstoredRoom = ReturnType<typeof make>

export const ofNode: UnstoredRoom = make(64 * 1024 * 1024, 64 * 1024)
