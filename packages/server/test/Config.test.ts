// What the environment says: defaults, and values that cannot work, which stop the start.
import { assert, describe, it } from "@effect/vitest"
import { Config } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { ConfigProvider, Duration, Effect } from "effect"

Tier.oneIn(2)

const read = (env: Readonly<Record<string, string>>) =>
  Effect.provide(Config, ConfigProvider.layer(ConfigProvider.fromUnknown(env)))

describe.each(
  [
    ["FACTORY_TIMEOUT", "factoryTimeout", 30],
    ["SHUTDOWN_TIMEOUT", "shutdownTimeout", 20],
    ["DRAIN_TIMEOUT", "drainTimeout", 5]
  ] as const
)("%s", (name, setting, seconds) => {
  it.effect("the setting has a default, and can be set", () =>
    Effect.gen(function*() {
      assert.strictEqual(Duration.toSeconds((yield* read({}))[setting]), seconds)
      assert.strictEqual(Duration.toSeconds((yield* read({ [name]: "2 minutes" }))[setting]), 120)
    }))

  it.effect("the setting stops the start when it is not a duration", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(read({ [name]: "soon" }))
      assert.match(error.message, new RegExp(`^A setting cannot be read\\. .*${name}`))
    }))
})

describe("MODEL", () => {
  it.effect("a model that no provider can have stops the start, and the error names the providers", () =>
    Effect.gen(function*() {
      for (const model of ["foo:bar", "gpt-5", "openai:"]) {
        const error = yield* Effect.flip(read({ MODEL: model }))
        assert.match(error.message, /^MODEL cannot be used\. .*openai/)
      }
    }))

  it.effect("a model of a provider without a key does not stop the start", () =>
    Effect.gen(function*() {
      for (const model of ["openai:gpt-5", "demo", "fixed:x", " demo "]) {
        assert.strictEqual((yield* read({ MODEL: model })).model, model)
      }
    }))
})

describe("JUDGE_MODEL", () => {
  it.effect("a judge that no provider can have stops the start, and one of a provider without a key does not", () =>
    Effect.gen(function*() {
      for (const judge of ["foo:bar", "gpt-5", "openai:"]) {
        const error = yield* Effect.flip(read({ JUDGE_MODEL: judge }))
        assert.match(error.message, /^JUDGE_MODEL cannot be used\. .*openai/)
      }
      assert.strictEqual((yield* read({ JUDGE_MODEL: "openai:gpt-5" })).judge, "openai:gpt-5")
      assert.isUndefined((yield* read({ MODEL: "demo" })).judge)
    }))
})

describe("EMBEDDER", () => {
  it.effect("an embedder that no provider can have stops the start, and the error names the providers", () =>
    Effect.gen(function*() {
      for (const embedder of ["anthropic:claude", "openai"]) {
        const error = yield* Effect.flip(read({ EMBEDDER: embedder }))
        assert.match(error.message, /^EMBEDDER cannot be used\. .*openai/)
      }
      assert.strictEqual((yield* read({ EMBEDDER: "demo" })).embedder, "demo")
    }))
})

describe("SECRETS_KEY", () => {
  it.effect("keys are read, the first one seals, and anything else stops the start without showing the text", () =>
    Effect.gen(function*() {
      const [one, two] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"))
      assert.deepStrictEqual((yield* read({})).secretKeys, [])
      assert.lengthOf((yield* read({ SECRETS_KEY: `${one}, ${two}` })).secretKeys, 2)
      const error = yield* Effect.flip(read({ SECRETS_KEY: `${one},hunter2` }))
      assert.strictEqual(
        error.message,
        "Key 2 of SECRETS_KEY is not 32 bytes in base64. Make one with `openssl rand -base64 32`."
      )
      const empty = yield* Effect.flip(read({ SECRETS_KEY: "" }))
      assert.match(empty.message, /^SECRETS_KEY is set and empty/)
    }))
})

describe("FETCH_ALLOW", () => {
  it.effect("hosts, addresses and networks are read, and anything else stops the start", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* read({})).fetch, { allowPrivate: false, allow: [] })
      const { fetch } = yield* read({ FETCH_ALLOW: "intra.example, 10.0.0.0/8", FETCH_ALLOW_PRIVATE: "true" })
      assert.deepStrictEqual(fetch, { allowPrivate: true, allow: ["intra.example", "10.0.0.0/8"] })
      const error = yield* Effect.flip(read({ FETCH_ALLOW: "https://intra.example" }))
      assert.match(error.message, /^FETCH_ALLOW cannot be used\. https:\/\/intra\.example is no host/)
    }))
})

const whole = "a whole number of at least"

const refused: ReadonlyArray<readonly [name: string, value: string, allowed: string]> = [
  ["MAX_RUNS", "0", `${whole} 1`],
  ["MAX_RUN_INPUT_BYTES", "0", `${whole} 1`],
  ["MAX_SOCKETS", "0", `${whole} 1`],
  ["MAX_SOCKETS_PER_CALLER", "-1", `${whole} 1`],
  ["EMBEDDER_DIMENSIONS", "0", `${whole} 1`],
  ["EMBEDDER_DIMENSIONS", "5000", "at most 4096"],
  ["EMBEDDER_REQUESTS_PER_MINUTE", "0", `${whole} 1`],
  ["EMBEDDER_TOKENS_PER_MINUTE", "many", `${whole} 1`],
  ["MAX_TAKEOVERS", "-1", `${whole} 0`],
  ["MAX_RESTORES", "-1", `${whole} 0`],
  ["MAX_RESTORED_RUN_BYTES", "0", `${whole} 1`],
  ["TOOL_RESULT_MAX_BYTES", "0", `${whole} 1`],
  ["HISTORY_MAX_BYTES", "-5", `${whole} 0`],
  ["RESPONSE_MAX_BYTES", "0", `${whole} 1`],
  ["MAX_JSON_BYTES", "0", `${whole} 1`],
  ["MAX_JSON_VALUES", "0", `${whole} 1`],
  ["MAX_FORM_BYTES", "-1", `${whole} 1`],
  ["MAX_HEADER_BYTES", "0", `${whole} 1`],
  ["MAX_UPLOAD_BYTES_IN_FLIGHT", "0", `${whole} 1`],
  ["DATABASE_CONNECTIONS", "0", `${whole} 1`],
  ["MAX_RUNS", "1.5", `${whole} 1`],
  ["MAX_RUNS", "many", `${whole} 1`],
  ["SHUTDOWN_TIMEOUT", "-1 seconds", "not negative"],
  ["DRAIN_TIMEOUT", "-1 seconds", "not negative"],
  ["EVENT_RETENTION", "-1 days", "not negative"],
  ["UNSERVED_TIMEOUT", "-1 minutes", "not negative"],
  ["NODE_TIMEOUT", "-1 seconds", "not negative"],
  ["NODE_TIMEOUT", "100 millis", "at least 1 second, or 0 seconds for never"],
  ["NODE_TIMEOUT", "8", "a length of time with its unit, such as '30 seconds'"],
  ["JOB_RETENTION", "a week", "a length of time with its unit, such as '30 seconds'"],
  ["PORT", "http", "a port from 0 to 65535"],
  ["PORT", "70000", "a port from 0 to 65535"]
]

describe("a setting that could only refuse everything or never end stops the start, by its name and with what is allowed", () => {
  it.effect.each(refused)("the setting %s=%s is refused: %s", ([name, value, allowed]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(read({ [name]: value }))
      assert.match(error.message, new RegExp(`^A setting cannot be read\\. ${name}=${value}: expected .*${allowed}`))
    }))

  it.effect("NODE_TIMEOUT=0 seconds is accepted: nodes do not take over from each other", () =>
    Effect.gen(function*() {
      assert.strictEqual(Duration.toSeconds((yield* read({ NODE_TIMEOUT: "0 seconds" })).nodeTimeout), 0)
    }))
})

describe("settings that cannot be read", () => {
  it.effect.each<readonly [string, string, string]>([
    ["DOCS_ENABLED", "maybe", "A setting cannot be read. DOCS_ENABLED=maybe: expected true or false"],
    ["LOG_FORMAT", "pretty", "A setting cannot be read. LOG_FORMAT=pretty: expected one of json, readable, auto"],
    ["TOKEN_SOURCE", "url", "A setting cannot be read. TOKEN_SOURCE=url: expected one of header, cookie, both"],
    ["PORT", "http", "A setting cannot be read. PORT=http: expected a port from 0 to 65535, such as 7777"],
    [
      "MAX_RUNS",
      "x".repeat(100),
      `A setting cannot be read. MAX_RUNS=${"x".repeat(80)}…: expected a whole number of at `
    ]
  ])(
    "the error about %s=%s has the name, the value and what is expected",
    ([name, value, sentence]) =>
      Effect.gen(function*() {
        const { message } = yield* Effect.flip(read({ [name]: value }))
        assert.isTrue(message.startsWith(sentence), message)
      })
  )

  it.effect("the value of a secret is not shown", () =>
    Effect.gen(function*() {
      for (const value of ["Bearer hunter2", "my key=hunter2"]) {
        const { message } = yield* Effect.flip(
          read({ OTEL_TRACES_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_HEADERS: value })
        )
        assert.match(
          message,
          /^A setting cannot be read\. OTEL_EXPORTER_OTLP_HEADERS \(its value is not shown\): expected/
        )
        assert.notInclude(message, "hunter2")
      }
    }))

  it.effect("flags and choices are read in any case, and an empty variable counts as unset", () =>
    Effect.gen(function*() {
      const { docs, logging } = yield* read({ DOCS_ENABLED: "Off", LOG_FORMAT: "JSON", LOG_LEVEL: "ERROR" })
      assert.deepStrictEqual([docs, logging.format, logging.levels.other], [false, "json", "Error"])
      const unset = yield* read({ DOCS_ENABLED: "", LOG_FORMAT: "auto" })
      assert.deepStrictEqual([unset.docs, unset.logging.format], [true, undefined])
    }))
})

describe("variables with names like those of settings", () => {
  it.effect("each one is named with the setting that is probably meant", () =>
    Effect.gen(function*() {
      const env = { MODL: "demo", SVC_PORT: "80", DATABSE_URL: "x", ANTROPIC_API_KEY: "x", PORT: "7777", HOME: "/root" }
      const provider = ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
      const { misspelt } = yield* Effect.provide(Config, provider)
      assert.deepStrictEqual([...misspelt].sort(), [
        "ANTROPIC_API_KEY is no setting and is ignored. If ANTHROPIC_API_KEY is meant, rename it",
        "DATABSE_URL is no setting and is ignored. If DATABASE_URL is meant, rename it",
        "MODL is no setting and is ignored. If MODEL is meant, rename it",
        "SVC_PORT is no setting and is ignored. If PORT is meant, rename it"
      ])
    }))

  it.effect("an environment with usual variables and those of other tools has none", () =>
    Effect.gen(function*() {
      const usual =
        "HOME PATH USER LANG TERM SHELL PWD OLDPWD HOSTNAME NODE_ENV NODE_VERSION NODE_OPTIONS TZ SHLVL LOGNAME CI " +
        "EXA_API_KEY ZAI_API_KEY TAVILY_API_KEY SERPER_API_KEY JINA_API_KEY VOYAGE_API_KEY E2B_API_KEY FAL_API_KEY " +
        "GEMINI_API_KEY GOOGLE_API_KEY NVIDIA_API_KEY LINEAR_API_KEY NOTION_API_KEY LANGSMITH_API_KEY HF_TOKEN " +
        "OPENAI_ORG_ID OPENAI_API_BASE AWS_PROFILE AWS_DEFAULT_REGION GITHUB_TOKEN NPM_TOKEN SENTRY_DSN REDIS_URL " +
        "DB_URL POSTGRES_URL PGHOST PGDATABASE HOST HTTP_PROXY NO_PROXY LOGS EDITOR PAGER DEBUG COLOR DISPLAY MAIL"
      const env = Object.fromEntries(usual.split(" ").map((name) => [name, "x"]))
      const provider = ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
      assert.deepStrictEqual((yield* Effect.provide(Config, provider)).misspelt, [])
    }))
})

describe("the MCP server", () => {
  it.effect("operators choose the tags of its tools, and whether they show whole runs", () =>
    Effect.gen(function*() {
      const { mcp: { options: unset } } = yield* read({})
      assert.deepStrictEqual(unset, { includeTags: undefined, resultMode: undefined })
      const { mcp: { options } } = yield* read({ MCP_TAGS: "core", MCP_RESULT_MODE: "full" })
      assert.deepStrictEqual(options, { includeTags: ["core"], resultMode: "full" })
      const error = yield* Effect.flip(read({ MCP_RESULT_MODE: "short" }))
      assert.match(error.message, /MCP_RESULT_MODE/)
    }))
})

describe("protocols", () => {
  it.effect("every protocol is on, and can be turned off or moved", () =>
    Effect.gen(function*() {
      const { protocols } = yield* read({ CHAT: "false", OPENAI_PREFIX: "/api/openai", AGUI_COMPONENT: "assistant" })
      assert.deepStrictEqual(protocols.chat, { enabled: false })
      assert.deepStrictEqual(protocols.openai, { enabled: true, prefix: "/api/openai" })
      assert.deepStrictEqual(protocols.agui, { enabled: true, prefix: "", component: "assistant" })
    }))

  it.effect("a prefix that cannot be a path stops the start", () =>
    Effect.gen(function*() {
      const env = { OPENAI_PREFIX: "v1", COPILOTKIT_PREFIX: "/a b", AGUI_PREFIX: "/x/" }
      for (const [name, value] of Object.entries(env)) {
        const error = yield* Effect.flip(read({ [name]: value }))
        assert.match(error.message, new RegExp(`^A setting cannot be read\\. .*${name}`))
      }
    }))
})
