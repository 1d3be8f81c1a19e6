// Budgets that the code of the application declares.
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { Effect, Option, Result } from "effect"
import { DeclarationRefused, decoderOf, type Item, type Kind } from "../declarations/Declaration.ts"
import * as DeclaredComponent from "../declarations/DeclaredComponent.ts"
import * as Budget from "./Budget.ts"
import * as BudgetChecks from "./BudgetChecks.ts"
import { Budgets } from "./Budgets.ts"
import { BudgetRules } from "./BudgetSettings.ts"
import { BudgetStore } from "./BudgetStore.ts"

export interface Declaration {
  /** Identifies it. Messages have it. */
  readonly name: string
  /**
   * What has the limit: each `run` with the runs inside of it, each `user`, each `tenant`, each `component`, or the
   * `service`.
   */
  readonly scope: Budget.Scope
  /** A `day` or a `month`, in UTC. Left out for the scope `run`. */
  readonly period?: Budget.Period | undefined
  /** What requests to models may cost. */
  readonly amount: number
  /** Its code. Default: `USD`. */
  readonly currency?: string | undefined
  /** Only this user, with the scope `user`. Default: each user. */
  readonly userId?: string | undefined
  /** Only this component, with the scope `component`. Default: each component. */
  readonly component?: DeclaredComponent.Component | undefined
  /** The percent of the amount at which webhooks are called. Null: never. Default: 80. */
  readonly warnAt?: number | null | undefined
  /**
   * What a request to a model without a price does: `refuse`, `zero`, or a price in US dollars for a million tokens,
   * such as `{ input: 1, output: 4 }`. Default: `refuse`.
   */
  readonly unpriced?: Budget.Unpriced | undefined
}

const decode = decoderOf(Budget.Create, { user_id: "userId", warn_at: "warnAt" })

/** As a request would have it. */
const requestOf = ({ component, userId, warnAt, ...declared }: Declaration): Json.Object => {
  const { id, kind } = component === undefined ? {} as Partial<Budget.Component> : DeclaredComponent.refOf(component)
  const fields = {
    ...declared,
    user_id: userId,
    warn_at: warnAt,
    component: kind === undefined || id === undefined ? undefined : { kind, id }
  }
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])
  )
}

export const kind = Effect.fnUntraced(function*(declared: ReadonlyArray<Declaration>) {
  const [store, budgets, newId, { most }] = [yield* BudgetStore, yield* Budgets, yield* NewId, yield* BudgetRules]
  const problemOf = yield* BudgetChecks.make
  const problems: Array<string> = []
  const items: Array<Item> = []

  for (const each of declared) {
    const subject = `The budget '${each.name}'`
    const request = requestOf(each)
    const decoded = decode(request)
    if (Result.isFailure(decoded)) {
      problems.push(`${subject}: ${decoded.failure}`)
      continue
    }
    const problem = yield* problemOf(decoded.success)
    if (problem !== undefined) problems.push(`${subject}: ${problem.message}`)
    const taken = () =>
      Effect.fail(
        new DeclarationRefused({
          message: `${subject} exists already, made by a request. Delete it, or declare another name`
        })
      )
    items.push({
      name: each.name,
      content: request,
      create: Effect.gen(function*() {
        const budget = Budget.make(decoded.success, { at: yield* now, id: Budget.Id.make(newId()) })
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
        const budget = { ...Budget.make(decoded.success, { at, id }), created_at, updated_at: at }
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
