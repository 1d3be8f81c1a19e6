import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Kills from "./Kills.ts"
import * as Subjects from "./Subjects.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-chaos-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("a service with its database inside, killed at every point of a run", () => {
  it.live("a killed service loses no run, leaves none behind, and does nothing twice", () =>
    Effect.scoped(Effect.gen(function*() {
      const world = yield* Kills.world(Subjects.agent, { DATA_DIR: yield* directory })
      const points = Tier.some(yield* Kills.points(world), 2)
      const { at } = yield* Kills.make(world)
      const kills = yield* Kills.throughAll("embedded", points, at)
      assert.isAtLeast(kills, Tier.size(1, 85))
    })))
})
