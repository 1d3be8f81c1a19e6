import { assert, it } from "@effect/vitest"
import * as StepPlace from "@svc-runtime/domain/StepPlace"
import { stepPlace } from "../../src/promise/index.ts"

it.each([
  { step_index: 2 },
  { step_index: [1, 0] },
  { id: "1/#2/>/0?0", step_index: 0 },
  { id: "1/$2/>/0/>/3?0", step_index: [3, 1] },
  { id: "0?0", step_index: 0 }
])("the client names the place of a step as the service does: %j", (step) => {
  assert.strictEqual(stepPlace(step), StepPlace.of(step))
})
