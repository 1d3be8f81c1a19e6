import { assert, describe, it } from "@effect/vitest"
import * as TraceTree from "../TraceTree.ts"
import { at, detail, span, spanIds, trace } from "./TreeSpans.ts"

describe("TraceTree", () => {
  it("durations below a second are in milliseconds, and others in seconds with two decimals", () => {
    assert.deepStrictEqual([0, 0.4, 999.9, 1000, 2500, 61_234].map(TraceTree.durationText), [
      "0ms",
      "0ms",
      "999ms",
      "1.00s",
      "2.50s",
      "61.23s"
    ])
  })

  it("a root has the tokens of all requests to models, and the detail has its input and output", () => {
    const tokens = (input: number, output: number) => ({
      attributes: {
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": input,
        "gen_ai.usage.output_tokens": output,
        "input.value": "asked",
        "output.value": "said"
      }
    })
    const { input, output, tree: [root, ...others] } = detail([
      span("c", "root", [20, 30], "LLM", tokens(5, 3)),
      span("root", null, [0, 2500], "AGENT", {
        agent_id: "helper",
        attributes: { "svc.agent.id": "helper", "input.value": "Hi", "output.value": "Hello" }
      }),
      span("a", "root", [1, 1.5], "LLM", tokens(2, 1)),
      span("b", "root", [2, 3], "TOOL", {
        attributes: { "gen_ai.tool.name": "weather", "input.value": "{\"city\":\"Bern\"}", "output.value": "21" }
      })
    ])
    assert.deepStrictEqual([input, output, others.length], ["Hi", "Hello", 0])
    assert.deepStrictEqual(
      {
        ...root,
        spans: root?.spans?.map(({ input, metadata, name, output, type }) => ({ input, metadata, name, output, type }))
      },
      {
        id: spanIds.root,
        name: "root",
        type: "AGENT",
        status: "OK",
        duration: "2.50s",
        start_time: "2026-11-20T10:00:00Z",
        end_time: "2026-11-20T10:00:02.500000Z",
        metadata: { total_input_tokens: 7, total_output_tokens: 4 },
        spans: [
          {
            name: "a",
            type: "LLM",
            input: "asked",
            output: "said",
            metadata: { model: "m", input_tokens: 2, output_tokens: 1, session_id: "s1", user_id: "ada" }
          },
          {
            name: "b",
            type: "TOOL",
            input: "{\"city\":\"Bern\"}",
            output: "21",
            metadata: {
              tool_name: "weather",
              parameters: "{\"city\":\"Bern\"}",
              session_id: "s1",
              user_id: "ada"
            }
          },
          {
            name: "c",
            type: "LLM",
            input: "asked",
            output: "said",
            metadata: { model: "m", input_tokens: 5, output_tokens: 3, session_id: "s1", user_id: "ada" }
          }
        ]
      }
    )
  })

  it("the tokens of a root are those of its run, without those of background jobs, unless there are only jobs", () => {
    const judge = (parent: "root" | "job") =>
      span("c", parent, [20, 30], "LLM", { is_after_run: true, attributes: { "gen_ai.usage.input_tokens": 5 } })
    const run = [
      span("root", null, [0, 9], "AGENT", { agent_id: "helper" }),
      span("a", "root", [1, 2], "LLM", { attributes: { "gen_ai.usage.input_tokens": 2 } })
    ]
    const job = span("job", "root", [19, 31], "CHAIN", { is_after_run: true })
    assert.deepStrictEqual(detail([...run, job, judge("job")]).tree[0]?.metadata, { total_input_tokens: 2 })
    assert.deepStrictEqual(detail([job, judge("job")]).tree[0]?.metadata, { total_input_tokens: 5 })
  })

  it("a run that was cancelled or is paused says so, because the trace and its node do not", () => {
    const ended = (status: string) => ({ status: "UNSET", attributes: { "svc.run.status": status } }) as const
    const [root] = detail([
      span("root", null, [0, 9], "AGENT", ended("CANCELLED")),
      span("a", "root", [1, 2], "CHAIN", ended("PAUSED")),
      span("b", "root", [2, 3], "AGENT", { attributes: { "svc.run.status": "COMPLETED" } })
    ]).tree
    assert.deepStrictEqual(
      [root?.metadata, ...(root?.spans ?? []).map(({ metadata }) => metadata)].map((found) => found?.["run_status"]),
      ["CANCELLED", "PAUSED", undefined]
    )
  })

  it("a node has the attributes that its author has set, limited and without credentials, beside its own", () => {
    const attributes = {
      "shop.product": "tea",
      "shop.count": 2,
      "shop.key": "Bearer abcdefghijkl",
      "shop.names": ["green", "black"],
      "db.table": "teas",
      session_id: "forged",
      "http.request.header.x-token": "secret"
    }
    const ofService = { "user.id": "ada", "svc.attempt": 1, "gen_ai.tool.name": "stock", constructor: "tea" }
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`many.${index}`, "x ".repeat(1000)]))
    const [root] = detail([
      span("root", null, [0, 9], "AGENT"),
      span("a", "root", [1, 2], "UNKNOWN", {
        attributes: { ...attributes, ...ofService },
        authored: Object.keys(attributes)
      }),
      span("b", "root", [2, 3], "TOOL", { attributes: many, authored: Object.keys(many) })
    ]).tree
    assert.deepStrictEqual(root?.spans?.[0]?.metadata, {
      "shop.product": "tea",
      "shop.count": 2,
      "shop.key": "Bearer [redacted]",
      "shop.names": ["green", "black"],
      "db.table": "teas",
      session_id: "s1",
      user_id: "ada"
    })
    const shown = Object.entries(root?.spans?.[1]?.metadata ?? {}).filter(([name]) => name.startsWith("many."))
    assert.lengthOf(shown, 32)
    for (const [, value] of shown) assert.isAtMost(String(value).length, 1000)
  })

  it("a statement has its own type, and a step of an author with the same attributes does not", () => {
    const attributes = {
      "db.namespace": "main-db",
      "db.collection.name": "runs",
      "db.operation.name": "finish",
      "db.query.summary": "finish runs"
    }
    const [root] = detail([
      span("root", null, [0, 9], "CHAIN"),
      span("a", "root", [1, 2], "CHAIN", { attributes }),
      span("b", "root", [2, 3], "CHAIN", { attributes, authored: Object.keys(attributes) })
    ]).tree
    assert.deepStrictEqual(root?.spans?.map(({ type }) => type), ["STATEMENT", "WORKFLOW"])
    assert.deepStrictEqual(root?.spans?.[0]?.metadata, {
      database: "main-db",
      store: "runs",
      method: "finish",
      session_id: "s1",
      user_id: "ada"
    })
  })

  it("the steps of a workflow have their types, and the last one gives the output of a root without any", () => {
    const { output, tree: [root] } = detail([
      span("root", null, [0, 2500], "CHAIN", {
        attributes: {
          "svc.workflow.steps_count": 2,
          "svc.workflow.steps": ["one", "two"],
          "svc.workflow.step_types": ["Step", "Parallel"]
        }
      }),
      span("queue", "root", [0, 1], "CHAIN"),
      span("a", "root", [1, 2], "CHAIN", { attributes: { "svc.step.type": "Step", "output.value": "first" } }),
      span("b", "root", [3, 4], "CHAIN", { attributes: { "svc.step.type": "Parallel", "output.value": "second" } }),
      span("job", "root", [5, 6], "CHAIN"),
      span("c", "b", [3, 4], "AGENT", { attributes: { "svc.team.id": "crew" } })
    ])
    assert.strictEqual(output, "second")
    assert.deepStrictEqual(root?.metadata, {
      steps_count: 2,
      steps: ["one", "two"],
      step_types: ["Step", "Parallel"]
    })
    assert.deepStrictEqual(root?.spans?.map(({ step_type }) => step_type), [undefined, "Step", "Parallel", undefined])
    const team = root?.spans?.[2]?.spans?.[0]
    assert.strictEqual(team?.type, "TEAM")
    assert.isUndefined(team?.step_type)
  })

  it("a run that was continued has the input of its first root, the output of its last one, and its own figures", () => {
    const tokens = (input: number) => ({ attributes: { "gen_ai.usage.input_tokens": input } })
    const run = (more: Readonly<Record<string, string>>) => ({
      attributes: { "gen_ai.operation.name": "invoke_agent", ...more }
    })
    const { input, output, tree } = detail([
      span("root", null, [0, 500], "AGENT", { status: "UNSET", ...run({ "input.value": "Hi" }) }),
      span("a", "root", [1, 400], "LLM", tokens(5)),
      span("b", null, [2000, 2500], "AGENT", run({ "output.value": "Hello" })),
      span("c", "b", [2100, 2200], "LLM", tokens(7)),
      span("queue", null, [2300, 2400], "AGENT", { ...run({ "output.value": "of another run" }), run_id: "r2" })
    ])
    assert.deepStrictEqual([input, output], ["Hi", "Hello"])
    assert.deepStrictEqual(
      tree.map(({ duration, end_time, metadata, start_time }) => [start_time, end_time, duration, metadata]),
      [
        ["2026-11-20T10:00:00Z", "2026-11-20T10:00:00.500000Z", "500ms", { total_input_tokens: 5 }],
        ["2026-11-20T10:00:02Z", "2026-11-20T10:00:02.500000Z", "500ms", { total_input_tokens: 7 }],
        ["2026-11-20T10:00:02.300000Z", "2026-11-20T10:00:02.400000Z", "100ms", undefined]
      ]
    )
  })

  it("a workflow that is paused has no output, although steps have some", () => {
    const { output } = detail([
      span("root", null, [0, 2500], "CHAIN", { status: "UNSET" }),
      span("a", "root", [1, 2], "CHAIN", { attributes: { "svc.step.type": "Step", "output.value": "first" } })
    ])
    assert.isUndefined(output)
  })

  it("a span that failed has its error instead of its output", () => {
    const failed = span("a", "root", [1, 2], "TOOL", {
      status: "ERROR",
      attributes: { "output.value": "half" },
      events: [{ name: "exception", time: at(2), attributes: { "exception.message": "no network" } }]
    })
    const root = span("root", null, [0, 2500], "AGENT", { attributes: { "output.value": "Hello" } })
    const { error, error_count, output, tree } = detail([root, failed], { ...trace, status: "ERROR" })
    assert.deepStrictEqual([error, error_count, output], ["no network", 1, undefined])
    const node = tree[0]?.spans?.[0]
    assert.deepStrictEqual([node?.error, node?.output, node?.status], ["no network", undefined, "ERROR"])
  })

  it("a span whose parent is not stored is below the run of its time, if there is one", () => {
    const run = { attributes: { "gen_ai.operation.name": "invoke_agent" } }
    const { tree } = detail([
      span("a", "c", [10, 20], "LLM", { attributes: { "gen_ai.usage.input_tokens": 5 } }),
      span("root", null, [30, 80], "AGENT", run),
      span("b", "c", [50, 90], "LLM"),
      span("queue", null, [40, 99], "AGENT", { ...run, run_id: "r2" }),
      span("job", "c", [60, 70], "LLM", { run_id: "r2" }),
      span("other", "c", [65, 70], "LLM", { user_id: "bob" })
    ])
    assert.deepStrictEqual(tree.map(({ name, spans }) => [name, spans?.map(({ name }) => name)]), [
      ["a", undefined],
      ["root", ["b"]],
      ["queue", ["job"]],
      ["other", undefined]
    ])
  })

  it("a span whose parent is not stored is not below a run that is below it", () => {
    const run = { attributes: { "gen_ai.operation.name": "invoke_agent" }, is_root: true, run_id: "r2" }
    const { tree } = detail([span("a", "c", [20, 30], "TOOL"), span("queue", "a", [10, 80], "AGENT", run)])
    assert.deepStrictEqual(tree.map(({ name, spans }) => [name, spans?.length]), [["a", 1]])
  })

  it("a span whose parent is not stored is a root, and spans that name each other as parents are left out", () => {
    const { tree } = detail([
      span("a", "root", [1, 2], "LLM"),
      span("b", "c", [1, 2], "LLM"),
      span("c", "b", [1, 2], "LLM")
    ])
    assert.deepStrictEqual(tree.map(({ name }) => name), ["a"])
  })
})
