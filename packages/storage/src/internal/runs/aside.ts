// Long statements run beside the short ones: a few at once, and one per session, so that a locked or large session
// blocks one connection only.
import { Effect, Semaphore } from "effect"

interface Line {
  readonly turn: Semaphore.Semaphore
  users: number
}

export type Aside = (session: string) => <A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const make = (most: number): Aside => {
  const all = Semaphore.makeUnsafe(most)
  const lines = new Map<string, Line>()

  const lineOf = (session: string): Line => {
    const known = lines.get(session)
    if (known !== undefined) return known
    const line: Line = { turn: Semaphore.makeUnsafe(1), users: 0 }
    lines.set(session, line)
    return line
  }

  return (session) => (statement) =>
    Effect.suspend(() => {
      const line = lineOf(session)
      line.users++
      return Effect.ensuring(
        line.turn.withPermit(all.withPermit(statement)),
        Effect.sync(() => {
          if (--line.users === 0) lines.delete(session)
        })
      )
    })
}
