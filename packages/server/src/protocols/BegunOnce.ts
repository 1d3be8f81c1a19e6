// A run that a request begins once, however often it is sent. One that does not count, as one that has failed, is begun
// again, and that once too.
import type { IdempotencyKey } from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import type { RunRef } from "@svc-runtime/engine/run/RunHandle"
import { Effect } from "effect"
import { hash } from "node:crypto"

interface Begun {
  readonly _tag: "Started" | "Repeated"
  readonly run: RunRef
}

/** As often as what does not count is begun again under a key. */
const maxTries = 20

export const begin = Effect.fnUntraced(function*<A extends Begun, E, R, E2, R2>(
  first: IdempotencyKey | undefined,
  begin: (key?: IdempotencyKey) => Effect.Effect<A, E, R>,
  isGone: (run: RunRef) => Effect.Effect<boolean, E2, R2>
) {
  let key = first
  for (let tries = 0; key !== undefined && tries < maxTries; tries++) {
    const begun = yield* begin(key)
    if (begun._tag === "Started" || !(yield* isGone(begun.run))) return begun
    const next = hash("sha256", JSON.stringify([key.key, begun.run.run_id]), "hex")
    key = { key: next, fingerprint: key.fingerprint }
  }
  return yield* begin()
})
