// The dashboard and the alert rules of docs/operate/observability, compared with the metrics that a service exports.
import { assert, describe, it } from "@effect/vitest"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as ProcessGauges from "@svc-runtime/http/process/ProcessGauges"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Layer } from "effect"
import { parse } from "effect/encoding/Yaml"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import * as PrometheusText from "./PrometheusText.ts"

interface Panel {
  readonly type: string
  readonly title: string
  readonly id: number
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly refId: string; readonly legendFormat: string }>
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: Readonly<Record<string, string>>
}

const read = (file: string): string =>
  readFileSync(new URL(`../../../docs/operate/observability/${file}`, import.meta.url), "utf8")

const { panels, schemaVersion }: { readonly panels: ReadonlyArray<Panel>; readonly schemaVersion: number } = JSON.parse(
  read("grafana.json")
)
const { groups } = parse(read("alerts.yml")) as {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }>
}
const rules = groups.flatMap(({ rules }) => rules)

/** With the names of the labels in their legends and texts. */
const queries = [
  ...panels.flatMap(({ targets = [], title }) =>
    targets.map(({ expr, legendFormat }) => ({ title, expr, shown: legendFormat.matchAll(/\{\{(\w+)\}\}/g) }))
  ),
  ...rules.map(({ alert, annotations, expr }) => ({
    title: alert,
    expr,
    shown: Object.values(annotations).join().matchAll(/\$labels\.(\w+)/g)
  }))
]

const names = (matches: Iterable<RegExpMatchArray>) => [...matches].map(([, name = ""]) => name)

/** Exported with PostgreSQL only, and after a request to a provider of models. */
const elsewhere: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["svc_database_connections", []],
  ["svc_database_connections_waiting", []],
  ["svc_database_connections_max", []],
  ["svc_model_provider_stopped", ["provider"]]
]

/** The names in the table of docs/operate/observability.md. */
const documented = readFileSync(new URL("../../../docs/operate/observability.md", import.meta.url), "utf8").split("\n")
  .flatMap(
    (line) => /^\| `(?:svc|process)_/.test(line) ? names(line.split("|")[1]?.matchAll(/`(\w+)`/g) ?? []) : []
  )

/** The labels that Prometheus adds. */
const added = ["instance", "job", "le"]

/** How attempts of jobs end. */
const ends: Readonly<Record<Lowercase<Job.End["_tag"]> | "lost", true>> = {
  cancelled: true,
  completed: true,
  failed: true,
  lost: true,
  postponed: true,
  released: true,
  repeat: true,
  retry: true
}

const tool = Tool.make({ name: "add", description: "Adds", execute: () => 2 })

describe("docs/operate/observability", () => {
  it.effect("the dashboard and the alert rules use metrics and labels that a service exports", () =>
    Effect.gen(function*() {
      const used = Script.usage({ input: 5, output: 1 })
      const { model } = yield* Script.make([[Script.toolCall("add"), used], [Script.text("2"), used], [
        Script.text("3")
      ]])
      const agents = [Agent.make({ id: "desk", model, tools: [tool], limits: { runsPerMinute: 2 } })]
      const prices = Prices.make([{ models: ["scripted"], input: 2, output: 10 }])
      const { url } = yield* TestServer.listen({ agents, prices })
      const text = (path: string, init?: RequestInit) =>
        Effect.promise(async () => (await fetch(url + path, init)).text())
      // the last one is refused
      for (const stream of ["false", "true", "false"]) {
        yield* text("/agents/desk/runs", { method: "POST", body: new URLSearchParams({ message: "hi", stream }) })
      }
      for (let second = 0; second < 25; second++) yield* TestClock.adjust("1 second")
      const process = Instruments.make()
      yield* Effect.provideService(Layer.build(ProcessGauges.layer), Instruments.Instruments, process)
      process.judged({ source: "online", inputTokens: 1, outputTokens: 1, cost: 1 })
      process.eventLoopDelay(0)
      process.embedded({ model: { id: "vectors", provider: "test" }, tokens: 1, cost: 1 })
      process.observeDroppedSpans("collector", { full: () => 1, refused: () => 0 })
      const samples = [yield* text("/metrics/prometheus"), process.format()]
        .flatMap((exported) => PrometheusText.parse(exported).samples)
      const labels = new Map<string, ReadonlyArray<string>>(elsewhere)
      for (const sample of samples) labels.set(sample.name, Object.keys(sample.labels))
      for (const { expr, shown, title } of queries) {
        const metrics = names(expr.matchAll(/\b((?:svc|process)_\w+)/g))
        assert.deepStrictEqual(metrics.filter((name) => !labels.has(name)), [], title)
        const selected = names(expr.matchAll(/(\w+)\s*=~?\s*"/g))
        const grouped = names(expr.matchAll(/by \(([^)]*)\)/g)).flatMap((list) => list.split(", "))
        const known = [...added, ...metrics.flatMap((name) => labels.get(name) ?? [])]
        assert.deepStrictEqual([...selected, ...grouped].filter((name) => !known.includes(name)), [], title)
        // labels that a query adds up are in no legend and in no text
        const kept = grouped.length === 0 ? known : grouped
        assert.deepStrictEqual(names(shown).filter((name) => !kept.includes(name)), [], title)
      }
    }))

  it("each metric of the documentation has a panel", () => {
    const shown = new Set(
      panels.flatMap(({ targets = [] }) =>
        targets.flatMap(({ expr }) =>
          names(expr.matchAll(/\b((?:svc|process)_\w+)/g)).map((name) => name.replace(/_(bucket|sum)$/, ""))
        )
      )
    )
    assert.isAbove(documented.length, 20)
    assert.deepStrictEqual(documented.filter((name) => !shown.has(name)), [])
  })

  it("lost spans, jobs that wait, and failures and use of judges have alert rules", () => {
    const watched = new Set(rules.flatMap(({ expr }) => names(expr.matchAll(/\b(svc_\w+)/g))))
    const named = [
      "svc_spans_dropped_total",
      "svc_jobs_waiting",
      "svc_judge_failures_total",
      "svc_judge_tokens_total",
      "svc_judge_cost_usd_total"
    ]
    assert.deepStrictEqual(named.filter((name) => !watched.has(name)), [])
  })

  it("jobs that fail for good, and jobs that are repeated without a success, have alert rules", () => {
    const selectors = rules.flatMap(({ expr }) => names(expr.matchAll(/svc_jobs_total\{status=~?"([\w|]+)"\}/g)))
    const statuses = selectors.flatMap((selector) => selector.split("|"))
    assert.includeMembers(statuses, ["failed", "retry", "repeat", "completed", "postponed"])
    assert.deepStrictEqual(statuses.filter((status) => !(status in ends)), [])
  })

  it("the panels of the dashboard have ids of their own, do not overlap and fit into its 24 columns", () => {
    assert.isAtLeast(schemaVersion, 36)
    assert.strictEqual(new Set(panels.map(({ id }) => id)).size, panels.length)
    const cells = new Set<string>()
    for (const { gridPos: { h, w, x, y }, targets = [], title, type } of panels) {
      assert.isAtMost(x + w, 24, title)
      assert.strictEqual(new Set(targets.map(({ refId }) => refId)).size, targets.length, title)
      assert.strictEqual(targets.length === 0, type === "row", title)
      for (let at = 0; at < w * h; at++) {
        const cell = `${x + at % w},${y + Math.floor(at / w)}`
        assert.isFalse(cells.has(cell), title)
        cells.add(cell)
      }
    }
  })
})
