// What happens when two statements about runs of schedules meet in the database.
import { assert, layer } from "@effect/vitest"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer } from "effect"
import { during } from "../../../../postgres/test/during.ts"
import * as Schedule from "../Schedule.ts"
import { created } from "./ScheduleRunStoreSuite.ts"

layer(SqlStores.layer.pipe(Layer.provideMerge(PostgresLayer.layer)), { excludeTestServices: true })(
  "Statements about runs of schedules that meet",
  (it) => {
    it.effect("a triggered run whose first statement is in progress when it is repeated is stored, and not refused", () =>
      Effect.gen(function*() {
        const { one, runs, store } = yield* created()
        const trigger = store.trigger(one, Schedule.RunId.make(newId("run")))
        const outcome = yield* during(trigger, trigger)
        assert.deepInclude(outcome, { _tag: "Success", success: "stored" })
        assert.lengthOf(yield* runs, 1)
      }))
  }
)
