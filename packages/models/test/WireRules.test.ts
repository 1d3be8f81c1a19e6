// Providers accept the requests that are made of any history. The rules of a provider are written in the kit of tests
// from its documentation, apart from the code that makes requests.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as RandomRequests from "./RandomRequests.ts"

describe("random histories", () => {
  it.effect.each(RandomRequests.references)("%s accepts what is made of them", (ref) =>
    Effect.gen(function*() {
      const { refused, requests, seed } = yield* RandomRequests.tried(ref, Tier.size(12, 400))
      const [first] = refused
      assert.isUndefined(
        first,
        `seed ${seed}: ${refused.length} of ${JSON.stringify(requests)} are refused, the first is ${
          JSON.stringify(first)
        }`
      )
    }))
})
