// Numbers, texts and secrets of options of a service that are none: each would weaken or close the service unseen.
import { assert, describe, it } from "@effect/vitest"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as DeclaredResources from "@svc-runtime/features/registry/DeclaredResources"
import { Redacted } from "effect"
import { areRefused, untyped } from "./Mistaken.ts"

const { Agent, Application, Local } = untyped

const serve = (options: object) => Application.make(options)
const authorization = (name: string, value: unknown) => () => serve({ authorization: { [name]: value } })
const limits = (name: string, value: unknown) => () => serve({ limits: { [name]: value } })

const refusal = (make: () => unknown): string | undefined => {
  try {
    make()
  } catch (error) {
    return error instanceof Mistake ? error.message : String(error)
  }
  return undefined
}

describe("values of options of a service", () => {
  for (const name of ["clockToleranceSeconds", "serviceAccountCacheSeconds"]) {
    it.each([NaN, Infinity, -Infinity, -1])(`a number that no time can have is refused: ${name} %s`, (value) => {
      assert.strictEqual(
        refusal(authorization(name, value)),
        `serve: authorization: ${name} must be a number of at least 0, and is the number ${value}`
      )
    })
  }

  for (const name of ["maxWaiting", "maxWaitingOfUser"]) {
    it.each([NaN, Infinity, -1, 0, 1.5])(`what is no number of runs is refused: ${name} %s`, (value) => {
      const sentence = `limits: ${name} must be a whole number of at least 1, and is the number ${value}`
      assert.strictEqual(refusal(limits(name, value)), `serve: ${sentence}`)
      assert.strictEqual(
        refusal(() => Local.configure({ limits: { [name]: value } })),
        `Local.configure: ${sentence}`
      )
    })
  }

  it.each(["temperature", "topP", "seed"])("a setting of models that is no finite number is refused: %s", (name) => {
    for (const value of [NaN, Infinity]) {
      assert.include(
        refusal(() => Agent.make({ id: "a", modelSettings: { [name]: value } })),
        `${name} must be a number, and is the number ${value}`
      )
    }
  })

  it.each([
    "adminScope",
    "issuer",
    "tokenHeader",
    "cookieName",
    "scopesClaim",
    "userIdClaim",
    "sessionIdClaim",
    "audienceClaim",
    "tenantClaim",
    "groupsClaim"
  ])("an empty text, as of a variable that is not set, is refused: %s", (name) => {
    for (const value of ["", "  "]) {
      assert.strictEqual(
        refusal(authorization(name, value)),
        `serve: authorization: ${name} must be a text that is not empty, and is the text '${value}'`
      )
    }
  })

  it.each(["securityKey", "internalToken"])("an empty secret is refused: %s", (name) => {
    for (const value of ["", " ", Redacted.make("")]) {
      assert.include(
        refusal(authorization(name, value)),
        `${name} must be a secret (a text or Redacted) that is not empty`
      )
    }
    assert.isUndefined(refusal(authorization(name, Redacted.make("k"))))
  })

  it("an empty key among others is refused, and no key is shown", () => {
    const message = refusal(authorization("verificationKeys", ["key-of-tokens", ""]))
    assert.include(message, "verificationKeys must be a list of secrets (texts or Redacted) that are not empty")
    assert.notInclude(message, "key-of-tokens")
  })

  it.each(["excludedRoutes", "dependenciesClaims", "sessionStateClaims"])("a list has texts only: %s", (name) => {
    for (const value of [[{}], [5], [""], ["/a", null]]) {
      assert.include(refusal(authorization(name, value)), `${name} must be a list of texts that are not empty`)
    }
  })

  it("numbers that are times are taken", () => {
    assert.isUndefined(refusal(authorization("clockToleranceSeconds", 0)))
    assert.isUndefined(refusal(authorization("serviceAccountCacheSeconds", 0.5)))
    assert.isUndefined(refusal(limits("maxWaiting", 1)))
  })

  areRefused([
    ...([
      ["scopes of routes", authorization("scopeMappings", new Map([["GET /agents", ["own:thing"]]])), "scopeMappings"],
      ["groups", authorization("groupRoles", new Map([["a", "b"]])), "groupRoles"]
    ] as const).map(([what, make, option]) =>
      [
        `${what} as a Map`,
        make,
        `serve: authorization: ${option} must be an object, and is a Map. Write Object.fromEntries(…) around it`
      ] as const
    ),
    [
      "limits as a Map",
      () => serve({ limits: new Map([["maxWaiting", 1]]) }),
      "serve: limits takes an object with options, and was given a Map. Write Object.fromEntries(…) around it"
    ],
    [
      "a scope in place of a list",
      authorization("scopeMappings", { "GET /agents": "agents:read" }),
      "serve: authorization: scopeMappings: GET /agents must be a list, and is the text 'agents:read'. " +
      "Write [ … ] around it"
    ],
    [
      "a tool of the registry",
      () => DeclaredResources.make({ tools: [{} as never] }),
      "The registry: tools[0] must be a tool, and is an empty object. Make it with Tool.make"
    ],
    [
      "an embedder",
      () => serve({ embedder: 5 }),
      "serve: embedder must be provider:model, an embedding model of the AI SDK, or an Embedder, and is the number 5"
    ],
    [
      "a judge",
      () => serve({ evaluations: { judge: true } }),
      "serve: evaluations.judge must be provider:model, or a model of the AI SDK, and is the boolean true"
    ]
  ])
})
