// Budgets that the code of the application declares.
import * as Owner from "@svc-runtime/domain/Owner"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { Effect, Option } from "effect"
import { DeclarationRefused, type Item, type Kind } from "../declarations/Declaration.ts"
import * as Budget from "./Budget.ts"
import * as BudgetChecks from "./BudgetChecks.ts"
import { createOf, type Declaration, requestOf } from "./BudgetDeclaration.ts"
import { Budgets } from "./Budgets.ts"
import { BudgetRules } from "./BudgetSettings.ts"
import { BudgetStore } from "./BudgetStore.ts"

export const kind = Effect.fnUntraced(function*(declared: ReadonlyArray<Declaration>) {
  const [store, budgets, newId, { most }] = [yield* BudgetStore, yield* Budgets, yield* NewId, yield* BudgetRules]
  const problemOf = yield* BudgetChecks.make
  const problems: Array<string> = []
  const items: Array<Item> = []

  for (const each of declared) {
    const subject = `The budget '${each.name}'`
    const fields = createOf(each)
    const problem = yield* problemOf(fields)
    if (problem !== undefined) problems.push(`${subject}: ${problem.message}`)
    const taken = () =>
      Effect.fail(
        new DeclarationRefused({
          message: `${subject} exists already, made by a request. Delete it, or declare another name`
        })
      )
    items.push({
      name: each.name,
      content: requestOf(each),
      create: Effect.gen(function*() {
        const budget = Budget.make(fields, { at: yield* now, id: Budget.Id.make(newId()) })
        if (!(yield* store.create(budget, most))) {
          return yield* new DeclarationRefused({ message: `${subject} is one too many: at most ${most} (MAX_BUDGETS)` })
        }
        return budget.id
      }).pipe(Effect.catchTag("BudgetNameTaken", taken)),
      change: Effect.fnUntraced(function*(given) {
        const [id, at] = [Budget.Id.make(given), yield* now]
        const before = yield* store.find(id, Owner.anyone)
        if (Option.isNone(before)) return Option.none()
        const { created_at } = before.value.budget
        const budget = { ...Budget.make(fields, { at, id }), created_at, updated_at: at }
        return (yield* store.replace(budget)) ? Option.some(given) : Option.none()
      }, Effect.catchTag("BudgetNameTaken", taken))
    })
  }

  const kind: Kind = {
    kind: "budget",
    items,
    problems,
    remove: (id) => Effect.as(store.remove(Budget.Id.make(id)), true),
    changed: budgets.changed
  }
  return [kind]
})
