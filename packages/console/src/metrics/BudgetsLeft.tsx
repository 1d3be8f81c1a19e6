// What is left of the budgets: of each one, and of who has spent most of a budget that counts for several.
import type { BudgetDetail, BudgetLeft } from "@svc-runtime/client"
import { Problem } from "../parts/Problem.tsx"
import { Time } from "../parts/Time.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { features, may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

interface Row {
  readonly budget: BudgetDetail
  /** Undefined: nothing was spent. */
  readonly left: BudgetLeft | undefined
}

/** Of one budget. */
const mostShown = 3

const rowsOf = async (budget: BudgetDetail, signal: AbortSignal): Promise<ReadonlyArray<Row>> => {
  if (budget.current !== null) return [{ budget, left: budget.current }]
  const { data } = await svc().budgets.spending(budget.id, { limit: mostShown }, { signal })
  return data.length === 0 ? [{ budget, left: undefined }] : data.map((left) => ({ budget, left }))
}

const allRows = async (signal: AbortSignal): Promise<ReadonlyArray<Row>> => {
  const { data } = await svc().budgets.list({ limit: 100 }, { signal })
  const enabled = data.filter(({ enabled }) => enabled)
  return (await Promise.all(enabled.map((budget) => rowsOf(budget, signal)))).flat()
}

const amount = (value: number, currency: string): string =>
  value.toLocaleString(undefined, {
    style: "currency",
    currency,
    maximumFractionDigits: value > 0 && value < 1 ? 4 : 2
  })

const whose = {
  run: "each run",
  user: "each user",
  tenant: "each tenant",
  component: "each component",
  service: "the service"
} as const

const ownerOf = ({ budget, left }: Row): string => {
  if (left === undefined) return whose[budget.scope]
  if (left.key !== null) return left.key
  return budget.scope === "service" ? whose.service : "without a user"
}

const columns: ReadonlyArray<Column<Row>> = [
  { title: "Budget", cell: ({ budget: { name, period } }) => period === null ? name : `${name}, ${period}` },
  { title: "Of", isCut: true, cell: ownerOf },
  {
    title: "Spent",
    cell: ({ budget, left }) => {
      const { spent = 0 } = left ?? {}
      return (
        <progress aria-label={`Spent of ${budget.name}`} value={Math.min(spent, budget.amount)} max={budget.amount} />
      )
    }
  },
  {
    title: "Amount",
    isNumber: true,
    cell: ({ budget: { amount: all, currency }, left }) =>
      `${amount(left?.spent ?? 0, currency)} of ${amount(all, currency)}`
  },
  {
    title: "Left",
    isNumber: true,
    cell: ({ budget: { amount: all, currency }, left }) => amount(left?.left ?? all, currency)
  },
  {
    title: "Begins anew",
    cell: ({ left }) => left === undefined || left.resets_at === null ? "" : <Time value={left.resets_at} />
  }
]

export const BudgetsLeft = () => {
  const isShown = features.value.includes("budgets") && may("budgets:read")
  const { problem, reload, value } = useLoaded(
    (signal) => isShown ? allRows(signal) : Promise.resolve([]),
    [isShown],
    { every: 30_000 }
  )
  if (value !== undefined && value.length === 0) return null
  return (
    <>
      <h2>Budgets</h2>
      <Problem error={problem} retry={reload} />
      {value === undefined ?
        null :
        <Table columns={columns} entries={value} keyOf={({ budget, left }) => `${budget.id} ${left?.key ?? ""}`} />}
    </>
  )
}
