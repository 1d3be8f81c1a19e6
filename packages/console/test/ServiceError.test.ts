import { assert, describe, it } from "@effect/vitest"
import { SvcConnectionError, SvcError } from "@svc-runtime/client"
import { adviceOf, canBeRepeated, refusedFields } from "../src/parts/ServiceError.ts"

const refused = (status: number, body: unknown = {}) => new SvcError(status, body, new Headers())

const problem = (field: string, msg: string) => ({ loc: ["body", field], msg, type: "value_error" })

describe("An error of the service", () => {
  it("A request that is refused for what it has is not offered again.", () => {
    assert.isFalse(canBeRepeated(refused(422)))
    assert.isFalse(canBeRepeated(refused(403)))
    assert.isTrue(canBeRepeated(refused(429)))
    assert.isTrue(canBeRepeated(refused(503)))
    assert.isTrue(canBeRepeated(new SvcConnectionError("http://svc.example.com", new Error("cut"))))
  })

  it("Each refusal says the next step.", () => {
    for (const status of [400, 401, 403, 404, 409, 413, 422, 429, 500, 503]) {
      assert.isString(adviceOf(refused(status)), String(status))
    }
  })

  it("A field that the message names is shown once, and each of several fields is shown.", () => {
    const one = refused(422, {
      detail: "body.cron: not a cron expression",
      errors: [problem("cron", "not a cron expression")]
    })
    assert.deepStrictEqual(refusedFields(one), [])
    const two = refused(422, {
      detail: "2 fields are not valid",
      errors: [problem("cron", "not a cron expression"), problem("name", "is missing")]
    })
    assert.deepStrictEqual(refusedFields(two), ["cron: not a cron expression", "name: is missing"])
  })
})
