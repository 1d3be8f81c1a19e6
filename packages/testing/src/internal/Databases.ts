// Embedded databases for services of tests, one after the other: opening one takes half a second, and emptying it a few
// milliseconds. The time of a database is that of the service that has it.
import * as Pglite from "@svc-runtime/postgres/Pglite"
import type { SqlServices } from "@svc-runtime/postgres/ShortStatements"
import { Clock, Context, Duration, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { preparedDatabase } from "./preparedDatabase.ts"
import { stepped } from "./SteppedClock.ts"

interface Embedded {
  readonly client: Context.Context<SqlServices>
  readonly close: Effect.Effect<void>
  readonly time: { now: () => number }
  readonly relations: number
  uses: number
}

/** More are closed. */
const maxIdle = 3

/** Deleted rows stay in the files. */
const maxUses = 200

const idle: Array<Embedded> = []

const realTime = Clock.Clock.defaultValue()

/** A process does not stay for it. Returns how to stop it. */
const startTimer = (millis: number, done: () => void) => {
  // @effect-diagnostics-next-line globalTimers:off because timers of Effect keep a process
  const timer = setTimeout(done, millis).unref()
  return () => clearTimeout(timer)
}

/** The time of this machine. */
const background: Clock.Clock = Object.assign(Object.create(realTime) as Clock.Clock, {
  sleep: (duration: Duration.Duration) =>
    Effect.callback<void>((resume) => Effect.sync(startTimer(Duration.toMillis(duration), () => resume(Effect.void))))
})

/** Connections do not wait for the clock of a test. */
const inRealTime = Effect.provideService(Clock.Clock, background)

const empty = (client: Context.Context<SqlServices>) =>
  Effect.map(
    Context.get(client, SqlClient.SqlClient)<{ readonly relations: number }>`select svc_testkit.empty() as relations`,
    ([row]) => row?.relations ?? 0
  )

const open = Effect.gen(function*() {
  const time = { now: Date.now }
  const scope = yield* Scope.make()
  const layer = Pglite.layerPrepared(yield* preparedDatabase, () => time.now())
  const client = yield* Layer.buildWithScope(Layer.fresh(layer), scope)
  const embedded: Embedded = {
    client,
    time,
    close: Scope.close(scope, Exit.void),
    relations: yield* empty(client),
    uses: 0
  }
  return embedded
})

/** Undefined: it is closed, because it cannot be used again. */
const again = Effect.fnUntraced(function*(embedded: Embedded) {
  const relations = yield* Effect.orElseSucceed(empty(embedded.client), () => undefined)
  if (relations === embedded.relations) return embedded
  yield* embedded.close
  return undefined
})

const take = Effect.gen(function*() {
  for (let embedded = idle.pop(); embedded !== undefined; embedded = idle.pop()) {
    const usable = yield* again(embedded)
    if (usable !== undefined) return usable
  }
  return yield* open
}).pipe(inRealTime, Effect.orDie)

const give = (embedded: Embedded) =>
  Effect.suspend(() => {
    embedded.time.now = Date.now
    embedded.uses++
    if (idle.length === maxIdle || embedded.uses === maxUses) return embedded.close
    idle.push(embedded)
    return Effect.void
  }).pipe(inRealTime)

/** An empty database with all migrations, until the scope is closed. Its time is that of the clock. */
export const lend = Effect.gen(function*() {
  const clock = stepped(yield* Clock.Clock)
  const embedded = yield* Effect.acquireRelease(take, give)
  embedded.time.now = () => clock.currentTimeMillisUnsafe()
  return embedded.client
})
