// Budgets: what runs are refused, what is left, who sees it, and what cannot be a budget.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import type { Declaration } from "@svc-runtime/features/budgets/BudgetDeclaration"
import * as Team from "@svc-runtime/features/Team"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Cause, Clock, Effect, Exit } from "effect"
import { call, everything, serveClosed, token } from "../authorization/Closed.ts"
import { ask, at, column, failed, get, list, post, runWhole, send, serve, skippingClock } from "../Wire.ts"
import { create } from "./MemoryRequests.ts"

Tier.oneIn(3)

const prices = Prices.make([{ models: ["scripted"], input: 1000, output: 1000 }])

/** Costs 0.4 US dollars. */
const answer = [Script.text("Yes"), Script.usage({ input: 300, output: 100 })]

const agentWith = (turns: ReadonlyArray<Script.Turn>, options: Partial<Agent.Options> = {}) =>
  Effect.map(
    Script.make(turns),
    ({ model }) => Agent.make({ id: "agent", model, modelSettings: { maxOutputTokens: 10 }, ...options })
  )

const answers = (count: number) => Array.from({ length: count }, () => answer)

const started = Effect.fnUntraced(function*(
  budgets: ReadonlyArray<Declaration>,
  options: TestServer.Options = {}
) {
  const agents = [yield* agentWith(answers(20))]
  return yield* serve({ agents, prices, declared: { budgets }, ...options })
})

const eachUser = { name: "each user", scope: "user", period: "day", amount: 1 } as const

const ann = { message: "hi", user_id: "ann" }
const used = "This user has used 1.2 of 1 USD of the budget 'each user'. It begins anew at 2026-11-22T00:00:00Z."

const currents = (server: TestServer.TestServer, path = "/budgets") =>
  Effect.map(get(server, path), ({ json }) => column(list(json, "data"), "current"))

describe("budgets", () => {
  it.effect("a budget of each user refuses runs when it is used up, with 429 and the time when it begins anew", () =>
    Effect.gen(function*() {
      const { clock, skip } = yield* skippingClock
      const server = yield* Effect.provideService(started([eachUser]), Clock.Clock, clock)
      for (let count = 0; count < 3; count++) assert.strictEqual((yield* runWhole(server, "agent", ann)).status, 200)
      const refused = yield* runWhole(server, "agent", { ...ann, session_id: "refused" })
      failed(refused, 429, "TOO_MANY_REQUESTS", used)
      assert.strictEqual(refused.headers.get("retry-after"), String(24 * 3600 - 4213))
      assert.strictEqual((yield* get(server, "/sessions/refused")).status, 404)
      assert.strictEqual((yield* runWhole(server, "agent", { ...ann, user_id: "bob" })).status, 200)
      yield* skip(24 * 3600)
      assert.strictEqual((yield* runWhole(server, "agent", ann)).status, 200)
    }))

  it.effect("a budget shows what is left for each user, for a component and for the service, in its currency", () =>
    Effect.gen(function*() {
      const server = yield* started([
        eachUser,
        {
          name: "the agent",
          scope: "component",
          component: { kind: "agent", id: "agent" },
          period: "month",
          amount: 10
        },
        { name: "all", scope: "service", period: "day", amount: 4, currency: "EUR" }
      ], { budgetSettings: { rates: new Map([["USD", 1], ["EUR", 2]]) } })
      yield* runWhole(server, "agent", ann)
      const [first, day] = [yield* currents(server), "2026-11-22T00:00:00Z"]
      assert.deepStrictEqual(first, [
        null,
        { key: "agent agent", spent: 0.4, reserved: 0, left: 9.6, resets_at: "2026-12-01T00:00:00Z" },
        { key: null, spent: 0.2, reserved: 0, left: 3.8, resets_at: day }
      ])
      assert.deepStrictEqual(yield* currents(server, "/budgets?user_id=ann"), [
        { key: "ann", spent: 0.4, reserved: 0, left: 0.6, resets_at: day }
      ])
      const [{ id } = { id: "" }] = list((yield* get(server, "/budgets")).json, "data") as Array<{ id: string }>
      const { json } = yield* get(server, `/budgets/${id}/spending`)
      assert.deepStrictEqual(column(list(json, "data"), "key"), ["ann"])
    }))

  it.effect("a budget of each run counts the runs inside of it, and ends a run that has used it up", () =>
    Effect.gen(function*() {
      const member = yield* agentWith(answers(3), { id: "m", name: "m" })
      const delegating = [
        Script.toolCall("delegate_task_to_member", { member_id: "m", task: "Do it" }),
        Script.usage({ input: 300, output: 100 })
      ]
      const { model } = yield* Script.make([delegating, delegating, answer])
      const team = Team.make({ id: "t", model, members: [member], modelSettings: { maxOutputTokens: 10 } })
      const budgets = [{ name: "each run", scope: "run", amount: 1 }] as const
      const server = yield* serve({ teams: [team], prices, declared: { budgets } })
      const body = new URLSearchParams({ message: "hi", stream: "false" })
      const { json } = yield* ask(server, "/teams/t/runs", { method: "POST", body })
      assert.strictEqual(at(json, "status"), "ERROR")
      assert.include(String(at(json, "content")), "The run has used 1.2 of 1 USD of the budget 'each run'")
    }))

  it.effect("a run that has used up its budget continues when the amount was raised, and not before", () =>
    Effect.gen(function*() {
      const turn = [Script.toolCall("none", {}), Script.usage({ input: 900, output: 100 })]
      const server = yield* serve({ agents: [yield* agentWith([turn, answer])], prices })
      const budget = yield* post(server, "/budgets", { name: "each run", scope: "run", amount: 0.5 })
      assert.strictEqual(budget.status, 201, budget.text)
      const { json } = yield* runWhole(server, "agent", ann)
      assert.deepInclude(json as object, {
        status: "ERROR",
        content: "The run has used 1 of 0.5 USD of the budget 'each run'"
      })
      const body = new URLSearchParams({ session_id: String(at(json, "session_id")), user_id: "ann", stream: "false" })
      const path = `/agents/agent/runs/${String(at(json, "run_id"))}/continue`
      const again = () => ask(server, path, { method: "POST", body })
      failed(yield* again(), 429, "TOO_MANY_REQUESTS", "The run has used 1 of 0.5 USD of the budget 'each run'.")
      const raised = yield* send(server, "PATCH", `/budgets/${String(at(budget.json, "id"))}`, { amount: 2 })
      assert.deepInclude(raised.json as object, { amount: 2, name: "each run", declared: false })
      assert.strictEqual(at((yield* again()).json, "status"), "COMPLETED")
    }))

  it.effect("a budget refuses models without a price, counts them as nothing, or by its own price", () =>
    Effect.gen(function*() {
      const left = Effect.fnUntraced(function*(unpriced: Declaration["unpriced"]) {
        const agents = [yield* agentWith(answers(1))]
        const budgets = [{ name: "all", scope: "service", period: "day", amount: 1, unpriced } as const]
        const server = yield* serve({ agents, prices: Prices.make([]), declared: { budgets } })
        const { json } = yield* runWhole(server, "agent", ann)
        return [at(json, "status"), at(json, "content"), at((yield* currents(server))[0], "spent")]
      })
      assert.deepStrictEqual(yield* left(undefined), [
        "ERROR",
        "The model scripted has no price, and the budget 'all' refuses such models. Give it a price in the file of " +
        "MODEL_PRICES, or change 'unpriced' of the budget",
        0
      ])
      assert.deepStrictEqual(yield* left("zero"), ["COMPLETED", "Yes", 0])
      assert.deepStrictEqual(yield* left({ input: 1000, output: 2000 }), ["COMPLETED", "Yes", 0.5])
    }))

  it.effect("a budget is charged by the answer, and by an estimate if its provider reports no tokens", () =>
    Effect.gen(function*() {
      const agents = [yield* agentWith([[Script.text("Yes")], answer])]
      const server = yield* serve({ agents, prices, declared: { budgets: [{ ...eachUser, amount: 10 }] } })
      yield* runWhole(server, "agent", ann)
      const [estimated] = yield* currents(server, "/budgets?user_id=ann")
      assert.isAbove(Number(at(estimated, "spent")), 0)
      assert.isBelow(Number(at(estimated, "spent")), 0.1)
      assert.strictEqual(at(estimated, "reserved"), 0)
    }))

  it.effect("a budget pays for the optimization of memories, and refuses it when it is used up", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make(answers(4))
      const server = yield* started([eachUser], { model })
      yield* create(server, "The person likes a cup of green tea in the morning")
      const optimize = post(server, "/optimize-memories", { user_id: "ann", apply: false })
      for (const spent of [0.4, 0.8, 1.2]) {
        assert.strictEqual((yield* optimize).status, 200)
        assert.strictEqual(at((yield* currents(server, "/budgets?user_id=ann"))[0], "spent"), spent)
      }
      const refused = yield* optimize
      failed(refused, 429, "TOO_MANY_REQUESTS", used)
      assert.isNotNull(refused.headers.get("retry-after"))
    }))

  it.effect("a budget of the user who starts an evaluation pays for its judge, and so does that of its component", () =>
    Effect.gen(function*() {
      const verdict = [Script.text("{\"score\":9,\"reason\":\"Right\"}"), Script.usage({ input: 300, output: 100 })]
      const { model: judge } = yield* Script.make([verdict, verdict, verdict])
      const budgets = [eachUser, { ...eachUser, name: "each agent", scope: "component" }] as const
      const agents = [yield* agentWith(answers(2))]
      const server = yield* serveClosed({ agents, prices, declared: { budgets }, judge })
      const bearer = yield* token("ann", ...everything, "budgets:read", "agents:run")
      const admin = yield* token("root", "platform:admin")
      const headers = { "content-type": "application/json" }
      const body = JSON.stringify({
        agent_id: "agent",
        input: "Capital?",
        eval_type: "accuracy",
        expected_output: "Yes"
      })
      const { json } = yield* call(server, { path: "/eval-runs", init: { method: "POST", headers, body } }, bearer)
      assert.strictEqual(at(json, "eval_data", "avg_score"), 9)
      for (const [place, key] of ["ann", "agent agent"].entries()) {
        const listed = yield* call(server, { path: "/budgets" }, admin)
        const { json } = yield* call(server, {
          path: `/budgets/${String(at(listed.json, "data", place, "id"))}/spending`
        }, admin)
        assert.deepStrictEqual(column(list(json, "data"), "key"), [key])
        assert.strictEqual(at(json, "data", 0, "spent"), 0.8)
      }
    }))

  it.effect("a budget of a user shows other users nothing, and a caller without the scope does not change it", () =>
    Effect.gen(function*() {
      const budgets = [eachUser, { ...eachUser, name: "Bob's", userId: "bob" }, {
        ...eachUser,
        name: "all",
        scope: "service"
      }]
      const server = yield* serveClosed({
        declared: { budgets: budgets as ReadonlyArray<Declaration> }
      })
      const [admin, user] = [yield* token("root", "platform:admin"), yield* token("ann", ...everything)]
      const as = (bearer: string) => (path: string, init?: RequestInit) =>
        call(server, { path, init: init ?? {} }, bearer)
      const all = list((yield* as(admin)("/budgets")).json, "data") as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(column(all, "name"), ["each user", "Bob's", "all"])
      const own = list((yield* as(user)("/budgets")).json, "data")
      assert.deepStrictEqual(column(own, "name"), ["each user"])
      assert.deepInclude(at(own, 0, "current") as object, { key: "ann", spent: 0, left: 1 })
      for (const { id } of all.slice(1)) {
        for (const path of [`/budgets/${String(id)}`, `/budgets/${String(id)}/spending`]) {
          failed(yield* as(user)(path), 404, "NOT_FOUND", "Budget not found")
        }
      }
      const bearer = yield* token("ann", "budgets:read")
      for (const method of ["PATCH", "DELETE"]) {
        failed(yield* as(bearer)(`/budgets/${String(all[0]?.["id"])}`, { method }), 403, "FORBIDDEN")
      }
    }))

  it.effect("a budget with a field that cannot be is refused with a sentence, and nothing is stored", () =>
    Effect.gen(function*() {
      const server = yield* started([])
      const valid = { name: "b", scope: "user", period: "day", amount: 5 }
      for (
        const [fields, field, message] of [
          [{ amount: -5 }, "amount", "Input should be from 0.000000001 to 1000000"],
          [{ amount: 0 }, "amount", "Input should be from 0.000000001 to 1000000"],
          [{ amount: 1e-12 }, "amount", "Input should be from 0.000000001 to 1000000"],
          [{ amount: 1e300 }, "amount", "Input should be from 0.000000001 to 1000000"],
          [{ currency: "euro" }, "currency", "Input should be the code of a currency, such as USD or EUR"],
          [
            { currency: "GBP" },
            "currency",
            "The currency GBP is not known. Use USD, or set its price in US dollars in " +
            "BUDGET_CURRENCIES, such as GBP=1.08"
          ],
          [{ warn_at: 100 }, "warn_at", "Input should be a whole number from 1 to 99"],
          [{ period: null }, "period", "A budget of the scope user needs a period: day or month"],
          [{ scope: "run" }, "period", "A budget of each run has no period. Leave it out"],
          [{ scope: "service", user_id: "ann" }, "user_id", "A budget of one user has the scope user, not service"],
          [
            { component: { kind: "agent", id: "agent" } },
            "component",
            "A budget of one component has the scope component, " +
            "not user"
          ],
          [
            { scope: "component", component: { kind: "agent", id: "missing" } },
            "component",
            "There is no agent 'missing'. " +
            "The agents are: agent"
          ]
        ] as const
      ) {
        const { json, status } = yield* post(server, "/budgets", { ...valid, ...fields })
        assert.strictEqual(status, 422)
        assert.deepInclude(list(json, "errors")[0] as object, { loc: ["body", field], msg: message })
      }
      assert.strictEqual((yield* post(server, "/budgets", { ...valid, amuont: 5 })).status, 422)
      assert.deepStrictEqual(list((yield* get(server, "/budgets")).json, "data"), [])
      assert.strictEqual((yield* post(server, "/budgets", valid)).status, 201)
      failed(
        yield* post(server, "/budgets", valid),
        409,
        "CONFLICT",
        "Another budget has this name. Choose another one"
      )
      failed(yield* get(server, "/budgets/none"), 404, "NOT_FOUND", "Budget not found")
    }))

  it.effect("a budget that is declared is shown as declared and changed in code only, and a mistake in it refuses the start", () =>
    Effect.gen(function*() {
      const server = yield* started([eachUser])
      const [one] = list((yield* get(server, "/budgets")).json, "data")
      assert.deepInclude(one as object, { name: "each user", warn_at: 80, unpriced: "refuse", declared: true })
      const path = `/budgets/${String(at(one, "id"))}`
      const refused = "The budget is declared in the code of the service. Change it there"
      failed(yield* send(server, "PATCH", path, { amount: 9 }), 409, "CONFLICT", refused)
      failed(yield* ask(server, path, { method: "DELETE" }), 409, "CONFLICT", refused)
      const wrong = [
        { ...eachUser, name: "far", currency: "GBP" },
        { ...eachUser, name: "less", amount: -1 },
        { ...eachUser, name: "other", scope: "component", component: { kind: "team", id: "missing" } }
      ] as const
      const exit = yield* Effect.exit(Effect.flatMap(started(wrong), (server) => get(server, "/health")))
      const text = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
      for (
        const sentence of [
          "The budget 'far': The currency GBP is not known.",
          "The budget 'less': amount: Input should be from 0.000000001",
          "The budget 'other': There is no team 'missing'"
        ]
      ) assert.include(text, sentence)
    }))

  it.effect("a budget is left out by a service without the feature, which executes runs without limits", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [yield* agentWith(answers(3))], prices, without: ["budgets"] })
      assert.strictEqual((yield* get(server, "/budgets")).status, 404)
      for (let count = 0; count < 3; count++) assert.strictEqual((yield* runWhole(server, "agent", ann)).status, 200)
    }))
})
