// The figures of days, and their sums for each component, model or user.
import type { UsageFigures } from "@svc-runtime/client"
import { svc } from "../service/Service.ts"

export interface Sum {
  readonly name: string
  readonly runs: number
  readonly failed: number
  readonly tokens: number
  /** Null: not known. */
  readonly cost: number | null
}

const millisOfDay = 86_400_000

/** `2026-11-23`, in UTC as the figures. */
export const dayOf = (time: string | number): string => new Date(time).toISOString().slice(0, 10)

/** The days up to today, so that days without runs are shown too. */
export const lastDays = (count: number, now: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => dayOf(now - (count - 1 - index) * millisOfDay))

export type Group = "component" | "model" | "user"

/** All pages of the figures of these days. */
export const usageOf = async (
  days: ReadonlyArray<string>,
  group: Group | undefined,
  signal: AbortSignal
): Promise<ReadonlyArray<UsageFigures>> => {
  const client = svc()
  const query = {
    interval: "day" as const,
    starting_date: days[0],
    ending_date: days.at(-1),
    group_by: group,
    limit: 1000
  }
  const figures: Array<UsageFigures> = []
  for await (const each of client.all(client.metrics.usage, query, { signal })) figures.push(each)
  return figures
}

/** A kind or a provider is named too, since different ones have the same ids. */
const nameOf = (
  { component_id, component_type, model_id, model_provider, user_id }: UsageFigures,
  group: Group
): string => {
  const joined = (parts: ReadonlyArray<string | null | undefined>, by: string) =>
    parts.filter((part) => part !== null && part !== undefined).join(by)
  const name = {
    component: joined([component_type, component_id], " "),
    model: joined([model_provider, model_id], ":"),
    user: user_id ?? ""
  }[group]
  return name === "" ? "none" : name
}

/** The most tokens first. */
export const sums = (figures: ReadonlyArray<UsageFigures>, group: Group): ReadonlyArray<Sum> => {
  const found = new Map<string, Sum>()
  for (const each of figures) {
    const name = nameOf(each, group)
    const { cost, failed, runs, tokens } = found.get(name) ?? { runs: 0, failed: 0, tokens: 0, cost: null }
    found.set(name, {
      name,
      runs: runs + each.runs.total,
      failed: failed + each.runs.failed,
      tokens: tokens + each.tokens.total_tokens,
      cost: each.cost === null ? cost : (cost ?? 0) + each.cost
    })
  }
  return [...found.values()].toSorted((a, b) => b.tokens - a.tokens || b.runs - a.runs)
}
