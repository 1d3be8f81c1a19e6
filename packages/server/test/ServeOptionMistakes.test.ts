// Values of the options of a service that settings of the environment often give by mistake: no number, and no text.
import { assert, describe, it } from "@effect/vitest"
import { areRefused, untyped } from "./Mistaken.ts"

const { Application } = untyped
const authorized = (authorization: object) => () => Application.make({ authorization })
const limited = (limits: object) => () => Application.make({ limits })

const seconds = "must be a number of at least 0, and is the number"
const waiting = "must be a whole number of at least 0, and is the number"
const text = "must be a text that is not empty, and is the text ''"

describe("options of a service", () => {
  areRefused([
    [
      "tolerance NaN",
      authorized({ clockToleranceSeconds: NaN }),
      `serve: authorization: clockToleranceSeconds ${seconds} NaN`
    ],
    [
      "tolerance without an end",
      authorized({ clockToleranceSeconds: Infinity }),
      `serve: authorization: clockToleranceSeconds ${seconds} Infinity`
    ],
    [
      "tolerance below 0",
      authorized({ clockToleranceSeconds: -1 }),
      `serve: authorization: clockToleranceSeconds ${seconds} -1`
    ],
    [
      "cache NaN",
      authorized({ serviceAccountCacheSeconds: NaN }),
      `serve: authorization: serviceAccountCacheSeconds ${seconds} NaN`
    ],
    ["waiting NaN", limited({ maxWaiting: NaN }), `serve: limits: maxWaiting ${waiting} NaN`],
    ["waiting in part", limited({ maxWaiting: 0.5 }), `serve: limits: maxWaiting ${waiting} 0.5`],
    ["waiting below 0", limited({ maxWaitingOfUser: -1 }), `serve: limits: maxWaitingOfUser ${waiting} -1`],
    ...[
      "adminScope",
      "tokenHeader",
      "cookieName",
      "scopesClaim",
      "userIdClaim",
      "sessionIdClaim",
      "audienceClaim",
      "tenantClaim",
      "groupsClaim"
    ].map((option) =>
      [`empty ${option}`, authorized({ [option]: "" }), `serve: authorization: ${option} ${text}`] as const
    ),
    [
      "scopes of routes as a Map",
      authorized({ scopeMappings: new Map([["GET /agents", ["own:thing"]]]) }),
      "serve: authorization: scopeMappings must be an object, and is a Map. Write Object.fromEntries(…) around it"
    ],
    [
      "limits as a Map",
      limited(new Map([["maxWaiting", 1]])),
      "serve: limits takes an object with options, and was given a Map. Write Object.fromEntries(…) around it"
    ],
    [
      "groups as a Map",
      authorized({ groupRoles: new Map([["a", "b"]]) }),
      "serve: authorization: groupRoles must be an object, and is a Map. Write Object.fromEntries(…) around it"
    ]
  ])

  it("values that can be used are accepted", () => {
    assert.doesNotThrow(
      authorized({ clockToleranceSeconds: 0.5, serviceAccountCacheSeconds: 0, adminScope: "svc:admin" })
    )
    assert.doesNotThrow(limited({ maxWaiting: 0, maxWaitingOfUser: 5 }))
  })
})
