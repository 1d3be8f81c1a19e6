// `BudgetStore` in memory.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { now } from "@svc-runtime/engine/now"
import { Effect, Layer, Option } from "effect"
import * as Budget from "./Budget.ts"
import { BudgetNameTaken, BudgetStore, type BudgetWithCount, type Reached, type Reserved } from "./BudgetStore.ts"

interface Spending extends Budget.Counted {
  spent: number
  reserved: number
  isWarned: boolean
  isExhausted: boolean
}

interface Reserving {
  readonly payer: string
  readonly attempt: number
  readonly at: number
  readonly targets: ReadonlyArray<{
    readonly budget_id: Budget.Id
    readonly spending: Spending
    readonly amount: number
    readonly expected: number
  }>
}

const isVisible = (owner: Owner.Owner, { scope, user_id }: Budget.Budget): boolean =>
  owner._tag === "User" ? scope === "user" && Owner.reads(owner, user_id) : owner._tag === "Anyone"

const make = Effect.sync(() => {
  const budgets = new Map<string, Budget.Budget>()
  const all = new Map<string, Map<string, Spending>>()
  const reservations = new Map<string, Reserving>()

  const spendingOf = (budget: Budget.Budget, key: string, at: number): Spending => {
    const ofBudget = all.get(budget.id) ?? new Map<string, Spending>()
    all.set(budget.id, ofBudget)
    const since = Budget.sinceOf(budget.period, at)
    const place = `${since} ${key}`
    const known = ofBudget.get(place) ?? { key, since, spent: 0, reserved: 0, isWarned: false, isExhausted: false }
    ofBudget.set(place, known)
    return known
  }

  const counted = ({ key, reserved, since, spent }: Spending): Budget.Counted => ({ key, since, spent, reserved })

  const keyFor = (owner: Owner.Owner, budget: Budget.Budget): string | undefined =>
    owner._tag === "User" ? owner.user_id : Budget.ownKeyOf(budget)

  const withCount = (owner: Owner.Owner, at: number) => (budget: Budget.Budget): BudgetWithCount => {
    const key = keyFor(owner, budget)
    return { budget, counted: key === undefined ? undefined : counted(spendingOf(budget, key, at)) }
  }

  const isTaken = ({ id, name }: Budget.Budget) =>
    [...budgets.values()].some((other) => other.name === name && other.id !== id)

  const enabled = (id: string) => {
    const budget = budgets.get(id)
    return budget?.enabled === true ? budget : undefined
  }

  const hasReached = ({ amount, warn_at }: Budget.Budget, { spent }: Spending) => ({
    isWarned: warn_at !== null && spent >= Budget.toUnits(amount) * warn_at / 100,
    isExhausted: spent >= Budget.toUnits(amount)
  })

  /** Whether too little is left because others have reserved some of it. */
  const isHeld = ({ amount: most }: Budget.Budget, { reserved, spent }: Spending, amount: number) =>
    reserved > 0 && spent + reserved + amount > Budget.toUnits(most)

  const settle = (id: string, amounts: Readonly<Record<string, number>>): ReadonlyArray<Reached> => {
    const reservation = reservations.get(id)
    reservations.delete(id)
    return (reservation?.targets ?? []).flatMap(({ amount, budget_id, expected, spending }) => {
      const budget = budgets.get(budget_id)
      if (budget === undefined) return []
      spending.spent += amounts[budget_id] ?? expected
      spending.reserved = Math.max(0, spending.reserved - amount)
      const { isExhausted, isWarned } = hasReached(budget, spending)
      const marks = [
        ...(isWarned && !spending.isWarned ? ["warned" as const] : []),
        ...(isExhausted && !spending.isExhausted ? ["exhausted" as const] : [])
      ]
      spending.isWarned ||= isWarned
      spending.isExhausted ||= isExhausted
      return marks.map((mark): Reached => ({ mark, budget_id, ...counted(spending) }))
    })
  }

  const settleWhere = (isOld: (reservation: Reserving) => boolean) =>
    [...reservations].flatMap(([id, reservation]) => isOld(reservation) ? settle(id, {}) : [])

  /** A repeated reservation finds it. There is nothing to charge for it. */
  const keep = (id: string) =>
    Effect.map(now, (at) => void reservations.set(id, { payer: "", attempt: 0, at, targets: [] }))

  return BudgetStore.of({
    all: Effect.sync(() => [...budgets.values()]),
    list: (owner, page) =>
      Effect.map(now, (at) => {
        const matching = [...budgets.values()].filter((budget) => isVisible(owner, budget))
        return { budgets: Pagination.slice(page, matching).map(withCount(owner, at)), total: matching.length }
      }),
    find: (id, owner) =>
      Effect.map(now, (at) => {
        const budget = budgets.get(id)
        return budget !== undefined && isVisible(owner, budget)
          ? Option.some(withCount(owner, at)(budget))
          : Option.none()
      }),
    create: (budget, limit) =>
      Effect.suspend(() => {
        if (isTaken(budget)) return Effect.fail(new BudgetNameTaken())
        if (budgets.size >= limit) return Effect.succeed(false)
        budgets.set(budget.id, budget)
        return Effect.succeed(true)
      }),
    replace: (budget) =>
      Effect.flatMap(now, (at) => {
        if (!budgets.has(budget.id)) return Effect.succeed(false)
        if (isTaken(budget)) return Effect.fail(new BudgetNameTaken())
        budgets.set(budget.id, budget)
        for (const spending of all.get(budget.id)?.values() ?? []) {
          if (spending.since !== Budget.sinceOf(budget.period, at)) continue
          const { isExhausted, isWarned } = hasReached(budget, spending)
          spending.isWarned &&= isWarned
          spending.isExhausted = isExhausted
        }
        return Effect.succeed(true)
      }),
    remove: (id) =>
      Effect.sync(() => {
        all.delete(id)
        return budgets.delete(id)
      }),
    counts: (id, owner, page) =>
      Effect.map(now, (at) => {
        const budget = budgets.get(id)
        if (budget === undefined || !isVisible(owner, budget)) return { counts: [], total: 0 }
        const since = Budget.sinceOf(budget.period, at)
        const matching = [...all.get(id)?.values() ?? []]
          .filter((spending) => spending.since === since && (owner._tag !== "User" || spending.key === owner.user_id))
          .toSorted((one, other) => other.spent - one.spent || (one.key < other.key ? -1 : 1))
        return { counts: Pagination.slice(page, matching).map(counted), total: matching.length }
      }),
    exhausted: Effect.map(
      now,
      (at) =>
        [...budgets.values()].flatMap((budget) =>
          [...all.get(budget.id)?.values() ?? []].flatMap(({ isExhausted, key, since }) =>
            isExhausted && budget.enabled && since === Budget.sinceOf(budget.period, at)
              ? [{ budget_id: budget.id, key }]
              : []
          )
        )
    ),
    usedUp: (targets) =>
      Effect.map(now, (at) => {
        const found = targets.flatMap(({ budget_id, key }) => {
          const budget = enabled(budget_id)
          if (budget === undefined) return []
          const spending = spendingOf(budget, key, at)
          return spending.spent >= Budget.toUnits(budget.amount) ? [{ budget_id, ...counted(spending) }] : []
        })
        return Option.fromUndefinedOr(found[0])
      }),
    busy: (targets) =>
      Effect.map(now, (at) => {
        const found = targets.flatMap(({ amount, budget_id, key }) => {
          const budget = enabled(budget_id)
          if (budget === undefined) return []
          const spending = spendingOf(budget, key, at)
          return isHeld(budget, spending, amount) ? [{ budget_id, ...counted(spending) }] : []
        })
        return Option.fromUndefinedOr(found[0])
      }),
    reserve: ({ attempt, id, payer, targets }) =>
      Effect.map(now, (at): Reserved => {
        if (reservations.has(id)) return { outcome: "reserved" }
        const taken = targets.flatMap(({ amount: expected, budget_id, key }) => {
          const budget = enabled(budget_id)
          if (budget === undefined) return []
          const spending = spendingOf(budget, key, at)
          const most = Budget.toUnits(budget.amount)
          const { spent } = spending
          const amount = Math.min(expected, most - spent)
          // a request that may cost more than what is left begins alone
          const isBusy = isHeld(budget, spending, expected)
          return [{ budget_id, spending, amount, expected, isBusy, isUsedUp: spent >= most }]
        })
        const usedUp = taken.find(({ isUsedUp }) => isUsedUp)
        if (usedUp !== undefined) {
          return { outcome: "refused", usedUp: { budget_id: usedUp.budget_id, ...counted(usedUp.spending) } }
        }
        if (taken.some(({ isBusy }) => isBusy)) return { outcome: "busy" }
        for (const { amount, spending } of taken) spending.reserved += amount
        reservations.set(id, { payer, attempt, at, targets: taken })
        return { outcome: "reserved" }
      }),
    settle: (settlements) =>
      Effect.forEach(settlements, ({ amounts, id, mayComeAgain }) =>
        Effect.suspend(() => {
          const reached = settle(id, amounts)
          return Effect.as(mayComeAgain === true ? keep(id) : Effect.void, reached)
        })).pipe(Effect.map((reached) => reached.flat())),
    settleEarlier: (payer, attempt) =>
      Effect.suspend(() => {
        const isEarlier = (each: Reserving) => each.payer === payer && each.attempt < attempt
        const earlier = [...reservations].flatMap(([id, each]) => isEarlier(each) ? [id] : [])
        const reached = settleWhere(isEarlier)
        return Effect.as(Effect.forEach(earlier, keep, { discard: true }), reached)
      }),
    settleOld: (before) => Effect.sync(() => settleWhere(({ at }) => at < before))
  })
})

export const layer: Layer.Layer<BudgetStore> = Layer.effect(BudgetStore, make)
