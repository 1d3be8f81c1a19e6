// What every adapter of a channel has to do.
import { describe, it } from "@effect/vitest"
import { adapterChecks, type TestedPlatform } from "@svc-runtime/testing"
import { Effect, type Scope } from "effect"

/** `make` is executed for each check. */
export const suite = (name: string, make: Effect.Effect<TestedPlatform, never, Scope.Scope>) =>
  describe(`An adapter, ${name}`, () => {
    for (const [index, { title }] of adapterChecks(() => Promise.reject(new Error("There is no platform"))).entries()) {
      it.live(
        title,
        () =>
          Effect.flatMap(make, (platform) => Effect.promise(async () => adapterChecks(() => platform)[index]?.check()))
      )
    }
  })
