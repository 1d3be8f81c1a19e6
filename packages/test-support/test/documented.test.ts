// What readers look up in the documents is there: examples and metrics. Pages.test.ts does the same for pages.
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

const root = new URL("../../..", import.meta.url).pathname

const read = (path: string): string => readFileSync(`${root}/${path}`, "utf8")

const found = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  Array.from(text.matchAll(pattern), ([, name = ""]) => name)

/** The names in the first column of the tables of a page. */
const listed = (path: string) => found(read(path), /^\| (`[^|]*)\|/gm).flatMap((cell) => found(cell, /`([^`]+)`/g))

const allIn = (names: ReadonlyArray<string>, known: ReadonlyArray<string>, message = "") =>
  assert.deepStrictEqual(names.filter((name) => !known.includes(name)), [], message)

describe("the documents", () => {
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
