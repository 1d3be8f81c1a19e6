// Embedded databases for tests, one after the other: opening one takes 150 to 230 ms of processor time, and emptying it
// about 5 ms.
import * as Pglite from "@svc-runtime/postgres/Pglite"
import { Clock, Context, Duration, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { preparedDatabase } from "./preparedDatabase.ts"

type Client = Context.Context<Layer.Success<ReturnType<typeof Pglite.layerPrepared>>>

interface Embedded {
  readonly client: Client
  readonly close: Effect.Effect<void>
  readonly time: { now: () => number }
  /** What `svc_testkit.empty()` returned at first. */
  readonly schema: string
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

const empty = Effect.fnUntraced(function*(client: Client) {
  const sql = Context.get(client, SqlClient.SqlClient)
  // a test that was interrupted can leave a transaction
  yield* sql`rollback`
  const [row] = yield* sql<{ readonly schema: string }>`select svc_testkit.empty() as schema`
  return row?.schema ?? ""
})

const open = Effect.gen(function*() {
  const time = { now: Date.now }
  const scope = yield* Scope.make()
  const layer = Pglite.layerPrepared(yield* preparedDatabase, () => time.now())
  const client = yield* Layer.buildWithScope(Layer.fresh(layer), scope)
  const embedded: Embedded = {
    client,
    time,
    close: Scope.close(scope, Exit.void),
    schema: yield* empty(client),
    uses: 0
  }
  return embedded
})

/** Undefined: it is closed, because it cannot be used again. */
const again = Effect.fnUntraced(function*(embedded: Embedded) {
  const schema = yield* Effect.orElseSucceed(empty(embedded.client), () => undefined)
  if (schema === embedded.schema) return embedded
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
export const lend = Effect.fnUntraced(function*(clock: Clock.Clock) {
  const embedded = yield* Effect.acquireRelease(take, give)
  embedded.time.now = () => clock.currentTimeMillisUnsafe()
  return embedded.client
})

/** The same with the time of this machine. */
export const lendInRealTime = lend(realTime)
