// Which runs of a component are found, and in which order.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as Sort from "@svc-runtime/domain/Sort"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import type { FoundAt, RunListFilter, RunSearch } from "@svc-runtime/engine/run/store/RunReads"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { Effect, Option } from "effect"
import { awkward, ending, newRun, runId, userId } from "../Samples.ts"

const component = { kind: "agent", id: "assistant" } as const

const searching = (search: Partial<RunSearch>) =>
  RunStore.use((store) => store.search({ filter: { owner: Owner.anyone, component }, limit: 100, ...search }))

const listing = (filter: Partial<RunListFilter>, page: Pagination.Request = { page: 1, limit: 100 }) =>
  RunStore.use((store) => store.listAll({ owner: Owner.anyone, ...filter }, page))

const idsOf = (found: { readonly runs: ReadonlyArray<{ readonly run_id: string }> }) =>
  found.runs.map(({ run_id }) => run_id)

export const searchingRuns = (it: Vitest.MethodsNonLive<RunStore>) => {
  it.effect("runs of a user are found with the last changed one first, page by page", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      const owner = Owner.user(user_id)
      const begun = Array.from({ length: 5 }, () => newRun({ user_id }))
      for (const run of begun) yield* store.create(run)
      for (const [index, run] of begun.slice(0, 4).entries()) {
        yield* store.finish({ ...ending(run), updated_at: 2_000_000_000 - index })
      }
      const found: Array<string> = []
      let after: FoundAt | undefined
      for (;;) {
        const page = yield* searching({ filter: { owner, component }, after, limit: 2 })
        assert.strictEqual(page.total, 5)
        if (page.runs.length === 0) break
        found.push(...idsOf(page))
        after = page.runs.at(-1)
      }
      assert.deepStrictEqual(found, begun.map(({ run_id }) => run_id))
    }))

  it.effect("a list of all runs of a user has the newest first, on pages with the total", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      const owner = Owner.user(user_id)
      const begun = Array.from({ length: 5 }, () => newRun({ user_id }))
      for (const run of begun) yield* store.create(run)
      const newest = begun.map(({ run_id }) => run_id).toReversed()
      for (const page of [1, 2, 3, 4]) {
        const found = yield* listing({ owner }, { page, limit: 2 })
        assert.strictEqual(found.total, 5)
        assert.deepStrictEqual(idsOf(found), newest.slice(2 * page - 2, 2 * page))
      }
      assert.deepStrictEqual(idsOf(yield* listing({ owner: Owner.user(userId()) })), [])
    }))

  it.effect("a list of all runs by session, by status or by component has only those, and none inside of others", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      const owner = Owner.user(user_id)
      const [done, open] = [newRun({ user_id }), newRun({ user_id })]
      for (const run of [done, open]) yield* store.create(run)
      yield* store.finish({ ...ending(done), updated_at: 2_000_000_000 })
      const found = (filter: Partial<RunListFilter>) => Effect.map(listing({ owner, ...filter }), idsOf)
      assert.deepStrictEqual(yield* found({ session_id: open.session_id }), [open.run_id])
      assert.deepStrictEqual(yield* found({ run_id: open.run_id }), [open.run_id])
      assert.deepStrictEqual(yield* found({ run_id: open.run_id, session_id: done.session_id }), [])
      assert.deepStrictEqual(yield* found({ run_id: open.run_id, owner: Owner.user(userId()) }), [])
      assert.deepStrictEqual(yield* found({ status: "COMPLETED" }), [done.run_id])
      assert.deepStrictEqual(yield* found({ status: "PAUSED" }), [])
      assert.deepStrictEqual(yield* found({ kind: "agent", component_id: "assistant" }), [open.run_id, done.run_id])
      assert.deepStrictEqual(yield* found({ kind: "team" }), [])
      const { created_at } = open
      assert.deepStrictEqual(yield* found({ createdAfter: created_at }), [open.run_id, done.run_id])
      assert.deepStrictEqual(yield* found({ createdAfter: created_at + 1 }), [])
      assert.deepStrictEqual(yield* found({ createdBefore: created_at }), [open.run_id, done.run_id])
      assert.deepStrictEqual(yield* found({ createdBefore: created_at - 1 }), [])
      assert.deepStrictEqual(yield* found({ component_id: "nothing" }), [])
      const [item] = (yield* listing({ owner, session_id: done.session_id })).runs
      assert.deepInclude(item, { user_id, status: "COMPLETED", kind: "agent", updated_at: 2_000_000_000 })
    }))

  it.effect("a list of all runs has their model and what they used, and is sorted by it with the unknown last", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      const [cheap, dear, open] = [newRun({ user_id }), newRun({ user_id }), newRun({ user_id })]
      for (const run of [cheap, dear, open]) yield* store.create(run)
      const used = (total_tokens: number, cost: number, duration: number) => ({
        model: "large",
        model_provider: "OpenAI",
        metrics: { input_tokens: total_tokens, total_tokens, cost, duration, details: { model: [] } }
      })
      for (const [run, output] of [[cheap, used(20, 0.01, 9)], [dear, used(10, 0.5, 0.25)]] as const) {
        yield* store.finish({ ...ending(run, { run: output }), usage: output.metrics })
      }
      const sorted = (by: string, order: Sort.Order) =>
        Effect.map(listing({ owner: Owner.user(user_id), sort: { by, order } }), idsOf)
      assert.deepStrictEqual(yield* sorted("cost", "desc"), [dear.run_id, cheap.run_id, open.run_id])
      assert.deepStrictEqual(yield* sorted("cost", "asc"), [cheap.run_id, dear.run_id, open.run_id])
      assert.deepStrictEqual(yield* sorted("total_tokens", "desc"), [cheap.run_id, dear.run_id, open.run_id])
      assert.deepStrictEqual(yield* sorted("duration", "asc"), [dear.run_id, cheap.run_id, open.run_id])
      for (const unknown of ["created_at", "constructor"]) {
        assert.deepStrictEqual(yield* sorted(unknown, "asc"), [cheap.run_id, dear.run_id, open.run_id])
      }
      const { runs: [running, ended] } = yield* listing({ owner: Owner.user(user_id) })
      assert.deepInclude(running, { model: null, usage: null, duration: null })
      assert.deepInclude(ended, {
        model: "large",
        model_provider: "OpenAI",
        usage: { input_tokens: 10, total_tokens: 10, cost: 0.5 },
        duration: 250
      })
      const [first] = (yield* listing({ owner: Owner.user(user_id), sort: { by: "cost", order: "desc" } }, {
        page: 2,
        limit: 1
      })).runs
      assert.strictEqual(first?.run_id, cheap.run_id)
    }))

  it.effect("a search by session, by status, by run or by time finds only those", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      const filter = { owner: Owner.user(user_id), component }
      const [done, open] = [newRun({ user_id }), newRun({ user_id })]
      for (const run of [done, open]) yield* store.create(run)
      yield* store.finish({ ...ending(done), updated_at: 2_000_000_000 })
      const found = (search: Partial<RunSearch>) => Effect.map(searching({ filter, ...search }), idsOf)
      assert.deepStrictEqual(yield* found({ session_id: open.session_id }), [open.run_id])
      assert.deepStrictEqual(yield* found({ statuses: ["COMPLETED"] }), [done.run_id])
      assert.deepStrictEqual(yield* found({ statuses: [] }), [])
      assert.deepStrictEqual(yield* found({ run_id: open.run_id }), [open.run_id])
      assert.deepStrictEqual(yield* found({ updatedFrom: 2_000_000_000 }), [done.run_id])
    }))

  it.effect("a run whose texts a database cannot store as text is found with its metadata", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      for (const text of awkward) {
        const metadata = { a2a: { messageId: text, [text]: "\\u0000" } }
        const [open, done] = [newRun({ command: { metadata, message: text } }), newRun()]
        yield* store.create(open)
        yield* store.create(done)
        yield* store.finish(ending(done, { run: { content: text, metadata } }))
        for (const { session_id } of [open, done]) {
          assert.deepStrictEqual((yield* searching({ session_id })).runs[0]?.metadata, metadata)
        }
      }
    }))

  it.effect("a search by the type of the last error finds the runs with it, or the others", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      const filter = { owner: Owner.user(user_id), component }
      const failed = Effect.fnUntraced(function*(error_type: string) {
        const run = newRun({ user_id })
        yield* store.create(run)
        const end = ending(run)
        const event: RunEvent.RunEvent = {
          event: "RunError",
          event_index: 1,
          nested_depth: 0,
          created_at: run.created_at,
          run_id: run.run_id,
          session_id: run.session_id,
          agent_id: component.id,
          agent_name: "Assistant",
          content: awkward.join(),
          error_type
        }
        yield* store.finish({ ...end, run: { ...end.run, status: "ERROR" }, events: [event] })
        return run.run_id
      })
      const rejected = yield* failed("input_check_error")
      const broken = yield* failed("agent_run_error")
      const found = (isMeant: boolean) =>
        Effect.map(
          searching({ filter, statuses: ["ERROR"], errorType: { type: "input_check_error", isMeant } }),
          idsOf
        )
      assert.deepStrictEqual(yield* found(true), [rejected])
      assert.deepStrictEqual(yield* found(false), [broken])
    }))

  it.effect("a page of a search begins behind the runs that are skipped, and has the total of all", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      const filter = { owner: Owner.user(user_id), component }
      const begun = Array.from({ length: 3 }, () => newRun({ user_id }))
      for (const run of begun) yield* store.create(run)
      const [last, middle, first] = idsOf(yield* searching({ filter }))
      const page = (offset: number) =>
        Effect.map(searching({ filter, limit: 2, offset }), (found) => [idsOf(found), found.total])
      assert.deepStrictEqual(yield* page(0), [[last, middle], 3])
      assert.deepStrictEqual(yield* page(2), [[first], 3])
      assert.deepStrictEqual(yield* page(4), [[], 3])
    }))

  it.effect("a search reads as many runs as fit into one response, at least one, and gives the bytes of all", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      const filter = { owner: Owner.user(user_id), component }
      const begun = Array.from({ length: 5 }, () => newRun({ user_id }))
      for (const run of begun) {
        yield* store.create(run)
        // long texts are stored apart, short ones are not
        const content = `${run.run_id} `.repeat(run === begun[0] ? 100 : 250_000)
        yield* store.finish(ending(run, { run: { content } }))
      }
      const limit = StoreLimits.defaults.response
      assert.isAbove((yield* searching({ filter, isReading: true })).bytes, limit)
      const { bytes, runs, total } = yield* searching({ filter, isReading: true, limit: 3 })
      assert.strictEqual(total, 5)
      assert.isBelow(bytes, limit)
      assert.strictEqual(runs.length, 3)
      const all = yield* searching({ filter, isReading: true })
      assert.isBelow(all.runs.length, 5)
      assert.isAbove(all.runs.length, 0)
      assert.isTrue(all.runs.every(({ output }) => output !== undefined))
    }))

  it.effect("a search that reads gives each run without its messages, and of its events the last one of a failed run", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      const filter = { owner: Owner.user(user_id), component }
      const [done, failed, open] = [newRun({ user_id }), newRun({ user_id }), newRun({ user_id })]
      for (const run of [done, failed, open]) yield* store.create(run)
      const text = awkward.join()
      yield* store.finish({ ...ending(done, { run: { content: text } }), updated_at: 2_000_000_002 })
      const end = ending(failed)
      yield* store.finish({ ...end, run: { ...end.run, status: "ERROR", content: "why" }, updated_at: 2_000_000_001 })
      const { runs } = yield* searching({ filter, isReading: true })
      assert.deepStrictEqual(
        runs.map(({ output }) => [output?.run_id, output?.status, output?.content]),
        [[done.run_id, "COMPLETED", text], [failed.run_id, "ERROR", "why"], [open.run_id, "RUNNING", undefined]]
      )
      assert.isUndefined((yield* searching({ filter })).runs[0]?.output)
      const [first, second] = runs.map(({ output }) => output)
      assert.notProperty(first, "messages")
      const last = (yield* store.readEvents(failed.session_id, failed.run_id, filter, { after: -1, limit: 100 })).pipe(
        Option.map(({ events }) => events.slice(-1))
      )
      assert.deepStrictEqual([first?.events, second?.events], [[], Option.getOrUndefined(last)])
    }))

  it.effect("runs of others, of other components and runs inside of a run are not found", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      const run = newRun({ user_id })
      yield* store.create(run)
      const member: Run.Output = {
        run_id: runId(),
        agent_id: component.id,
        session_id: run.session_id,
        parent_run_id: run.run_id,
        content_type: "str",
        created_at: run.created_at,
        status: "COMPLETED"
      }
      yield* store.recordMembers({ ...run, attempt: 1 }, [member])
      const found = (search: Partial<RunSearch>) => Effect.map(searching(search), idsOf)
      const session_id = run.session_id
      assert.deepStrictEqual(yield* found({ session_id }), [run.run_id])
      assert.deepStrictEqual(yield* found({ session_id, filter: { owner: Owner.user(userId()), component } }), [])
      assert.deepStrictEqual(yield* found({ session_id, filter: { owner: Owner.none, component } }), [])
      const other = { kind: "agent", id: "other" } as const
      assert.deepStrictEqual(yield* found({ session_id, filter: { owner: Owner.anyone, component: other } }), [])
    }))
}
