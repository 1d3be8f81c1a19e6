// The settings of budgets.
import * as NameList from "@svc-runtime/domain/NameList"
import { count, retention } from "@svc-runtime/http/config/ConfigReaders"
import { Config as Env, Context, Duration, Option, Schema } from "effect"

export interface Settings {
  /** Budgets of the service (MAX_BUDGETS). */
  readonly most: number
  /** What one unit of a currency costs in US dollars (BUDGET_CURRENCIES). */
  readonly rates: ReadonlyMap<string, number>
  /** How long what was spent is kept (BUDGET_RETENTION). Undefined: forever. */
  readonly retention: Duration.Duration | undefined
}

/** Costs are in it. */
export const base = "USD"

const ratePattern = /^([A-Z]{3})=(\d{1,9}(?:\.\d{1,9})?)$/

/** Undefined: the text is not a list of rates. */
const ratesOf = (text: string): ReadonlyMap<string, number> | undefined => {
  const rates = new Map([[base, 1]])
  for (const item of text.split(",").map((part) => part.trim()).filter((part) => part !== "")) {
    const [, currency, rate = ""] = ratePattern.exec(item) ?? []
    if (currency === undefined || !(Number(rate) > 0) || (currency === base && Number(rate) !== 1)) return undefined
    rates.set(currency, Number(rate))
  }
  return rates
}

const RatesText = Schema.String.check(
  Schema.makeFilter((text) => ratesOf(text) !== undefined, {
    expected: "currencies with their prices in US dollars, such as EUR=1.08,GBP=1.27"
  })
)

const rates = Env.map(
  Env.option(Env.schema(RatesText, "BUDGET_CURRENCIES")),
  (text) => ratesOf(Option.getOrElse(text, () => "")) ?? new Map([[base, 1]])
)

/** Of a month, and some days to look at it. */
const defaultRetention = Duration.days(40)

/** Why costs cannot be counted in the currency. */
export const problemOfCurrency = ({ rates }: Settings, currency: string): string | undefined =>
  rates.has(currency)
    ? undefined
    : `The currency ${currency} is not known. Use ${NameList.all([...rates.keys()])}, or set its price in US dollars ` +
      `in BUDGET_CURRENCIES, such as ${currency}=1.08`

export const budgetSettings: Env.Config<Settings> = Env.all({
  most: count("MAX_BUDGETS", 100),
  rates,
  retention: retention("BUDGET_RETENTION", defaultRetention)
})

export class BudgetRules
  extends Context.Service<BudgetRules, Settings>()("@svc-runtime/features/budgets/BudgetSettings/BudgetRules")
{}
