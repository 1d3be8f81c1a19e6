// What readers look up in the documents is there: options of agents, examples and metrics.
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

const root = new URL("../../..", import.meta.url).pathname

const read = (path: string): string => readFileSync(`${root}/${path}`, "utf8")

const found = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  Array.from(text.matchAll(pattern), ([, name = ""]) => name)

/** The names in the first column of the tables of a page. */
const listed = (path: string) => found(read(path), /^\| (`[^|]*)\|/gm).flatMap((cell) => found(cell, /`([^`]+)`/g))

/** The fields of `interface Options` in a source. */
const optionsIn = (path: string) =>
  found(/^export interface Options\b[^]*?^\}/m.exec(read(path))?.[0] ?? "", /^ {2}readonly (\w+)\??:/gm)

/** The options that a feature declares for agents. */
const featureOptionsIn = (path: string) =>
  found(/^ {2}interface FeatureOptions \{[^]*?^ {2}\}/m.exec(read(path))?.[0] ?? "", /^ {4}readonly (\w+)\??:/gm)

const allIn = (names: ReadonlyArray<string>, known: ReadonlyArray<string>, message = "") =>
  assert.deepStrictEqual(names.filter((name) => !known.includes(name)), [], message)

describe("the documents", () => {
  it("docs/guides/agents.md lists each option of an agent", () => {
    const ofAgents = [
      "packages/agents/src/agent/define/Agent.ts",
      "packages/agents/src/agent/define/ModelOptions.ts",
      "packages/features/src/knowledge/KnowledgeOption.ts"
    ]
    const ofFeatures = globSync("packages/features/src/*/agentPart.ts", { cwd: root })
    const options = [...ofAgents.flatMap(optionsIn), ...ofFeatures.flatMap(featureOptionsIn)]
    assert.include(options, "memory")
    allIn(options, listed("docs/guides/agents.md"), "a row for each of these in docs/guides/agents.md")
  })

  it("the page of the examples lists each example", () => {
    const examples = globSync("packages/examples/src/*.ts", { cwd: root })
      .filter((path) => read(path).includes("if (import.meta.main) "))
      .map((path) => path.replaceAll("\\", "/").split("/").at(-1) ?? "")
    assert.include(examples, "memory.ts")
    allIn(examples, listed("packages/examples/README.md"))
  })

  it("docs/operate/observability.md lists each metric, and the dashboard and the alert rules use no other", () => {
    const sources = globSync("packages/{telemetry,models,engine,agents,http,features,postgres,server}/src/**/*.ts", {
      cwd: root
    })
    const metrics = sources.flatMap((path) =>
      found(read(path), /(?:count|counter|histogram|observe)\(\s*(?:registry, )?"((?:svc|process|nodejs)_\w+)"/gi)
    )
    assert.include(metrics, "svc_runs_total")
    allIn(metrics, listed("docs/operate/observability.md"))
    const used = ["alerts.yml", "grafana.json"]
      .flatMap((file) => found(read(`docs/operate/observability/${file}`), /\b((?:svc|process)_[a-z_]+)/g))
    assert.include(used, "svc_event_lag_seconds_bucket")
    // series of histograms
    const metricOf = (name: string) => metrics.includes(name) ? name : name.replace(/_(?:bucket|sum|count)$/, "")
    allIn(used.map(metricOf), metrics)
  })
})
