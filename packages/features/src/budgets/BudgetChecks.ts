// Whether a budget can limit anything: its currency has a rate, and its component exists.
import { registries } from "@svc-runtime/agents/modules/ComponentModules"
import * as Components from "@svc-runtime/agents/runService/Components"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as NameList from "@svc-runtime/domain/NameList"
import { Effect } from "effect"
import * as Budget from "./Budget.ts"
import { BudgetRules, problemOfCurrency } from "./BudgetSettings.ts"

export interface Problem {
  readonly field: "component" | "currency" | "period" | "user_id"
  readonly message: string
}

/** Ids in one message. */
const maxListed = 20

export const make = Effect.gen(function*() {
  const [all, components, rules] = [yield* registries, yield* Components.current, yield* BudgetRules]

  const ofCurrency = (currency: string): Problem | undefined => {
    const message = problemOfCurrency(rules, currency)
    return message === undefined ? undefined : { field: "currency", message }
  }

  const unknown = ({ id, kind }: Components.ComponentRef): Problem => {
    const known = all[kind].registered.map((each) => each.id)
    const { resource } = ComponentKind.descriptions[kind]
    return {
      field: "component",
      message: `There is no ${kind} '${id}'` +
        (known.length === 0 ? "" : `. The ${resource} are: ${NameList.first(known, maxListed)}`)
    }
  }

  return Effect.fnUntraced(function*(fields: Budget.Create) {
    const { component, currency = Budget.defaultCurrency } = fields
    const problem: Problem | undefined = Budget.problemOf(fields) ?? ofCurrency(currency)
    if (problem !== undefined || component === undefined || component === null) return problem
    return yield* components.find(component).pipe(
      Effect.as(undefined),
      Effect.catchTags({
        ComponentNotFound: () => Effect.succeed(unknown(component)),
        // it can be usable later
        ComponentUnusable: () => Effect.undefined
      })
    )
  })
})
