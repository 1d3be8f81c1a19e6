// Budgets: what requests to models may cost, for each run, user or component, or for the service, in a day or a month.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { IdInput, Name, UserId, UserIdInput } from "@svc-runtime/domain/Ids"
import { optional } from "@svc-runtime/domain/schema/optional"
import { DateTime, EpochSeconds, toDateTime } from "@svc-runtime/domain/Time"
import { DateTime as Instant, Schema } from "effect"

export const Id = Schema.String.pipe(Schema.brand("BudgetId"))
export type Id = typeof Id.Type

/** What has a limit: each run with the runs inside of it, each user, each tenant, each component, or all together. */
export const Scope = Schema.Literals(["run", "user", "tenant", "component", "service"])
export type Scope = typeof Scope.Type

/** In UTC. */
export const Period = Schema.Literals(["day", "month"])
export type Period = typeof Period.Type

export const Component = Schema.Struct({ kind: ComponentKind.ComponentKind, id: IdInput }).annotate({
  identifier: "BudgetComponent"
})
export type Component = typeof Component.Type

const sentence = <A>(isValid: (value: A) => boolean, message: string) =>
  Schema.makeFilter(isValid, { message, problem: "value_error" })

/** Larger ones are mistakes, and in billionths they stay exact as numbers. */
export const maxAmount = 1_000_000

/** One billionth, in which amounts are counted. */
const minAmount = 0.000_000_001

const Amount = Schema.Finite.check(
  sentence(
    (amount) => amount >= minAmount && amount <= maxAmount,
    `Input should be from ${minAmount.toFixed(9)} to ${maxAmount}`
  )
)

const Price = Schema.Finite.check(
  sentence((price) => price >= 0 && price <= maxAmount, `Input should be from 0 to ${maxAmount}`)
)

/** What a model without a price costs, in US dollars for a million tokens. */
export const UnpricedPrice = Schema.Struct({ input: Price, output: Price }).annotate({ identifier: "BudgetPrice" })

/** What a request to a model without a price does: it is refused, it costs nothing, or it has this price. */
export const Unpriced = Schema.Union([Schema.Literals(["refuse", "zero"]), UnpricedPrice])
export type Unpriced = typeof Unpriced.Type

export const Currency = Schema.String.check(
  sentence((currency) => /^[A-Z]{3}$/.test(currency), "Input should be the code of a currency, such as USD or EUR")
)

export const defaultCurrency = "USD"

/** Percent. */
export const defaultWarnAt = 80

const WarnAt = Schema.Int.check(
  sentence((percent) => percent >= 1 && percent <= 99, "Input should be a whole number from 1 to 99")
)

const changeable = {
  name: Name,
  amount: Amount,
  /** The part of the amount, in percent, at which a warning is logged and webhooks are called. Null: never. */
  warn_at: Schema.NullOr(WarnAt),
  unpriced: Unpriced,
  enabled: Schema.Boolean
}

export const Create = Schema.Struct({
  name: changeable.name,
  scope: Scope,
  /** Not for the scope `run`. */
  period: optional(Period),
  amount: changeable.amount,
  currency: Schema.optionalKey(Currency),
  /** Only this user, with the scope `user`. */
  user_id: optional(UserIdInput),
  /** Only this component, with the scope `component`. */
  component: optional(Component),
  warn_at: Schema.optionalKey(changeable.warn_at),
  unpriced: Schema.optionalKey(changeable.unpriced),
  enabled: Schema.optionalKey(changeable.enabled)
}).annotate({ identifier: "BudgetCreate" })
export type Create = typeof Create.Type

export const Patch = Schema.Struct({
  name: Schema.optionalKey(changeable.name),
  amount: Schema.optionalKey(changeable.amount),
  warn_at: Schema.optionalKey(changeable.warn_at),
  unpriced: Schema.optionalKey(changeable.unpriced),
  enabled: Schema.optionalKey(changeable.enabled)
}).annotate({ identifier: "BudgetUpdate" })
export type Patch = typeof Patch.Type

export const Budget = Schema.Struct({
  id: Id,
  name: Schema.String,
  scope: Scope,
  /** Null: a run has its budget as long as it exists. */
  period: Schema.NullOr(Period),
  /** In the currency. */
  amount: Schema.Finite,
  currency: Schema.String,
  /** Null: each user. */
  user_id: Schema.NullOr(UserId),
  /** Null: each component. */
  component: Schema.NullOr(Component),
  warn_at: Schema.NullOr(Schema.Int),
  unpriced: Unpriced,
  enabled: Schema.Boolean,
  created_at: EpochSeconds,
  updated_at: Schema.NullOr(EpochSeconds)
}).annotate({ identifier: "Budget" })
export type Budget = typeof Budget.Type

/** What is left of a budget now, for one user, run or component, or for the service. */
export const Left = Schema.Struct({
  /**
   * The user, the tenant, the run, or the kind and the id of the component. Null: the service, or all runs without a
   * user.
   */
  key: Schema.NullOr(Schema.String),
  spent: Schema.Finite,
  /** For requests that are not answered yet. */
  reserved: Schema.Finite,
  left: Schema.Finite,
  /** When it begins anew. Null: never. */
  resets_at: Schema.NullOr(DateTime)
}).annotate({ identifier: "BudgetLeft" })
export type Left = typeof Left.Type

export const Shown = Schema.Struct({
  ...Budget.fields,
  /** It is declared in code. */
  declared: Schema.Boolean,
  /** Of the service, the user or the component that it is for. Null: it counts for each of several. */
  current: Schema.NullOr(Left)
}).annotate({ identifier: "BudgetDetail" })
export type Shown = typeof Shown.Type

/** Why no budget can have these fields together. Undefined: one can. */
export const problemOf = (
  { component, period, scope, user_id }: Pick<Create, "component" | "period" | "scope" | "user_id">
): { readonly field: "component" | "period" | "user_id"; readonly message: string } | undefined => {
  const [hasPeriod, hasUser, hasComponent] = [period, user_id, component].map((value) =>
    value !== undefined && value !== null
  )
  if (scope === "run" && hasPeriod === true) {
    return { field: "period", message: "A budget of each run has no period. Leave it out" }
  }
  if (scope !== "run" && hasPeriod !== true) {
    return { field: "period", message: `A budget of the scope ${scope} needs a period: day or month` }
  }
  if (hasUser === true && scope !== "user") {
    return { field: "user_id", message: `A budget of one user has the scope user, not ${scope}` }
  }
  if (hasComponent === true && scope !== "component") {
    return { field: "component", message: `A budget of one component has the scope component, not ${scope}` }
  }
  return undefined
}

export const make = (
  { amount, component, currency, enabled, name, period, scope, unpriced, user_id, warn_at }: Create,
  { at, id }: { readonly at: EpochSeconds; readonly id: Id }
): Budget => ({
  id,
  name,
  scope,
  period: period ?? null,
  amount,
  currency: currency ?? defaultCurrency,
  user_id: user_id ?? null,
  component: component ?? null,
  warn_at: warn_at === undefined ? defaultWarnAt : warn_at,
  unpriced: unpriced ?? "refuse",
  enabled: enabled ?? true,
  created_at: at,
  updated_at: null
})

// Amounts are counted in billionths, as whole numbers: sums of them have no rounding errors.

/** Billionths in one unit of a currency. */
export const unit = 1_000_000_000

/** More than a bigint of the database has after some of them. */
const maxUnits = 1e15

export const toUnits = (amount: number): number => Math.min(Math.round(amount * unit), maxUnits)

export const fromUnits = (units: number): number => units / unit

const secondsPerDay = 86_400

const instantOf = (seconds: EpochSeconds) => Instant.makeUnsafe(seconds * 1000)

const secondsOf = (instant: Instant.DateTime): EpochSeconds => Instant.toEpochMillis(instant) / 1000

/** The begin of the period, in epoch seconds. Zero: of all time. */
export const sinceOf = (period: Period | null, seconds: EpochSeconds): EpochSeconds => {
  if (period === null) return 0
  if (period === "day") return Math.floor(seconds / secondsPerDay) * secondsPerDay
  return secondsOf(Instant.startOf(instantOf(seconds), "month"))
}

/** The begin of the next period. Undefined: there is none. */
export const resetOf = (period: Period | null, since: EpochSeconds): EpochSeconds | undefined => {
  if (period === null) return undefined
  if (period === "day") return since + secondsPerDay
  return secondsOf(Instant.add(instantOf(since), { months: 1 }))
}

/** What has been counted of a budget under a key, in billionths. */
export interface Counted {
  readonly key: string
  readonly since: EpochSeconds
  readonly spent: number
  readonly reserved: number
}

export const leftOf = ({ amount, period }: Budget, { key, reserved, since, spent }: Counted): Left => {
  const reset = resetOf(period, since)
  return {
    key: key === "" ? null : key,
    spent: fromUnits(spent),
    reserved: fromUnits(reserved),
    left: Math.max(0, fromUnits(toUnits(amount) - spent - reserved)),
    resets_at: reset === undefined ? null : toDateTime(reset)
  }
}

/** Under which key the service has it. Undefined: it counts for each of several. */
export const ownKeyOf = ({ component, scope, user_id }: Budget): string | undefined => {
  switch (scope) {
    case "service":
      return ""
    case "user":
      return user_id ?? undefined
    case "component":
      return component === null ? undefined : keyOfComponent(component)
    case "run":
    case "tenant":
      return undefined
  }
}

export const keyOfComponent = ({ id, kind }: Component): string => `${kind} ${id}`
