// Runs, tokens, cost and times of hours or days, what changed against the time before, and sums for each component,
// model or user.
import type { UsageFigures } from "@svc-runtime/client"
import { ChartColumn } from "lucide"
import { Empty } from "../parts/Empty.tsx"
import { Problem } from "../parts/Problem.tsx"
import { duration } from "../parts/Time.tsx"
import { money } from "../parts/units.ts"
import { Filters } from "../resources/Filters.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { href, route } from "../Route.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { BudgetsLeft } from "./BudgetsLeft.tsx"
import { Chart } from "./Chart.tsx"
import {
  before,
  type Group,
  lastPeriod,
  type NamedSum,
  type Period,
  type Sum,
  sums,
  totalOf,
  usageOf
} from "./usage.ts"

const spans = {
  "24 hours": ["hour", 24],
  "7 days": ["day", 7],
  "30 days": ["day", 30],
  "90 days": ["day", 90],
  "365 days": ["day", 365]
} as const

type Span = keyof typeof spans

const filters = [
  { name: "span", title: "Time", choices: Object.keys(spans), initial: "7 days", isRequired: true },
  {
    name: "group",
    title: "Sums for each",
    choices: ["component", "model", "user"],
    initial: "component",
    isRequired: true
  }
]

const spanOf = (text: string | undefined): Span =>
  (Object.keys(spans) as ReadonlyArray<Span>).find((span) => span === text) ?? "7 days"

const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 })
const whole = (value: number): string => value.toLocaleString(undefined, { maximumFractionDigits: 0 })
const short = (value: number): string => compact.format(value)
const seconds = (value: number): string => duration(value * 1000)
const share = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 })

/** `+12 %`. Nothing, if there was nothing before. */
const changeOf = (now: number | null, then: number | null): string | undefined => {
  if (now === null || then === null || then === 0) return undefined
  const change = now / then - 1
  return `${change > 0 ? "+" : ""}${share.format(change)}`
}

interface FigureProps {
  readonly title: string
  readonly value: string
  readonly detail?: string
  readonly change?: string | undefined
}

const Figure = ({ change, detail, title, value }: FigureProps) => (
  <div class="card figure">
    <dt>{title}</dt>
    <dd>
      <strong>{value}</strong>
      <span class="quiet">
        {[detail, change === undefined ? undefined : `${change} against the time before`]
          .filter((text) => text !== undefined).join(" · ")}
      </span>
    </dd>
  </div>
)

const Totals = ({ now, then }: { readonly now: Sum; readonly then: Sum | undefined }) => (
  <dl class="totals">
    <Figure title="Runs" value={whole(now.runs)} change={changeOf(now.runs, then?.runs ?? null)} />
    <Figure
      title="Failed runs"
      value={whole(now.failed)}
      detail={now.runs === 0 ? "of none" : `${share.format(now.failed / now.runs)} of all`}
      change={changeOf(now.failed, then?.failed ?? null)}
    />
    <Figure
      title="Tokens"
      value={short(now.tokens)}
      detail={`${short(now.input)} in, ${short(now.output)} out`}
      change={changeOf(now.tokens, then?.tokens ?? null)}
    />
    <Figure
      title="Cost"
      value={now.cost === null ? "not known" : money(now.cost)}
      change={changeOf(now.cost, then?.cost ?? null)}
    />
  </dl>
)

const Charts = ({ figures, period }: { readonly figures: ReadonlyArray<UsageFigures>; readonly period: Period }) => {
  const at = new Map(figures.map((each) => [Date.parse(each.time), each]))
  const values = (of: (figures: UsageFigures) => number | null, missing: number | null = 0) =>
    period.starts.map((start) => {
      const each = at.get(start)
      return each === undefined ? missing : of(each)
    })
  return (
    <div class="charts">
      <Chart
        title="Runs"
        period={period}
        format={short}
        series={[
          { title: "Ended well", colour: "accent", values: values(({ runs }) => runs.total - runs.failed) },
          { title: "Failed", colour: "bad", values: values(({ runs }) => runs.failed) }
        ]}
      />
      <Chart
        title="Tokens"
        period={period}
        format={short}
        series={[
          { title: "In", colour: "accent", values: values(({ tokens }) => tokens.input_tokens) },
          { title: "Out", colour: "good", values: values(({ tokens }) => tokens.output_tokens) }
        ]}
      />
      <Chart
        title="Cost in US dollars"
        period={period}
        format={money}
        series={[{ title: "Cost", colour: "good", values: values(({ cost }) => cost) }]}
      />
      <Chart
        title="Duration of runs"
        period={period}
        format={seconds}
        isLine
        series={[
          { title: "Median", colour: "accent", values: values(({ duration }) => duration.p50, null) },
          { title: "95 % are faster", colour: "warn", values: values(({ duration }) => duration.p95, null) }
        ]}
      />
    </div>
  )
}

const columns: ReadonlyArray<Column<NamedSum>> = [
  { title: "Name", cell: ({ name }) => name },
  { title: "Runs", isNumber: true, cell: ({ runs }) => whole(runs) },
  { title: "Failed", isNumber: true, cell: ({ failed }) => whole(failed) },
  { title: "Tokens in", isNumber: true, cell: ({ input }) => whole(input) },
  {
    title: "Cached",
    isNumber: true,
    cell: ({ cached, input }) => input === 0 ? <span class="quiet">–</span> : share.format(cached / input)
  },
  { title: "Tokens out", isNumber: true, cell: ({ output }) => whole(output) },
  {
    title: "Cost",
    isNumber: true,
    cell: ({ cost }) => cost === null ? <span class="quiet">not known</span> : money(cost)
  }
]

const Sums = ({ group, period }: { readonly period: Period; readonly group: Group }) => {
  const { problem, reload, value } = useLoaded((signal) => usageOf(period, group, signal), [period, group])
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
  const { query: { group, span } } = route.value
  const [interval, count] = spans[spanOf(span)]
  const period = lastPeriod(interval, count, Date.now())
  const { problem, reload, value } = useLoaded(
    (signal) => Promise.all([usageOf(period, undefined, signal), usageOf(before(period), undefined, signal)]),
    [period],
    { every: 30_000 }
  )
  return (
    <section class="page">
      <h1>Metrics</h1>
      <Filters filters={filters} />
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : value[0].length === 0
        ? (
          <Empty icon={ChartColumn} title="No runs ended in this time">
            A run is counted within 20 seconds of its end. Start one in the <a href={href(["chat"])}>chat</a>.
          </Empty>
        )
        : (
          <>
            <Totals now={totalOf(value[0])} then={value[1].length === 0 ? undefined : totalOf(value[1])} />
            <Charts figures={value[0]} period={period} />
            <Sums period={period} group={groupOf(group)} />
          </>
        )}
      <BudgetsLeft />
    </section>
  )
}
