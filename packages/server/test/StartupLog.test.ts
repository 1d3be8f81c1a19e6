// What a service logs at start about the models that it uses, and about settings that it ignores.
import { assert, describe, it } from "@effect/vitest"
import * as Guardrail from "@svc-runtime/agents/guardrail/Guardrail"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Features from "@svc-runtime/features/features"
import * as Knowledge from "@svc-runtime/features/knowledge/KnowledgeBase"
import * as Team from "@svc-runtime/features/Team"
import { Config } from "@svc-runtime/server"
import { ConfigProvider, Effect, Redacted } from "effect"
import {
  describeComponents,
  describeModels,
  describeTraces,
  ignoredSettings,
  unusableEmbedders,
  unusableJudge,
  unusableModels,
  unusableRunModels,
  wholeAnswers
} from "../src/application/StartupLog.ts"

const openaiApiKey = Redacted.make("key")

describe("the log at start", () => {
  it("the line of the models says where texts are sent for their vectors", () => {
    assert.include(describeModels({ openaiApiKey }), "Model: openai:gpt-5. Embedder: openai:text-embedding-3-small")
    assert.include(describeModels({ embedder: "google:one" }), "Embedder: google:one")
    assert.include(describeModels({}), "Embedder: the demo embedder, which compares words")
  })

  it.effect.each([
    [{}, "Traces: stored for 14d"],
    [{ TRACES: "false" }, "Traces: neither stored nor sent (set TRACES or OTEL_EXPORTER_OTLP_ENDPOINT)"],
    [{ DATABASE_URL: "postgres://h/d" }, "Traces: neither stored nor sent (set TRACES or OTEL_EXPORTER_OTLP_ENDPOINT)"],
    [{ DATABASE_URL: "postgres://h/d", TRACES: "true", TRACE_RETENTION: "2 hours" }, "Traces: stored for 2h"],
    [{ TRACE_RETENTION: "0 seconds" }, "Traces: stored for ever"],
    [
      { TRACES: "false", OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" },
      "Traces: sent to http://collector:4318/v1/traces"
    ],
    [
      {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://me:hidden@collector/in/v1/traces?api-key=hidden",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=hidden"
      },
      "Traces: stored for 14d; sent to https://collector/in/v1/traces"
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_SDK_DISABLED: "true" }, "Traces: stored for 14d"]
  ])("the line about traces at start with the settings %j is: %s", ([env, line]) =>
    Effect.gen(function*() {
      const config = yield* Effect.provide(Config, ConfigProvider.layer(ConfigProvider.fromUnknown(env)))
      const features = Features.configured(Features.features, config.features)
      assert.strictEqual(yield* describeTraces(config, features), line)
    }))

  it.effect("the log has the variables that are misspelt, and those of OpenTelemetry whose values are ignored", () =>
    Effect.gen(function*() {
      const env = { MODLE: "demo", OTEL_TRACES_SAMPLER: "xray", OTEL_PROPAGATORS: "tracecontext" }
      const provider = ConfigProvider.layer(ConfigProvider.fromUnknown(env))
      const lines = ignoredSettings(yield* Effect.provide(Config, provider), undefined)
      assert.deepStrictEqual(lines.map((line) => line.slice(0, 29)), [
        "MODLE is no setting and is ig",
        "OTEL_TRACES_SAMPLER=xray is n"
      ])
    }))

  it("a service without an embedder says what it cannot do, and the setting", () => {
    const line = "Embedder: none, so nothing is found by its meaning (set EMBEDDER)"
    assert.include(describeModels({ openaiApiKey, embedder: "none" }), line)
    assert.include(describeModels({ model: "anthropic:claude-sonnet-4-5" }), line)
  })

  it("a background model that cannot be used is named with what to set, and no other", () => {
    const agents = [
      Agent.make({ id: "a", memory: { model: "openai:gpt-5" }, sessionSummaries: true }),
      Agent.make({ id: "b", model: "openai:gpt-5", memory: { update: "inline" }, learning: true })
    ]
    const teams = [Team.make({ id: "t", model: "google:one", members: agents, learning: { mode: "always" } })]
    const [first, second, ...others] = unusableModels({}, { agents, teams })
    assert.match(first ?? "", /^The jobs for memory of 'a' will fail\. OPENAI_API_KEY is not set, and the model/)
    assert.match(second ?? "", /^The jobs for learning of 't' will fail\. GOOGLE_/)
    assert.deepStrictEqual(others, [])
    assert.lengthOf(unusableModels({ openaiApiKey }, { agents, teams }), 1)
  })

  it("a judge of the service is named with the models, and with what to set if it cannot be used", () => {
    assert.include(describeModels({ model: "demo", judge: "openai:gpt-5" }), ". Judge: openai:gpt-5. Embedder: ")
    assert.notInclude(describeModels({ model: "demo" }), "Judge")
    const [line, ...others] = unusableJudge({ judge: "openai:gpt-5" })
    assert.match(line ?? "", /^Judges of evaluations will fail\. OPENAI_API_KEY is not set, .* in JUDGE_MODEL/)
    const usable = [unusableJudge({ openaiApiKey, judge: "openai:gpt-5" }), unusableJudge({})].flat()
    assert.deepStrictEqual([...others, ...usable], [])
  })

  it("an embedder that cannot be used is named with what to set, and no other", () => {
    const bases = [
      Knowledge.make({ name: "a", embedder: "google:one" }),
      Knowledge.make({ name: "b" }),
      Knowledge.make({ name: "c", embedder: "none" })
    ]
    const used = [...bases, ...bases]
    const [first, second, ...others] = unusableEmbedders({ embedder: "openai:one" }, used)
    assert.match(first ?? "", /^Nothing is embedded\. OPENAI_API_KEY is not set, and the embedder openai:one needs it/)
    assert.match(second ?? "", /^Uploads to the knowledge 'a' will fail\. GOOGLE_/)
    assert.deepStrictEqual(others, [])
    assert.lengthOf(unusableEmbedders({ openaiApiKey }, bases), 1)
    assert.deepStrictEqual(unusableEmbedders({}, bases.slice(1)), [])
  })

  it("components whose answers are shown as a whole are named, with the guardrails and hooks that need it", () => {
    const moderation = Guardrail.moderation({ apiKey: "key" })
    const agents = [
      Agent.make({ id: "orders", hooks: [moderation] }),
      Agent.make({ id: "desk", hooks: [Guardrail.pii(), Guardrail.secrets()] }),
      Agent.make({ id: "news", hooks: [moderation, { name: "footer", afterRun: () => undefined }] })
    ]
    const member = Agent.make({ id: "member", hooks: [moderation] })
    const teams = [Team.make({ id: "team", members: [member] })]
    assert.deepStrictEqual(wholeAnswers({ agents, teams, workflows: [] }), [
      "Answers of orders, member are shown as a whole, because of the guardrail moderation",
      "Answers of news are shown as a whole, because of the guardrail moderation and the hook footer"
    ])
  })

  it("runs of an agent whose model cannot be used do not fail where a fallback model can be used", () => {
    const agents = [
      Agent.make({ id: "a", model: "openai:gpt-5", fallbackModels: ["google:one", "demo"] }),
      Agent.make({ id: "b", model: "openai:gpt-5", fallbackModels: ["google:one"] })
    ]
    const [first, second, ...others] = unusableRunModels({}, { agents, teams: [], workflows: [] })
    assert.match(first ?? "", /^Runs of a use a fallback model\. OPENAI_API_KEY is not set/)
    assert.match(second ?? "", /^Runs of b will fail\. OPENAI_API_KEY is not set/)
    assert.deepStrictEqual(others, [])
  })

  it("a model that cannot be used is named once, with the components whose runs will fail and what to set", () => {
    const member = Agent.make({ id: "member" })
    const agents = [Agent.make({ id: "a" }), Agent.make({ id: "b", model: "google:one" })]
    const served = { agents, teams: [Team.make({ id: "t", members: [member] })], workflows: [] }
    const [first, second, ...others] = unusableRunModels({ model: "openai:gpt-5" }, served)
    assert.match(first ?? "", /^Runs of a, t, member will fail\. OPENAI_API_KEY is not set, and the model openai:gpt-5/)
    assert.match(second ?? "", /^Runs of b will fail\. GOOGLE_/)
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(unusableRunModels({ model: "demo" }, { ...served, agents: agents.slice(0, 1) }), [])
  })

  it("the components are named by their ids, many of a kind by ten and their number", () => {
    const agents = Array.from({ length: 12 }, (_, index) => Agent.make({ id: `a${index}` }))
    const workflows = [Workflow.make({ id: "w", steps: [() => "Done."] })]
    assert.strictEqual(
      describeComponents({ agents, teams: [], workflows }),
      "Agents: a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 and 2 more. Workflows: w"
    )
    assert.strictEqual(
      describeComponents({ agents: [], teams: [], workflows: [] }),
      "There are no agents, teams or workflows"
    )
  })

  it("an embedder of the author is named by its id", () => {
    const embedder = { id: "mine", dimensions: 2, maxPerCall: 1, embedMany: () => Effect.succeed([]) }
    assert.include(describeModels({ embedder }), "Embedder: mine")
  })
})
