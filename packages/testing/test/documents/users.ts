// The block of docs/guides/testing.md with two users, which `node --test` runs, see nodeTest.whole.test.ts.
// #region
import { Agent } from "@svc-runtime/server"
import { assertCompleted, scriptedModel, testService } from "@svc-runtime/testing"
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { test } from "node:test"

const secret = "a secret of the tests, 32 characters or more"

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

const tokenOf = (user: string, ...scopes: ReadonlyArray<string>) => {
  const content = `${encoded({ alg: "HS256" })}.${encoded({ sub: user, scopes, exp: Date.UTC(2030, 0) / 1000 })}`
  return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`
}

test("a user does not find the session of another user", async () => {
  await using service = await testService({
    agents: [Agent.make({ id: "assistant", model: scriptedModel(["Hello, Ann."]) })],
    authorization: { enabled: true, algorithm: "HS256", verificationKeys: [secret] },
    token: tokenOf("ann", "agents:run", "agents:read")
  })
  assertCompleted(await service.agent("assistant").run({ message: "Hi", session_id: "first" }))
  const statusFor = async (user: string) => {
    const headers = { authorization: `Bearer ${tokenOf(user, "sessions:read")}` }
    return (await service.fetch("/sessions/first", { headers })).status
  }
  assert.equal(await statusFor("ann"), 200)
  assert.equal(await statusFor("bob"), 404)
})
// #endregion
