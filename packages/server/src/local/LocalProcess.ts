// A local service inside of a process that it must not keep: nothing that waits holds the process, and a call does.
import { SvcError } from "@svc-runtime/client"
import { KeepsProcess } from "@svc-runtime/engine/node/KeepsProcess"
import { textOf } from "@svc-runtime/http/process/startFailure"
import { Clock, Context, Duration, Effect, Exit, Scope } from "effect"
import type { LocalOptions, Opened } from "./LocalOptions.ts"
import * as LocalService from "./LocalService.ts"

/** Node's limit for a timer. */
const maxMillis = 2 ** 31 - 1

const wait = (millis: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    // @effect-diagnostics-next-line globalTimersInEffect:off because timers of Effect keep the process
    const timer = setTimeout(() => resume(Effect.void), Math.min(millis, maxMillis)).unref()
    return Effect.sync(() => clearTimeout(timer))
  }).pipe(Effect.andThen(Effect.suspend(() => millis > maxMillis ? wait(millis - maxMillis) : Effect.void)))

const real = Clock.Clock.defaultValue()

/** The clock of the machine, whose sleeps do not keep the process. */
const clock: Clock.Clock = Object.assign(Object.create(real) as Clock.Clock, {
  sleep: (duration: Duration.Duration) => {
    const millis = Duration.toMillis(duration)
    return millis <= 0 ? Effect.yieldNow : wait(millis)
  }
})

/** Keeps the process while at least one is held. */
const holds = () => {
  let count = 0
  let timer: NodeJS.Timeout | undefined
  return () => {
    count++
    // @effect-diagnostics-next-line globalTimers:off because it holds the process, not a fiber
    timer ??= setInterval(() => {}, maxMillis)
    return () => {
      count--
      if (count > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** `atBeforeExit` is called when the process has nothing left to do. */
export const open = (options: LocalOptions, atBeforeExit: () => Promise<void>): Promise<Opened> => {
  const hold = holds()
  const release = hold()
  const scope = Scope.makeUnsafe()
  const context = Context.make(Clock.Clock, clock).pipe(
    Context.add(KeepsProcess, false),
    Context.add(Scope.Scope, scope)
  )
  const end = Effect.provideContext(Scope.close(scope, Exit.void), context)
  const started = Effect.runPromiseExitWith(context)(
    Effect.onError(LocalService.make(options, hold), () => end)
  )
  return started.finally(release).then((exit): Opened => {
    if (Exit.isFailure(exit)) {
      throw new SvcError(503, { detail: textOf(exit.cause), error_code: "SERVICE_UNAVAILABLE" }, new Headers())
    }
    const { add, client } = exit.value
    let closing: Promise<void> | undefined
    const close = () => {
      process.off("beforeExit", atEnd)
      return closing ??= Effect.runPromise(end).finally(hold())
    }
    const atEnd = () => void atBeforeExit()
    process.on("beforeExit", atEnd)
    return {
      client,
      component: (kind, component) => {
        const refusal = add(kind, component)
        if (refusal !== undefined) throw refusal
        return client[kind](component.id) as never
      },
      close
    }
  })
}
