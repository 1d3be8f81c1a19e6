// The places of sessions on this node. A place is a copy of what is stored, so it can be given up at any time. Commands
// of one session are executed one after the other; those of others at the same time.
import { Cause, Context, Effect, Layer, Semaphore } from "effect"
import type { Place, Sandbox } from "./SandboxPort.ts"

/** The stored files that a place has, by their paths. */
export interface Known {
  readonly files: ReadonlyMap<string, { readonly hash: string; readonly stamp: string; readonly executable: boolean }>
}

export interface Held {
  readonly place: Place
  /** Undefined: the place is new. */
  known: Known | undefined
  /** The place is closed after its use, with all that is in it. */
  isSpoilt: boolean
}

interface Slot {
  readonly turn: Semaphore.Semaphore
  held: Held | undefined
  users: number
  usedAt: number
}

/** The last used ones stay open, for some minutes: files of a session that was deleted do not stay on a node. */
const maxOpen = 64
const idleMillis = 600_000

const close = (held: Held): Effect.Effect<void> =>
  Effect.catchCause(
    Effect.promise(() => held.place.close()),
    (cause) => Effect.logWarning("The files of a session could not be removed from this node", Cause.squash(cause))
  )

const make = Effect.gen(function*() {
  const sandboxes = new Map<Sandbox, Map<string, Slot>>()
  yield* Effect.addFinalizer(() =>
    Effect.forEach(
      [...sandboxes.values()].flatMap((slots) => [...slots.values()].flatMap(({ held }) => held ?? [])),
      close,
      { discard: true }
    )
  )

  const slotOf = (sandbox: Sandbox, key: string) => {
    const slots = sandboxes.get(sandbox) ?? new Map<string, Slot>()
    sandboxes.set(sandbox, slots)
    const slot = slots.get(key) ?? { turn: Semaphore.makeUnsafe(1), held: undefined, users: 0, usedAt: 0 }
    // the last one of the map was used last
    slots.delete(key)
    slots.set(key, slot)
    return { slots, slot }
  }

  const closeUnused = (slots: Map<string, Slot>) =>
    Effect.clockWith((clock) => {
      const idleSince = clock.currentTimeMillisUnsafe() - idleMillis
      const unused = [...slots].filter(([, { users }]) => users === 0)
      const isOver = ([, { held, usedAt }]: readonly [string, Slot]) => held === undefined || usedAt <= idleSince
      const closed = unused.filter(isOver)
        .concat(unused.filter((one) => !isOver(one)).slice(0, Math.max(0, slots.size - maxOpen)))
      for (const [key] of closed) slots.delete(key)
      return Effect.forEach(closed, ([, { held }]) => held === undefined ? Effect.void : close(held), { discard: true })
    })

  const closeIdle = Effect.suspend(() => Effect.forEach([...sandboxes.values()], closeUnused, { discard: true }))
  yield* Effect.forkScoped(Effect.forever(Effect.delay(closeIdle, "1 minute")))

  /** Rejections of `open` are defects: `check` has found before that the sandbox can be used. */
  const use = <A, E, R>(
    sandbox: Sandbox,
    key: string,
    work: (held: Held) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const { slot, slots } = slotOf(sandbox, key)
      slot.users++
      const working = Effect.acquireUseRelease(
        Effect.suspend(() =>
          slot.held === undefined
            ? Effect.map(
              Effect.promise(() => sandbox.open(key)),
              (place): Held => slot.held = { place, known: undefined, isSpoilt: false }
            )
            : Effect.succeed(slot.held)
        ),
        work,
        (held) => {
          if (!held.isSpoilt) return Effect.void
          slot.held = undefined
          return close(held)
        }
      )
      const left = Effect.clockWith((clock) => {
        slot.users--
        slot.usedAt = clock.currentTimeMillisUnsafe()
        return closeUnused(slots)
      })
      return Effect.ensuring(slot.turn.withPermits(1)(working), left)
    })

  return { use }
})

export class Places extends Context.Service<Places, Effect.Success<typeof make>>()(
  "@svc-runtime/features/workspace/Places"
) {
  static readonly layer: Layer.Layer<Places> = Layer.effect(this, make)
}
