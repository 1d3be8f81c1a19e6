// What is wrong with the authorization of a test is an error, with its class and its place.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import { assert, describe, it } from "vitest"
import { testService } from "../src/index.ts"

const keys = { enabled: true, algorithm: "HS256", verificationKeys: ["x".repeat(40)] } as const

describe("authorization that cannot be used", () => {
  it.each<[string, object, string]>([
    ["an empty scope", { ...keys, roles: { r: [""] } }, "The role 'r' cannot be used"],
    ["a role in a role", { ...keys, roles: { r: ["role:other"] } }, "The role 'r' cannot be used"],
    ["a bad name of a role", { ...keys, roles: { "a b": ["agents:read"] } }, "The role 'a b' cannot be used"],
    ["a scope that is a number", { ...keys, roles: { r: [5] } }, "The role 'r' cannot be used"],
    ["roles of groups without a claim", { ...keys, groupRoles: { admins: "viewer" } }, "GROUPS_CLAIM"],
    ["an algorithm that does not exist", { ...keys, algorithm: "none" }, "JWT_ALGORITHM=none"],
    ["no key", { enabled: true }, "AUTHORIZATION"]
  ])("%s rejects with a mistake", async (_, authorization, sentence) => {
    const error: unknown = await testService({ authorization }).then(() => undefined, (error: unknown) => error)
    assert.instanceOf(error, Mistake)
    assert.include((error as Mistake).message, sentence)
    assert.include((error as Mistake).stack, (error as Mistake).message)
  })
})
