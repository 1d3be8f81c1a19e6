// Runs, tokens, cost and times by day, and for each component, model or user.
import type { UsageFigures } from "@svc-runtime/client"
import { Empty } from "../parts/Empty.tsx"
import { Problem } from "../parts/Problem.tsx"
import { duration } from "../parts/Time.tsx"
import { Filters } from "../resources/Filters.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { href, route } from "../Route.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { dayOf, type Group, lastDays, type Sum, sums, usageOf } from "./usage.ts"

// A bar for each day. Pointing at a bar shows its value.

interface Bar {
  readonly title: string
  readonly value: number
}

interface ChartProps {
  readonly title: string
  readonly bars: ReadonlyArray<Bar>
  readonly format: (value: number) => string
  readonly isBad?: boolean
}

const [barWidth, height] = [10, 100]

const Chart = ({ bars, format, isBad = false, title }: ChartProps) => {
  const maximum = Math.max(...bars.map(({ value }) => value), 0)
  return (
    <figure class="chart">
      <figcaption>
        {title} <span class="quiet">at most {format(maximum)} a day</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${Math.max(bars.length, 1) * barWidth} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} by day, at most ${format(maximum)}`}
        class={isBad ? "bad" : undefined}
      >
        {bars.map(({ title, value }, index) => {
          const tall = maximum === 0 ? 0 : value / maximum * height
          return (
            <rect key={title} x={index * barWidth + 1} y={height - tall} width={barWidth - 2} height={tall}>
              <title>{`${title}: ${format(value)}`}</title>
            </rect>
          )
        })}
      </svg>
      <p class="ends quiet">
        <span>{bars[0]?.title}</span>
        <span>{bars.length > 1 ? bars.at(-1)?.title : null}</span>
      </p>
    </figure>
  )
}

const lengths = ["7", "30", "90", "365"]

const filters = [
  { name: "days", title: "Days", choices: lengths, initial: "30", isRequired: true },
  {
    name: "group",
    title: "Sums for each",
    choices: ["component", "model", "user"],
    initial: "component",
    isRequired: true
  }
]

const whole = (value: number): string => value.toLocaleString(undefined, { maximumFractionDigits: 0 })
const money = (value: number): string => value.toLocaleString(undefined, { maximumFractionDigits: 4 })
const seconds = (value: number): string => duration(value * 1000)

const charts: ReadonlyArray<readonly [string, (figures: UsageFigures) => number | null, (value: number) => string]> = [
  ["Runs", ({ runs }) => runs.total, whole],
  ["Failed runs", ({ runs }) => runs.failed, whole],
  ["Tokens", ({ tokens }) => tokens.total_tokens, whole],
  ["Cost", ({ cost }) => cost, money],
  ["Duration of runs, median", ({ duration }) => duration.p50, seconds],
  ["Duration of runs, 95th percentile", ({ duration }) => duration.p95, seconds]
]

const columns: ReadonlyArray<Column<Sum>> = [
  { title: "Name", cell: ({ name }) => name },
  { title: "Runs", cell: ({ runs }) => whole(runs) },
  { title: "Failed", cell: ({ failed }) => whole(failed) },
  { title: "Tokens", cell: ({ tokens }) => whole(tokens) },
  { title: "Cost", cell: ({ cost }) => cost === null ? <span class="quiet">not known</span> : money(cost) }
]

const Sums = ({ days, group }: { readonly days: ReadonlyArray<string>; readonly group: Group }) => {
  const { problem, reload, value } = useLoaded((signal) => usageOf(days, group, signal), [days, group])
  return (
    <>
      <h2>For each {group}</h2>
      <Problem error={problem} retry={reload} />
      {value === undefined
        ? null
        : <Table columns={columns} entries={sums(value, group)} keyOf={({ name }) => name} />}
    </>
  )
}

const groupOf = (text: string | undefined): Group => text === "model" || text === "user" ? text : "component"

export const MetricsPage = () => {
  const { query: { days: chosen = "", group } } = route.value
  const days = lastDays(lengths.includes(chosen) ? Number(chosen) : 30, Date.now())
  const { problem, reload, value } = useLoaded((signal) => usageOf(days, undefined, signal), [days], { every: 30_000 })
  const ofDay = new Map(value?.map((figures) => [dayOf(figures.time), figures]))
  return (
    <section class="page">
      <h1>Metrics</h1>
      <Filters filters={filters} />
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : value.length === 0
        ? (
          <Empty title="No runs ended in these days">
            A run is counted within 20 seconds of its end. Start one in the <a href={href(["chat"])}>chat</a>.
          </Empty>
        )
        : (
          <>
            <div class="charts">
              {charts.map(([title, valueOf, format]) => (
                <Chart
                  key={title}
                  title={title}
                  format={format}
                  isBad={title === "Failed runs"}
                  bars={days.map((day) => {
                    const figures = ofDay.get(day)
                    return { title: day, value: (figures === undefined ? null : valueOf(figures)) ?? 0 }
                  })}
                />
              ))}
            </div>
            <Sums days={days} group={groupOf(group)} />
          </>
        )}
    </section>
  )
}
