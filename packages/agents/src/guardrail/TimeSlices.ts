// Long work in parts, so that the node does other things in between. Short work ends at once, in one time slice.
import { Effect } from "effect"

/** Work that may be suspended at each `yield`. */
export type Parts<A> = Generator<void, A>

/** Characters of a text that all patterns read in one time slice. */
export const short = 4000

/** Milliseconds of a time slice. */
const maxMillis = 5

/** The result, or undefined where this time slice is over before the end. */
const advance = <A>(parts: Parts<A>): IteratorReturnResult<A> | undefined => {
  const until = performance.now() + maxMillis
  for (let next = parts.next();; next = parts.next()) {
    if (next.done === true) return next
    if (performance.now() > until) return undefined
  }
}

/** The result of work that ends within a time slice, else an effect that works through the others. */
export const run = <A>(parts: Parts<A>): A | Effect.Effect<A> => {
  const first = advance(parts)
  if (first !== undefined) return first.value
  return Effect.gen(function*() {
    for (;;) {
      yield* Effect.yieldNow
      const next = advance(parts)
      if (next !== undefined) return next.value
    }
  })
}
