// The rules of budgets: which ones count for a run, what a request to a model may cost, and what it has cost. Each node
// knows all budgets. What has been spent is in the database, where the nodes share it.
import * as Principal from "@svc-runtime/domain/Principal"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Tenant from "@svc-runtime/domain/Tenant"
import * as Time from "@svc-runtime/domain/Time"
import type * as Usage from "@svc-runtime/domain/Usage"
import { type Expected, type Payer, Spending, SpendingRefused } from "@svc-runtime/engine/limits/Spending"
import { NewId } from "@svc-runtime/engine/NewId"
import * as BackgroundLoops from "@svc-runtime/engine/node/BackgroundLoops"
import { CurrentWork } from "@svc-runtime/engine/node/CurrentWork"
import { retryUntilAvailable } from "@svc-runtime/engine/node/retryUntilAvailable"
import { now } from "@svc-runtime/engine/now"
import { LimitReached } from "@svc-runtime/engine/run/RunErrors"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import * as Prices from "@svc-runtime/telemetry/Prices"
import { Context, Effect, type Fiber, Layer, Option } from "effect"
import * as Budget from "./Budget.ts"
import { BudgetRules } from "./BudgetSettings.ts"
import { BudgetStore, type Reached, type Reservation, type Target, type UsedUp } from "./BudgetStore.ts"

export class Budgets extends Context.Service<Budgets, {
  /** Reads the budgets again, after a change. */
  readonly changed: Effect.Effect<void, StorageUnavailable>
  /** Logs marks that were reached. */
  readonly noted: (reached: ReadonlyArray<Reached>) => Effect.Effect<void>
}>()("@svc-runtime/features/budgets/Budgets") {}

/** Between two reads of the budgets: changes by other nodes are known after it. */
const every = "5 seconds"

/** Milliseconds: while others have reserved what is left, it is tried again after longer and longer waits. */
const [firstWait, longestWait, longestWaits] = [50, 1000, 60_000]

/** Milliseconds: after a request has waited so long, runs that would wait as well are not accepted. */
const longWait = 5000

/** Seconds after which they are accepted again, unless a request still waits, or has got what it needs before. */
const heldFor = 60

/** The key under which a budget counts for the payer. Undefined: it does not count. */
const keyOf = ({ component, scope, user_id }: Budget.Budget, payer: Payer): string | undefined => {
  switch (scope) {
    case "service":
      return ""
    case "run":
      return payer.isJob === true ? undefined : payer.id
    case "user": {
      const user = payer.user_id === null ? null : Principal.actedFor(payer.user_id)
      return user_id === null || user_id === user ? user ?? "" : undefined
    }
    case "tenant":
      return payer.user_id === null ? undefined : Tenant.of(payer.user_id)
    case "component": {
      if (payer.component === undefined) return undefined
      const key = Budget.keyOfComponent(payer.component)
      return component === null || Budget.keyOfComponent(component) === key ? key : undefined
    }
  }
}

const whose = {
  tenant: (key: string) => `The tenant '${key}' has`,
  user: (key: string) => key === "" ? "Runs without a user have" : `The user '${key}' has`,
  component: (key: string) => `The ${key.replace(" ", " '")}' has`,
  service: () => "The service has",
  run: () => "The run has"
} as const

const rounded = (amount: number): number => Number(amount.toFixed(6))

const spentOf = ({ amount, currency, name, period }: Budget.Budget, { since }: UsedUp) => {
  const reset = Budget.resetOf(period, since)
  const again = reset === undefined ? "" : `. It begins anew at ${Time.toDateTime(reset)}`
  return { reset, text: `${currency} of the budget '${name}'${again}`, amount }
}

const make = Effect.gen(function*() {
  const [store, newId, { rates }] = [yield* BudgetStore, yield* NewId, yield* BudgetRules]
  let budgets: ReadonlyArray<Budget.Budget> = []
  /** Where nothing was left when it was last looked at. All other starts need no statement. */
  let exhausted = new Set<string>()

  /** Where requests wait for what others have reserved, and until when starts are refused. */
  const held = new Map<string, { readonly by: UsedUp; readonly until: number }>()

  const placeOf = ({ budget_id, key }: Omit<Target, "amount">): string => `${budget_id} ${key}`

  const read = Effect.gen(function*() {
    budgets = (yield* store.all).filter(({ enabled }) => enabled)
    const at = yield* now
    for (const [place, { until }] of held) if (until <= at) held.delete(place)
    exhausted = new Set(budgets.length === 0 ? [] : (yield* store.exhausted).map(placeOf))
  })

  const applicable = (payer: Payer) =>
    budgets.flatMap((budget) => {
      const key = keyOf(budget, payer)
      return key === undefined ? [] : [{ budget, key }]
    })

  const budgetOf = (id: Budget.Id) => budgets.find((budget) => budget.id === id)

  /** In US dollars. Undefined: the budget refuses models without a price. */
  const costOf = (
    { unpriced }: Budget.Budget,
    fiber: Fiber.Fiber<unknown, unknown>,
    model: Expected["model"],
    usage: Usage.Counters
  ): number | undefined => {
    const known = usage.cost ?? ModelRequests.costNow(fiber, model, usage)
    if (known !== undefined || unpriced === "refuse") return known
    return unpriced === "zero" ? 0 : Prices.costOf({ models: ["*"], ...unpriced }, usage, "")
  }

  const unitsOf = ({ currency }: Budget.Budget, cost: number): number =>
    Budget.toUnits(cost / (rates.get(currency) ?? 1))

  const noted = (reached: ReadonlyArray<Reached>) =>
    Effect.forEach(reached, ({ budget_id, key, mark, spent }) => {
      if (mark === "exhausted") exhausted.add(placeOf({ budget_id, key }))
      const budget = budgetOf(budget_id)
      if (budget === undefined) return Effect.void
      const { amount, currency, name, scope } = budget
      const of = `${rounded(Budget.fromUnits(spent))} of ${amount} ${currency} of the budget '${name}'`
      return Effect.annotateLogs(
        Effect.logWarning(`${whose[scope](key)} used ${of}${mark === "exhausted" ? ": nothing is left" : ""}`),
        { budget: name, mark }
      )
    }, { discard: true })

  const refusal = (usedUp: UsedUp): Option.Option<string> =>
    Option.map(Option.fromUndefinedOr(budgetOf(usedUp.budget_id)), (budget) => {
      const { amount, text } = spentOf(budget, usedUp)
      const spent = rounded(Budget.fromUnits(usedUp.spent))
      return `${whose[budget.scope](usedUp.key)} used ${spent} of ${amount} ${text}`
    })

  /** The node stops, and another one executes the run. */
  const available = <A>(effect: Effect.Effect<A, StorageUnavailable>): Effect.Effect<A> =>
    Effect.catch(
      retryUntilAvailable(effect),
      (error) => Effect.flatMap(CurrentWork, ({ isClosing }) => isClosing() ? Effect.interrupt : Effect.die(error))
    )

  const targetsOf = Effect.fnUntraced(function*(payer: Payer, { model, usage }: Expected) {
    const targets: Array<Target> = []
    for (const { budget, key } of applicable(payer)) {
      const cost = yield* Effect.withFiber((fiber) => Effect.succeed(costOf(budget, fiber, model, usage)))
      if (cost === undefined) {
        return yield* new SpendingRefused({
          message:
            `The model ${model.id} has no price, and the budget '${budget.name}' refuses such models. Give it a ` +
            "price in the file of MODEL_PRICES, or change 'unpriced' of the budget"
        })
      }
      if (cost > 0) targets.push({ budget_id: budget.id, key, amount: Math.max(1, unitsOf(budget, cost)) })
    }
    return targets
  })

  const released = (targets: ReadonlyArray<Target>) => {
    for (const target of targets) held.delete(placeOf(target))
  }

  const hold = Effect.fnUntraced(function*(targets: ReadonlyArray<Target>) {
    const by = Option.getOrUndefined(yield* available(store.busy(targets)))
    if (by !== undefined) held.set(placeOf(by), { by, until: (yield* now) + heldFor })
  })

  const reserved = Effect.fnUntraced(function*(reservation: Reservation, lost: Effect.Effect<void>) {
    const reserving = Effect.tapError(store.reserve(reservation), () => lost)
    for (let wait = firstWait, waited = 0;; wait = Math.min(wait * 2, longestWait)) {
      const { outcome, usedUp } = yield* available(reserving)
      if (outcome === "reserved") return released(reservation.targets)
      if (usedUp !== undefined) {
        exhausted.add(placeOf(usedUp))
        const message = Option.getOrElse(refusal(usedUp), () => "A budget of the run was used up")
        const reset = Budget.resetOf(budgetOf(usedUp.budget_id)?.period ?? null, usedUp.since)
        const again = reset === undefined ? {} : { retry_after: Math.max(1, reset - (yield* now)) }
        return yield* new SpendingRefused({ message, ...again })
      }
      if (waited >= longWait) yield* hold(reservation.targets)
      if (waited >= longestWaits) {
        return yield* new SpendingRefused({
          message: "Other requests to models have reserved what is left of a budget, and have not ended for a minute",
          retry_after: heldFor
        })
      }
      yield* Effect.interruptible(Effect.sleep(wait))
      waited += wait
    }
  })

  const purseOf = (payer: Payer) => {
    let isFirst = payer.attempt > 1
    const isLimited = () => budgets.length > 0 && applicable(payer).length > 0
    return {
      isLimited,
      // an outage leaves them to the job that charges old ones
      ended: Effect.suspend(() =>
        isFirst && isLimited()
          ? Effect.ignore(Effect.flatMap(store.settleEarlier(payer.id, payer.attempt), noted))
          : Effect.void
      ),
      reserve: Effect.fnUntraced(function*(expected: Expected) {
        // an attempt before this one may have been killed during a request: what it has used is not known
        if (isFirst) yield* noted(yield* available(store.settleEarlier(payer.id, payer.attempt)))
        isFirst = false
        const targets = yield* targetsOf(payer, expected)
        if (targets.length === 0) return { settle: () => Effect.void }
        const id = newId()
        // a call whose reply is lost can be executed later, even when the request is charged
        let mayComeAgain = false
        const lost = Effect.sync(() => {
          mayComeAgain = true
        })
        const nothing = { id, amounts: Object.fromEntries(targets.map((target) => [target.budget_id, 0])) }
        yield* reserved({ id, payer: payer.id, attempt: payer.attempt, targets }, lost).pipe(
          Effect.onError(() => mayComeAgain ? Effect.ignore(store.settle([{ ...nothing, mayComeAgain }])) : Effect.void)
        )
        return {
          settle: (usage: Usage.Counters | undefined) =>
            Effect.withFiber((fiber) => {
              const amounts = Object.fromEntries(targets.flatMap(({ budget_id }) => {
                const budget = budgetOf(budget_id)
                if (usage === undefined) return [[budget_id, 0]]
                const cost = budget && costOf(budget, fiber, expected.model, usage)
                return budget === undefined || cost === undefined ? [] : [[budget_id, unitsOf(budget, cost)]]
              }))
              const settling = Effect.tap(store.settle([{ id, amounts, mayComeAgain }]), () =>
                Effect.sync(() => released(targets)))
              return available(settling).pipe(Effect.flatMap(noted), Effect.asVoid)
            })
        }
      })
    }
  }

  const limitOf = (budget: Budget.Budget, found: UsedUp, retry_after?: number) => {
    const { amount, reset, text } = spentOf(budget, found)
    return Effect.flatMap(now, (at) =>
      new LimitReached({
        scope: budget.scope,
        name: "budget",
        of: retry_after === undefined ? text : `${text}. Requests that are not answered yet have reserved what is left`,
        used: rounded(Budget.fromUnits(found.spent)),
        limit: amount,
        // a run gets more only by a change of its budget
        retry_after: retry_after ?? (reset === undefined ? 3600 : Math.max(1, reset - at))
      }))
  }

  /** Refuses a run that would wait. */
  const admitUnheld = Effect.fnUntraced(function*(targets: ReadonlyArray<Omit<Target, "amount">>) {
    const at = yield* now
    for (const target of targets) {
      const found = held.get(placeOf(target))
      const budget = found && budgetOf(target.budget_id)
      if (budget === undefined || found === undefined) continue
      if (found.until > at) return yield* limitOf(budget, found.by, heldFor)
      held.delete(placeOf(target))
    }
  })

  const admit = Effect.fnUntraced(function*(payer: Payer) {
    if (exhausted.size === 0 && held.size === 0) return
    const targets = applicable(payer).map(({ budget, key }) => ({ budget_id: budget.id, key }))
    yield* admitUnheld(targets)
    if (!targets.some((target) => exhausted.has(placeOf(target)))) return
    // the amount can be another one now, and the period too
    const found = Option.getOrUndefined(yield* store.usedUp(targets))
    const budget = found && budgetOf(found.budget_id)
    if (found === undefined || budget === undefined) {
      for (const target of targets) exhausted.delete(placeOf(target))
      return
    }
    return yield* limitOf(budget, found)
  })

  yield* Effect.orDie(retryUntilAvailable(read))
  yield* BackgroundLoops.fork({}, { budgets: { task: read, every } })

  return Context.make(Spending, Spending.of({ admit, purseOf })).pipe(
    Context.add(Budgets, Budgets.of({ changed: Effect.andThen(Effect.sync(() => held.clear()), read), noted }))
  )
})

export const layer = Layer.effectContext(make)
