// The longest time for which the event loop of this process does nothing but `run`, in milliseconds.
import { Effect } from "effect"

export const of = <E>(run: Effect.Effect<unknown, E>): Effect.Effect<number, E> =>
  Effect.suspend(() => {
    let [last, longest, isOver] = [performance.now(), 0, false]
    const tick = () => {
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
      if (!isOver) setImmediate(tick)
    }
    setImmediate(tick)
    return run.pipe(
      Effect.andThen(Effect.promise(() => new Promise((ended) => setImmediate(ended)))),
      Effect.onExit(() => Effect.sync(() => void (isOver = true))),
      Effect.map(() => longest)
    )
  })
