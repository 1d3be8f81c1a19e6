import { assert, describe, it } from "@effect/vitest"
import { assistantWith } from "@svc-runtime/examples/recipes/failover"
import * as guardrail from "@svc-runtime/examples/recipes/guardrail"
import * as limits from "@svc-runtime/examples/recipes/limits"
import * as roles from "@svc-runtime/examples/recipes/roles"
import * as tenants from "@svc-runtime/examples/recipes/tenants"
import { applicationWith } from "@svc-runtime/examples/recipes/users"
import * as Tier from "@svc-runtime/test-support/Tier"
import { assertCompleted, failStatus, scriptedModel, testService } from "@svc-runtime/testing"
import { createHmac } from "node:crypto"

Tier.oneIn(3)

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

describe("recipes about safety and limits", () => {
  it("the model does not get the address of a customer", async () => {
    const model = scriptedModel(["Thank you."])
    await using service = await testService({ ...guardrail.application, model })
    const run = await service.agent("desk").run("My address is ann@example.com, and my parcel is late.")
    assertCompleted(run)
    assert.notInclude(model.transcript, "ann@example.com")
    assert.include(model.transcript, "my parcel is late")
  })

  it("the third run of a tenant within a minute is refused, and the run of another tenant is not", async () => {
    await using service = await testService({ ...limits.application, model: scriptedModel(["1", "2", "3"]) })
    const runOf = (user_id: string) => service.agent("assistant").run({ message: "Hi", user_id })
    await runOf("acme")
    await runOf("acme")
    const refused = await runOf("acme").catch((error) => error)
    assert.deepStrictEqual([refused.status, refused.retryAfter], [429, 60])
    assertCompleted(await runOf("tea-house"))
  })

  it("the second model answers if the first one fails", async () => {
    const [first, second] = [scriptedModel([failStatus(503)]), scriptedModel(["Hello."])]
    await using service = await testService({ agents: [assistantWith(first, second)] })
    const run = await service.until(service.agent("assistant").run("Hi"))
    assert.deepStrictEqual([run.status, run.content], ["COMPLETED", "Hello."])
    assert.strictEqual(first.remaining, 0)
  })

  it("each tenant has its own instructions, and an unknown one is refused", async () => {
    const model = scriptedModel(["How can I help?"])
    await using service = await testService({ ...tenants.application, models: { support: model } })
    const runOf = (tenant: string) => service.agent("support").run({ message: "Hi", factory_input: { tenant } })
    assertCompleted(await runOf("acme"))
    assert.include(model.transcript, "anvils")
    assert.strictEqual((await runOf("moon").catch((error) => error)).status, 403)
  })

  it("a user does not find the session of another user", async () => {
    const key = "a key of the tests, with 32 characters or more"
    const tokenOf = (sub: string) => {
      const scopes = ["agents:run", "agents:read", "sessions:read"]
      const content = `${encoded({ alg: "HS256" })}.${encoded({ sub, scopes, exp: Date.UTC(2030, 0) / 1000 })}`
      return `${content}.${createHmac("sha256", key).update(content).digest("base64url")}`
    }
    const model = scriptedModel(["Hello."])
    await using service = await testService({ ...applicationWith(key), model, token: tokenOf("ann") })
    assertCompleted(await service.agent("assistant").run({ message: "Hi", session_id: "first" }))
    const statusFor = async (user: string) =>
      (await service.fetch("/sessions/first", { headers: { authorization: `Bearer ${tokenOf(user)}` } })).status
    assert.deepStrictEqual([await statusFor("ann"), await statusFor("bob")], [200, 404])
  })

  it("a group has the scopes of its role, and the same user of another tenant finds nothing", async () => {
    const key = "a key of the tests, with 32 characters or more"
    const tokenOf = (org_id: string, groups: ReadonlyArray<string>) => {
      const claims = { sub: "ann", org_id, groups, exp: Date.UTC(2030, 0) / 1000 }
      const content = `${encoded({ alg: "HS256" })}.${encoded(claims)}`
      return `${content}.${createHmac("sha256", key).update(content).digest("base64url")}`
    }
    const token = tokenOf("acme", ["support-team"])
    await using service = await testService({ ...roles.applicationWith(key), model: scriptedModel(["Hello."]), token })
    assertCompleted(await service.agent("desk").run({ message: "Hi", session_id: "first" }))
    const statusFor = async (tenant: string, ...groups: ReadonlyArray<string>) =>
      (await service.fetch("/sessions/first", { headers: { authorization: `Bearer ${tokenOf(tenant, groups)}` } }))
        .status
    assert.deepStrictEqual(
      [await statusFor("acme", "leads"), await statusFor("acme"), await statusFor("globex", "support-team")],
      [200, 403, 404]
    )
  })
})
