// The endpoints of budgets. A caller who sees only their own data reads what is left of it. Budgets are the service's,
// so the scopes that change them are for operators.
import { Errors } from "@svc-runtime/api"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import * as Declared from "../declarations/Declared.ts"
import * as Budget from "./Budget.ts"
import * as BudgetChecks from "./BudgetChecks.ts"
import { Budgets } from "./Budgets.ts"
import { Budgets as Endpoints } from "./BudgetsApi.ts"
import { BudgetRules } from "./BudgetSettings.ts"
import { BudgetStore, type BudgetWithCount } from "./BudgetStore.ts"

const notFound = Errors.notFound("Budget not found")

const nameTaken = Effect.fail(Errors.conflict("Another budget has this name. Choose another one"))

const shown = ({ budget, counted }: BudgetWithCount) => ({
  ...budget,
  current: counted === undefined ? null : Budget.leftOf(budget, counted)
})

export const handlers = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const [store, budgets, { most }] = [yield* BudgetStore, yield* Budgets, yield* BudgetRules]
    const declared = yield* Declared.of("budget", "budget")
    const problemOf = yield* BudgetChecks.make

    const found = Effect.fnUntraced(function*(id: Budget.Id, owner: Owner.Owner) {
      const one = yield* store.find(id, owner)
      return Option.isSome(one) ? one.value : yield* notFound
    })

    const detail = Effect.fnUntraced(function*(id: Budget.Id, owner: Owner.Owner) {
      return yield* declared.marked(shown(yield* found(id, owner)))
    })

    return handlers.handleAll({
      list: Effect.fn("Budgets.list")(function*({ query }) {
        const listed = yield* store.list(yield* RequestCaller.ownerOf(query.user_id), query)
        const rows = yield* declared.markedAll(listed.budgets.map(shown))
        return JsonResponse.of(Pagination.response(query, rows, listed.total))
      }, orUnavailable),
      create: Effect.fn("Budgets.create")(
        function*({ payload }) {
          const problem = yield* problemOf(payload)
          if (problem !== undefined) return yield* Errors.invalidValue(["body", problem.field], problem.message)
          const budget = Budget.make(payload, { at: yield* now, id: Budget.Id.make((yield* NewId)()) })
          const isCreated = yield* Effect.catchTag(store.create(budget, most), "BudgetNameTaken", () => nameTaken)
          if (!isCreated) {
            return yield* Errors.conflict(`There are ${most} budgets already (MAX_BUDGETS). Delete one first`)
          }
          yield* budgets.changed
          return yield* detail(budget.id, Owner.anyone)
        },
        Effect.catchTag("NotFound", Effect.die),
        orUnavailable
      ),
      get: Effect.fn("Budgets.get")(function*({ params, query }) {
        return yield* detail(params.budget_id, yield* RequestCaller.ownerOf(query.user_id))
      }, orUnavailable),
      spending: Effect.fn("Budgets.spending")(function*({ params, query }) {
        const owner = yield* RequestCaller.ownerOf(query.user_id)
        const { budget } = yield* found(params.budget_id, owner)
        const { counts, total } = yield* store.counts(params.budget_id, owner, query)
        const rows = counts.map((counted) => Budget.leftOf(budget, counted))
        return JsonResponse.of(Pagination.response(query, rows, total))
      }, orUnavailable),
      update: Effect.fn("Budgets.update")(function*({ params: { budget_id }, payload }) {
        yield* declared.refuse(budget_id)
        const { budget } = yield* found(budget_id, Owner.anyone)
        const changed = { ...budget, ...payload, updated_at: yield* now }
        const isChanged = yield* Effect.catchTag(store.replace(changed), "BudgetNameTaken", () => nameTaken)
        if (!isChanged) return yield* notFound
        yield* budgets.changed
        return yield* detail(budget_id, Owner.anyone)
      }, orUnavailable),
      remove: Effect.fn("Budgets.remove")(function*({ params: { budget_id } }) {
        yield* declared.refuse(budget_id)
        if (!(yield* store.remove(budget_id))) return yield* notFound
        yield* budgets.changed
      }, orUnavailable)
    })
  })
)
