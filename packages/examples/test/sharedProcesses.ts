// Services in processes that the tests of a file share, by name: starting one takes longer than most tests.
import type { ServiceProcess } from "@svc-runtime/test-support"
import { Effect, Scope } from "effect"

type Service = ServiceProcess.ServiceProcess

/** Starts a service when a test asks for it first, and again when a test has ended it. */
export const make = Effect.fnUntraced(function*<Name extends string, E>(
  start: (name: Name) => Effect.Effect<Service, E, Scope.Scope>
) {
  const scope = yield* Effect.scope
  const started = new Map<Name, Service>()
  return Effect.fnUntraced(function*(name: Name) {
    const known = started.get(name)
    if (known?.isRunning() === true) return known
    const service = yield* Scope.provide(start(name), scope)
    started.set(name, service)
    return service
  })
})
