// The filter language of traces: `{op, key, value}`, `IN` with `values`, and `AND`, `OR`, `NOT` around them. What has
// another shape, or is larger than the limits, is refused.
import * as FilterSize from "@svc-runtime/domain/FilterSize"
import * as Json from "@svc-runtime/domain/Json"
import * as Time from "@svc-runtime/domain/Time"
import { Option, Result } from "effect"

/** In the order of the contract, because the text of an error lists them. */
export const fields = [
  "trace_id",
  "name",
  "status",
  "start_time",
  "end_time",
  "duration_ms",
  "run_id",
  "session_id",
  "user_id",
  "agent_id",
  "team_id",
  "workflow_id",
  "created_at"
] as const
export type Field = (typeof fields)[number]

const comparisons = ["EQ", "NEQ", "GT", "GTE", "LT", "LTE", "CONTAINS", "STARTSWITH"] as const
export type Comparison = (typeof comparisons)[number]

const statuses = ["OK", "ERROR"] as const
const ofStatus = ["EQ", "NEQ", "IN"] as const

export type Filter =
  /** Times are microseconds, durations milliseconds. CONTAINS and STARTSWITH ignore case, and are for texts only. */
  | { readonly _tag: "Compare"; readonly key: Field; readonly by: Comparison; readonly value: string | number }
  | { readonly _tag: "In"; readonly key: Field; readonly values: ReadonlyArray<string | number> }
  | { readonly _tag: "And"; readonly filters: ReadonlyArray<Filter> }
  | { readonly _tag: "Or"; readonly filters: ReadonlyArray<Filter> }
  | { readonly _tag: "Not"; readonly filter: Filter }

/** `characters` of all texts together. */
export const limits = {
  depth: 10,
  conditions: 100,
  "CONTAINS and STARTSWITH conditions": 10,
  values: 1000,
  characters: 65_536
} as const

/** A filter that every trace matches. */
export const everything: Filter = { _tag: "And", filters: [] }

type Parsed<A> = Result.Result<A, string>

const tooDeep = `Filter expression exceeds maximum nesting depth of ${limits.depth}`

/** A value in the text of an error, which shows none that is too deep for it. */
const shown = (value: Json.Value | undefined): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`
}

const quoted = (name: string) => `'${name}'`

const fieldOf = (key: string): Parsed<Field> => {
  const field = fields.find((name) => name === key)
  if (field !== undefined) return Result.succeed(field)
  const allowed = fields.map(quoted).join(", ")
  return Result.fail(`Invalid filter field: '${key.slice(0, 200)}'. Allowed: [${allowed}]`)
}

export const typeOf = (field: Field): "text" | "number" | "time" =>
  field === "duration_ms" ? "number" : field.endsWith("_time") || field === "created_at" ? "time" : "text"

const typed = (key: Field, value: Json.Value | undefined): Parsed<string | number> => {
  if (key === "status" && !statuses.some((status) => status === value)) {
    return Result.fail(`The value of 'status' must be ${statuses.map(quoted).join(" or ")}. Got: ${shown(value)}`)
  }
  switch (typeOf(key)) {
    case "number": {
      const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
      if (typeof number === "number" && Number.isFinite(number)) return Result.succeed(Math.round(number * 1000) / 1000)
      return Result.fail(`The value of '${key}' must be a number. Got: ${shown(value)}`)
    }
    case "time": {
      const time = typeof value === "string" ? Option.getOrUndefined(Time.microsecondsOf(value)) : undefined
      if (time !== undefined) return Result.succeed(time)
      return Result.fail(`The value of '${key}' must be a time in ISO 8601 format. Got: ${shown(value)}`)
    }
    default:
      if (typeof value === "string" && !value.includes("\0")) return Result.succeed(value.toWellFormed())
      return Result.fail(`The value of '${key}' must be a text. Got: ${shown(value)}`)
  }
}

const reader = (count: FilterSize.Count) => {
  const valueOf = (field: Field, value: Json.Value | undefined): Parsed<string | number> =>
    Result.gen(function*() {
      yield* count("values", 1)
      if (typeof value === "string") yield* count("characters", value.length)
      return yield* typed(field, value)
    })

  const all = (op: string, given: Json.Object, depth: number): Parsed<ReadonlyArray<Filter>> =>
    Result.gen(function*() {
      const { conditions } = given
      if (!Json.isList(conditions) || conditions.length === 0) {
        return yield* Result.fail(`${op} filter requires 'conditions', a list that is not empty. Got: ${shown(given)}`)
      }
      const filters: Array<Filter> = []
      for (const condition of conditions) filters.push(yield* read(condition, depth + 1))
      return filters
    })

  const oneOf = (given: Json.Object): Parsed<Filter> =>
    Result.gen(function*() {
      const { key, values } = given
      if (typeof key !== "string" || !Json.isList(values)) {
        return yield* Result.fail(`IN filter requires 'key' and 'values' fields. Got: ${shown(given)}`)
      }
      const field = yield* fieldOf(key)
      const found: Array<string | number> = []
      for (const value of values) found.push(yield* valueOf(field, value))
      return { _tag: "In", key: field, values: found }
    })

  const compare = (op: string, given: Json.Object): Parsed<Filter> =>
    Result.gen(function*() {
      const { key, value } = given
      const by = comparisons.find((name) => name === op)
      if (by === undefined) return yield* Result.fail(`Unknown filter operator: ${op.slice(0, 200)}`)
      if (typeof key !== "string" || value === undefined || value === null) {
        return yield* Result.fail(`${by} filter requires 'key' and 'value' fields. Got: ${shown(given)}`)
      }
      const field = yield* fieldOf(key)
      if (field === "status" && !ofStatus.some((name) => name === by)) {
        const allowed = ofStatus.map(quoted).join(", ")
        return yield* Result.fail(`${by} filter is not possible for 'status'. Allowed: [${allowed}]`)
      }
      if (by === "CONTAINS" || by === "STARTSWITH") {
        if (typeOf(field) !== "text") {
          return yield* Result.fail(`${by} filter requires a field with text. Got: '${field}'`)
        }
        yield* count("CONTAINS and STARTSWITH conditions", 1)
      }
      return { _tag: "Compare", key: field, by, value: yield* valueOf(field, value) }
    })

  const expression = (op: string, given: Json.Object, depth: number): Parsed<Filter> =>
    Result.gen(function*() {
      switch (op) {
        case "AND":
          return { _tag: "And", filters: yield* all(op, given, depth) }
        case "OR":
          return { _tag: "Or", filters: yield* all(op, given, depth) }
        case "NOT":
          if (!Json.isObject(given["condition"])) {
            return yield* Result.fail(`NOT filter requires a 'condition' field. Got: ${shown(given)}`)
          }
          return { _tag: "Not", filter: yield* read(given["condition"], depth + 1) }
        case "IN":
          return yield* oneOf(given)
        default:
          return yield* compare(op, given)
      }
    })

  const read = (given: Json.Value | undefined, depth: number): Parsed<Filter> =>
    Result.gen(function*() {
      if (depth > limits.depth) {
        return yield* Result.fail(tooDeep)
      }
      if (!Json.isObject(given)) return yield* Result.fail(`A filter must be an object. Got: ${shown(given)}`)
      const { op } = given
      if (typeof op !== "string") return yield* Result.fail(`A filter requires an 'op'. Got: ${shown(given)}`)
      yield* count("conditions", 1)
      return yield* expression(op, given, depth)
    })

  return read
}

/** The failure is a sentence for the caller. */
export const parse = (given: Json.Value): Parsed<Filter> =>
  Json.isShallow(given) ? reader(FilterSize.counting(limits))(given, 1) : Result.fail(tooDeep)

/** The fields that EQ, NEQ and IN compare with any run of a trace. Other operators compare the fields of the trace. */
export const isOfRuns = (field: Field): field is "run_id" | "session_id" => field === "run_id" || field === "session_id"

export interface Values extends Readonly<Record<Field, string | number | null>> {
  /** The ids of all runs, and the sessions of root runs. */
  readonly runs?: Readonly<Record<"run_id" | "session_id", ReadonlyArray<string>>>
}

const order = (left: string | number, right: string | number): number => left < right ? -1 : left > right ? 1 : 0

const compared = (
  stored: string | number,
  by: Exclude<Comparison, "EQ" | "NEQ">,
  value: string | number
): boolean => {
  const folded = () => [String(stored).toLowerCase(), String(value).toLowerCase()] as const
  switch (by) {
    case "GT":
      return order(stored, value) > 0
    case "GTE":
      return order(stored, value) >= 0
    case "LT":
      return order(stored, value) < 0
    case "LTE":
      return order(stored, value) <= 0
    case "CONTAINS":
      return folded()[0].includes(folded()[1])
    case "STARTSWITH":
      return folded()[0].startsWith(folded()[1])
  }
}

const isOneOf = (trace: Values, key: Field, values: ReadonlyArray<string | number>): boolean => {
  const { [key]: shown, runs } = trace
  const stored = isOfRuns(key) && runs !== undefined ? [shown, ...runs[key]] : [shown]
  return stored.some((value) => value !== null && values.includes(value))
}

/** Whether a trace matches. Stores in a database do the same in SQL. A missing value matches NEQ and NOT only. */
export const matches = (filter: Filter, trace: Values): boolean => {
  switch (filter._tag) {
    case "And":
      return filter.filters.every((one) => matches(one, trace))
    case "Or":
      return filter.filters.some((one) => matches(one, trace))
    case "Not":
      return !matches(filter.filter, trace)
    case "In":
      return isOneOf(trace, filter.key, filter.values)
    case "Compare": {
      const { by, key, value } = filter
      if (by === "EQ") return isOneOf(trace, key, [value])
      if (by === "NEQ") return !isOneOf(trace, key, [value])
      const stored = trace[key]
      return stored !== null && compared(stored, by, value)
    }
  }
}

const texty = ["EQ", "NEQ", "CONTAINS", "STARTSWITH"] as const
const ordered = ["GT", "GTE", "LT", "LTE"] as const

const textFields = [
  ["user_id", "User ID"],
  ["agent_id", "Agent ID"],
  ["team_id", "Team ID"],
  ["workflow_id", "Workflow ID"],
  ["session_id", "Session ID"],
  ["run_id", "Run ID"]
] as const

/** The response of `GET /traces/filter-schema`. */
export const schema = {
  fields: [
    { key: "status", label: "Status", type: "enum", operators: ofStatus, values: statuses },
    ...textFields.map(([key, label]) => ({ key, label, type: "string", operators: [...texty, "IN"], values: null })),
    { key: "name", label: "Trace Name", type: "string", operators: texty, values: null },
    { key: "trace_id", label: "Trace ID", type: "string", operators: [...texty, "IN"], values: null },
    {
      key: "duration_ms",
      label: "Duration (ms)",
      type: "number",
      operators: ["EQ", "NEQ", ...ordered],
      values: null
    },
    ...([["start_time", "Start Time"], ["end_time", "End Time"], ["created_at", "Created At"]] as const)
      .map(([key, label]) => ({ key, label, type: "datetime", operators: ordered, values: null }))
  ],
  logical_operators: ["AND", "OR"]
} as const
