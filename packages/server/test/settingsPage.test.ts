// docs/reference/settings.md lists the settings that the service reads, with their defaults.
import { assert, describe, it } from "@effect/vitest"
import { recording } from "@svc-runtime/http/config/EnvironmentSettings"
import { Config } from "@svc-runtime/server"
import { ConfigProvider, Effect } from "effect"
import { readFileSync } from "node:fs"
import { inspect } from "node:util"

const page = readFileSync(new URL("../../../docs/reference/settings.md", import.meta.url), "utf8")

const rows = Array.from(page.matchAll(/^\| `([A-Z0-9_]+)` \| (.*?) \|/gm), ([, name = "", value = ""]) => {
  const [, fallback] = /^`([^`]+)`/.exec(value) ?? []
  return { name, fallback }
})

const read = (env: Readonly<Record<string, string>>) => {
  const { names, provider } = recording(ConfigProvider.fromUnknown(env))
  return Effect.map(
    Effect.provideService(Config, ConfigProvider.ConfigProvider, provider),
    // functions and hidden values are compared as text
    (config) => ({ config: inspect(config, { depth: null }), names })
  )
}

/** What reads them chooses their defaults: unset, they have no value here. */
const chosenLater = [
  "AUTHORIZATION",
  "ADMIN_SCOPE",
  "JWT_ALGORITHM",
  "JWT_SCOPES_CLAIM",
  "JWT_USER_ID_CLAIM",
  "LOG_FORMAT",
  "MCP_OAUTH_ALGORITHM",
  "MCP_OAUTH_SCOPES_CLAIM",
  "MCP_RESULT_MODE",
  "OTEL_TRACES_EXPORTER",
  "TOKEN_COOKIE",
  "TOKEN_SOURCE",
  "USER_ISOLATION",
  "WHEN_LIMITED"
]

describe("docs/reference/settings.md", () => {
  it.effect("the page lists each setting once, and no other name", () =>
    Effect.gen(function*() {
      const { names } = yield* read({})
      assert.deepStrictEqual(
        rows.map(({ name }) => name).toSorted(),
        [...names].filter((name) => name !== "").toSorted(),
        "a row for each setting in docs/reference/settings.md"
      )
    }))

  it.effect("a setting with the default of the page is the same as one that is not set", () =>
    Effect.gen(function*() {
      const { config } = yield* read({})
      const checked = rows.filter(({ fallback, name }) => fallback !== undefined && !chosenLater.includes(name))
      assert.isAbove(checked.length, 90)
      for (const { fallback = "", name } of checked) {
        assert.strictEqual((yield* read({ [name]: fallback })).config, config, name)
      }
    }))
})
