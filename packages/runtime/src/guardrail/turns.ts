// Long work in parts, so that the node does other things in between. Short work ends at once, without a turn.
import { Effect } from "effect"

/** Work that may be suspended at each `yield`. */
export type Parts<A> = Generator<void, A>

/** Characters of a text that all patterns read without a turn between them. */
export const short = 4000

/** Milliseconds of work at once. */
const maxMillis = 5

/** The result, or undefined where the time of this turn is over before the end. */
const advance = <A>(parts: Parts<A>): IteratorReturnResult<A> | undefined => {
  const until = performance.now() + maxMillis
  for (let next = parts.next();; next = parts.next()) {
    if (next.done === true) return next
    if (performance.now() > until) return undefined
  }
}

/** The result of work that ends within a turn, else an effect that goes through the others. */
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
