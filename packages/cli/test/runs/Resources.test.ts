// `svc runs`, `svc sessions` and `svc approvals`, against the service.
import { assert, describe, it } from "@effect/vitest"
import * as Router from "@svc-runtime/agents/workflow/define/Router"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import type { ToolContext } from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { documentOf } from "../Cli.ts"
import { answering, asking, open } from "./Service.ts"

Tier.oneIn(6)

interface Runs {
  readonly runs: ReadonlyArray<{ readonly run_id: string; readonly session_id: string; readonly status: string }>
  readonly total: number
}

const listed = (svc: Effect.Success<ReturnType<typeof open>>["svc"], ...argv: ReadonlyArray<string>) =>
  Effect.map(svc(["runs", "list", ...argv, "--json"]), documentOf<Runs>)

describe("svc runs", () => {
  it.live("runs are listed by status, component and session, and no list says how to start one", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: [...asking(), ...asking()] })
      const none = yield* svc(["runs", "list"])
      assert.include(none.stdout, "There are no such runs. Start one with svc run.")
      yield* svc(["run", "mailer", "Write", "--session", "s"])
      const { runs: [paused], total } = yield* listed(svc, "--status", "paused", "--component", "mailer")
      assert.strictEqual(total, 1)
      assert.deepInclude(paused, { session_id: "s", status: "PAUSED" })
      assert.strictEqual((yield* listed(svc, "--session", "other")).total, 0)
      assert.strictEqual((yield* listed(svc, "--status", "completed")).total, 0)
      const table = yield* svc(["runs", "list"])
      assert.include(table.stdout, "agent/mailer")
      assert.include(table.stdout, "PAUSED")
      for (const argv of [["--limit", "0"], ["--limit", "101"], ["--status", "lost"]]) {
        assert.strictEqual((yield* svc(["runs", "list", ...argv])).code, 2, argv.join(" "))
      }
    }))

  it.live("the branches of a session are made, listed and switched", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering("Hello Bob", "Hello Ann", "Hello again"))
      const branchesOf = Effect.map(
        svc(["sessions", "branches", "s", "--json"]),
        documentOf<{
          readonly runs: ReadonlyArray<{
            readonly run_id: string
            readonly previous_run_id: string | null
            readonly is_on_path: boolean
            readonly run_input: string
          }>
        }>
      )
      yield* svc(["run", "mailer", "I am Bob", "--session", "s"])
      const [bob] = (yield* branchesOf).runs
      const edited = yield* svc(["runs", "edit", bob!.run_id, "I", "am", "Ann"])
      assert.strictEqual(edited.stdout + edited.written, "Hello Ann\n")
      const again = yield* svc(["runs", "regenerate", bob!.run_id])
      assert.strictEqual(again.stdout + again.written, "Hello again\n")
      const three = (yield* branchesOf).runs
      assert.deepStrictEqual(
        three.map(({ is_on_path, previous_run_id, run_input }) => [
          run_input,
          previous_run_id,
          is_on_path
        ]),
        [["I am Bob", null, false], ["I am Ann", null, false], ["I am Bob", null, true]]
      )
      assert.strictEqual((yield* svc(["sessions", "switch", "s", three[1]!.run_id])).code, 0)
      const shown = (yield* branchesOf).runs
      assert.deepStrictEqual(shown.map(({ is_on_path }) => is_on_path), [false, true, false])
      const table = (yield* svc(["sessions", "branches", "s"])).stdout
      assert.match(table, /start +yes +COMPLETED +I am Ann/)
      const lost = yield* svc(["sessions", "switch", "s", "lost"])
      assert.strictEqual(lost.code, 1)
    }))

  it.live("a table in a pipe has each row on one line, and in a narrow terminal each cell", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: asking() })
      yield* svc(["run", "mailer", "Write", "--session", "s".repeat(60)])
      const lines = (yield* svc(["runs", "list"])).stdout.trimEnd().split("\n")
      assert.lengthOf(lines, 2)
      assert.match(lines[0] ?? "", /^Run +Component +Status/)
      const { stdout } = yield* svc(["runs", "list"], { variables: { COLUMNS: "40" } })
      assert.include(stdout, "\nComponent: agent/mailer\n")
    }))

  it.live("a paused run is shown with what it waits for, and continued with a decision of a flag", () =>
    Effect.gen(function*() {
      const { sent, svc } = yield* open({ turns: asking() })
      yield* svc(["run", "mailer", "Write"])
      const id = (yield* listed(svc)).runs[0]!.run_id
      const shown = yield* svc(["runs", "show", id])
      assert.include(shown.stdout, "Status:     PAUSED")
      assert.include(shown.stderr, "It waits for: send_mail({\"to\":\"ann\"})")
      const undecided = yield* svc(["runs", "continue", id])
      assert.strictEqual(undecided.code, 1)
      assert.include(undecided.stderr, "The run waits for a decision: send_mail({\"to\":\"ann\"})\n")
      assert.include(
        undecided.stderr,
        `Decide with --approve or --reject, or run svc runs continue ${id} in a terminal.`
      )
      assert.strictEqual((yield* svc(["runs", "continue", id, "--approve", "--reject"])).code, 2)
      const continued = yield* svc(["runs", "continue", id, "--approve"])
      assert.strictEqual(continued.code, 0, continued.stderr)
      assert.strictEqual(continued.written, "Done.\n")
      assert.deepStrictEqual(sent, [{ to: "ann" }])
      assert.deepInclude(documentOf<object>(yield* svc(["runs", "show", id, "--json"])), { status: "COMPLETED" })
    }))

  it.live("a script continues a run with values, as an approval, and learns which values are missing or unknown", () =>
    Effect.gen(function*() {
      const { find, requests, sent, svc } = yield* open({ turns: asking(), tool: { requiresUserInput: ["to"] } })
      const paused = yield* svc(["run", "mailer", "Write"])
      const id = /svc runs continue (\S+),/.exec(paused.stderr)?.[1] ?? ""
      assert.include(paused.stderr, ", in a script with --values '{\"to\": …}' or --reject.")
      const approved = yield* svc(["runs", "continue", id, "--approve"])
      assert.include(approved.stderr, "Give it with --values '{\"to\": …}', reject it with --reject, or run ")
      const before = requests.length
      const unknown = yield* svc(["runs", "continue", id, "--values", "{\"ot\":\"bob\"}"])
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.stderr, "The run asks for no 'ot'. It asks for 'to'")
      assert.isFalse(requests.slice(before).some((request) => request.endsWith("/continue")))
      const wrong = yield* svc(["runs", "continue", id, "--values", "{\"to\":5}"])
      assert.include(wrong.stderr, "(HTTP 422)")
      for (const argv of [["--values", "[]"], ["--values", "{}", "--reject"]]) {
        assert.strictEqual((yield* find(["runs", "continue", id, ...argv])).code, 2, argv.join(" "))
      }
      const ended = yield* svc(["runs", "continue", id, "--values", "{\"to\":\"bob\"}"])
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual(sent, [{ to: "bob" }])
      const late = yield* svc(["runs", "continue", id, "--values", "{\"to\":\"bob\"}"])
      assert.include(late.stderr, "The run asks for no values, result or choices")
    }))

  it.live("a script gives each of several calls that ask for the same its own values", () =>
    Effect.gen(function*() {
      const calls = ["ann", "eve"].map((to, index) => Script.toolCall("send_mail", { to }, `mail_${index}`))
      const { sent, svc } = yield* open({
        turns: [calls, [Script.text("Done.")]],
        tool: { requiresUserInput: ["to"] }
      })
      const paused = yield* svc(["run", "mailer", "Write"])
      const id = /svc runs continue (\S+),/.exec(paused.stderr)?.[1] ?? ""
      const shared = yield* svc(["runs", "continue", id, "--values", "{\"to\":\"bob\"}"])
      assert.include(shared.stderr, "Several calls ask for 'to': send_mail (mail_0), send_mail (mail_1)")
      const values = JSON.stringify({ mail_0: { to: "bob" }, mail_1: { to: "joe" } })
      const ended = yield* svc(["runs", "continue", id, "--values", values])
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual(sent, [{ to: "bob" }, { to: "joe" }])
    }))

  it.live("values do not approve a call that asks for none", () =>
    Effect.gen(function*() {
      const { sent, svc } = yield* open({ turns: asking() })
      const paused = yield* svc(["run", "mailer", "Write"])
      const id = /svc runs continue (\S+),/.exec(paused.stderr)?.[1] ?? ""
      const given = yield* svc(["runs", "continue", id, "--values", "{}"])
      assert.strictEqual(given.code, 1)
      assert.include(given.stderr, "The run asks for no values, result or choices")
      assert.include(given.stderr, "Decide with --approve or --reject.")
      assert.deepStrictEqual(sent, [])
    }))

  it.live("a script continues a run with the result of its call", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: asking(), tool: { externalExecution: true } })
      const paused = yield* svc(["run", "mailer", "Write"])
      const id = /svc runs continue (\S+),/.exec(paused.stderr)?.[1] ?? ""
      assert.include(paused.stderr, ", in a script with --result TEXT or --reject.")
      const ended = yield* svc(["runs", "continue", id, "--result", "Printed"])
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.include((yield* svc(["runs", "show", id])).stdout, "Printed")
    }))

  /** A call that was cut off after its effect. Its repetition has a result. */
  const cutOff = Effect.fnUntraced(function*(tool: Parameters<typeof open>[0]["tool"] = {}) {
    const sent: Array<unknown> = []
    const execute = (input: unknown) => {
      sent.push(input)
      if (sent.length === 1) throw new OutcomeLost({ message: "The connection broke" })
      return "sent"
    }
    const { svc } = yield* open({ turns: asking(), tool: { ...tool, execute } })
    const paused = yield* svc(["run", "mailer", "Write", ...tool.requiresUserInput === undefined ? [] : ["--json"]])
    const id = documentOf<{ runs: ReadonlyArray<{ run_id: string }> }>(yield* svc(["runs", "list", "--json"])).runs[0]!
      .run_id
    if (tool.requiresUserInput !== undefined) yield* svc(["runs", "continue", id, "--values", `{"to":"bob"}`])
    const resultOf = Effect.map(
      svc(["runs", "show", id, "--json"]),
      (ran) => documentOf<{ tools: ReadonlyArray<{ result: string }> }>(ran).tools.map(({ result }) => result)
    )
    return { id, paused, resultOf, sent, svc }
  })

  const [repeat, give, skip] = ["Repeat it", "Give its result", "Skip it"]

  it.live.each<readonly [string, ReadonlyArray<string | boolean>, result: string, sent: number]>([
    ["repeated", [repeat], "sent", 2],
    ["given its result, which is no empty line", [give, "", "It was sent"], "It was sent", 1],
    ["skipped, with a reason", [skip, "Not again"], "Not again", 1]
  ])(
    "at a terminal a call whose outcome is unknown is named as such, and can be %s",
    ([, replies, result, times]) =>
      Effect.gen(function*() {
        for (const tool of [{}, { requiresUserInput: ["to"] as const }]) {
          const { id, resultOf, sent, svc } = yield* cutOff(tool as never)
          const ended = yield* svc(["runs", "continue", id], { terminal: true, replies })
          assert.strictEqual(ended.code, 0, ended.stderr)
          const to = sent.length > 0 && JSON.stringify(sent[0])
          assert.strictEqual(
            ended.questions[0],
            `send_mail(${to}) has started, and its outcome is unknown: The connection broke`
          )
          assert.include((yield* resultOf)[0], result)
          assert.lengthOf(sent, times)
        }
      })
  )

  it.live.each<readonly [ReadonlyArray<string>, result: string, sent: number]>([
    [["--approve"], "sent", 2],
    [["--result", "It was sent"], "It was sent", 1],
    [["--reject", "--note", "Not again"], "Not again", 1]
  ])(
    "a script reads how to decide on a call whose outcome is unknown, and does it with %s",
    ([flags, result, times]) =>
      Effect.gen(function*() {
        const { id, paused, resultOf, sent, svc } = yield* cutOff()
        const call = `send_mail({"to":"ann"})`
        const ways = `--approve, which executes ${call} again, --result TEXT or --reject`
        assert.include(paused.stderr, `${call}, which has started, and whose outcome is unknown: The connection broke`)
        assert.include(paused.stderr, `svc runs continue ${id}, in a script with ${ways}.`)
        const undecided = yield* svc(["runs", "continue", id])
        assert.include(undecided.stderr, `Decide with ${ways}, or run svc runs continue ${id} in a terminal.`)
        const ended = yield* svc(["runs", "continue", id, ...flags])
        assert.strictEqual(ended.code, 0, ended.stderr)
        assert.include((yield* resultOf)[0], result)
        assert.lengthOf(sent, times)
      })
  )

  it.live("a script continues a workflow with the values or the choices of its step", () =>
    Effect.gen(function*() {
      const say = (text: string) => Step.make({ name: text, run: () => text })
      const steps = [
        Step.make({
          name: "day",
          userInput: { schema: Schema.Struct({ day: Schema.Literals(["monday", "friday"]) }) },
          run: ({ userInput }) => `On ${userInput.day}.`
        }),
        Router.make({ name: "way", choices: [say("by bike, in parts"), say("by_car")], selection: {} })
      ]
      const { svc } = yield* open({
        turns: [],
        settings: { workflows: [Workflow.make({ id: "trip", steps })] }
      })
      const paused = yield* svc(["run", "workflow/trip", "Hi"])
      const id = /svc runs continue (\S+),/.exec(paused.stderr)?.[1] ?? ""
      assert.include(paused.stderr, ", in a script with --values '{\"day\": …}' or --reject.")
      const routed = yield* svc(["runs", "continue", id, "--values", "{\"day\":\"friday\"}"])
      assert.strictEqual(routed.code, 3, routed.stderr)
      assert.include(routed.stderr, ", in a script with --choices NAME or --reject.")
      const none = yield* svc(["runs", "continue", id, "--choices", ""])
      assert.strictEqual(none.code, 1)
      assert.include(none.stderr, "failed: way needs --choices among 'by bike, in parts', 'by_car' (HTTP 422)\n")
      assert.notInclude(none.stderr, "step_requirements")
      const ended = yield* svc(["runs", "continue", id, "--choices", "by bike, in parts"])
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.include(ended.written, "by bike, in parts")
    }))

  it.live("a script approves a call with other arguments, which are refused if they are not whole", () =>
    Effect.gen(function*() {
      const { sent, svc } = yield* open({ turns: asking() })
      const id = /svc runs continue (\S+),/.exec((yield* svc(["run", "mailer", "Write"])).stderr)?.[1] ?? ""
      const both = yield* svc(["runs", "continue", id, "--args", "{\"to\":\"bob\"}", "--reject"])
      assert.strictEqual(both.code, 2, both.stderr)
      const partial = yield* svc(["runs", "continue", id, "--args", "{}"])
      assert.strictEqual(partial.code, 1)
      assert.include(partial.stderr, "the arguments of send_mail (call_1) do not fit")
      const other = yield* svc(["runs", "continue", id, "--args", "{\"to\":\"bob\"}", "--call", "call_2"])
      assert.include(other.stderr, "The run waits for no call 'call_2'. It waits for send_mail (call_1)")
      const done = yield* svc(["runs", "continue", id, "--args", "{\"to\":\"bob\"}"])
      assert.strictEqual(done.code, 0, done.stderr)
      assert.deepStrictEqual(sent, [{ to: "bob" }])
    }))

  it.live("a workflow in a workflow is continued, and the command ends as the outer run", () =>
    Effect.gen(function*() {
      const steps = [Router.make({ name: "way", choices: [Step.make({ name: "a", run: () => "A" })], selection: {} })]
      const inner = Workflow.make({ id: "inner", steps })
      const outer = Workflow.make({ id: "outer", steps: [Step.make({ name: "all", workflow: inner })] })
      const { svc } = yield* open({ turns: [], settings: { workflows: [outer] } })
      const paused = yield* svc(["run", "workflow/outer", "Hi"])
      const id = /svc runs continue (\S+),/.exec(paused.stderr)?.[1] ?? ""
      const ended = yield* svc(["runs", "continue", id, "--choices", "a"])
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.include(ended.stderr, `run ${id} in session`)
      assert.include(ended.written, "A")
    }))

  it.live("an event is sent to a run by its name, with a value that is JSON", () =>
    Effect.gen(function*() {
      const tool = {
        execute: (_: unknown, { waitFor }: ToolContext) => waitFor("paid").then((paid) => JSON.stringify(paid))
      }
      const { svc } = yield* open({ turns: asking(), tool })
      const paused = yield* svc(["run", "mailer", "Write"])
      const id = (yield* listed(svc)).runs[0]!.run_id
      assert.include(paused.stderr, `Continue it with svc runs send ${id} paid.`)
      const unknown = yield* svc(["runs", "send", id, "payed"])
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.stderr, "The run does not wait for the event 'payed'. It waits for 'paid'\n")
      assert.strictEqual((yield* svc(["runs", "send", id, "paid", "no json"])).code, 2)
      const done = yield* svc(["runs", "send", id, "paid", "{\"cents\": 1200}"])
      assert.strictEqual(done.code, 0, done.stderr)
      assert.strictEqual(done.written, "Done.\n")
      assert.include((yield* svc(["runs", "show", id])).stdout, "{\"cents\":1200}")
    }))

  it.live("a paused run is cancelled, and cancelling it again says how it ended", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: asking() })
      yield* svc(["run", "mailer", "Write"])
      const id = (yield* listed(svc)).runs[0]!.run_id
      assert.include((yield* svc(["runs", "cancel", id])).stdout, "has ended as CANCELLED")
      assert.strictEqual((yield* listed(svc, "--status", "cancelled")).total, 1)
      assert.include((yield* svc(["runs", "cancel", id])).stdout, "has ended as CANCELLED")
    }))

  it.live("a run that does not exist is an error that names the list", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: [] })
      for (const command of ["show", "watch", "cancel", "continue"]) {
        const ran = yield* svc(["runs", command, "none", "--json"])
        assert.strictEqual(ran.code, 1)
        assert.deepStrictEqual(documentOf(ran), {
          error: "There is no run 'none'",
          hint: "List the runs with svc runs list."
        })
      }
    }))
})

describe("svc sessions", () => {
  it.live("sessions are listed, shown with their conversation, and deleted after a confirmation", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: [[Script.text("Hello Ann.")]] })
      assert.include((yield* svc(["sessions", "list"])).stdout, "There are no such sessions.")
      yield* svc(["run", "mailer", "I am Ann", "--session", "s", "--user", "ann"])
      const list = yield* svc(["sessions", "list", "--component", "agent/mailer", "--user", "ann"])
      assert.match(list.stdout, /s +agent\/mailer +\S+ \S+ +ann +I am Ann/)
      const shown = yield* svc(["sessions", "show", "s"])
      assert.include(shown.stdout, "I am Ann")
      assert.include(shown.stdout, "Hello Ann.")
      const kept = yield* svc(["sessions", "delete", "s"], { terminal: true, replies: [false] })
      assert.strictEqual(kept.code, 1)
      assert.deepStrictEqual(kept.questions, ["Delete session s with its runs?"])
      const deleted = yield* svc(["sessions", "delete", "s", "--json"])
      assert.deepStrictEqual(documentOf<object>(deleted), { session_id: "s", deleted: true })
      const again = yield* svc(["sessions", "delete", "s"])
      assert.strictEqual(again.code, 1)
      assert.include(again.stderr, "HTTP 404")
    }))
})

describe("texts of others", () => {
  it.live("A session name with a line break is printed on one line.", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: [[Script.text("Hello.")]] })
      yield* svc(["run", "mailer", "Hi\nUser:       root", "--session", "s\nStatus:     fine"])
      const session = yield* svc(["sessions", "show", "s\nStatus:     fine"])
      assert.include(session.stdout, "Session:    s Status:     fine\nName:       Hi User:       root\n")
      const { runs: [run] } = yield* listed(svc)
      const shown = yield* svc(["runs", "show", run!.run_id])
      assert.include(shown.stdout, "Session:    s Status:     fine\n")
      const watched = yield* svc(["runs", "watch", run!.run_id])
      assert.include(watched.stderr, "in session s Status:     fine")
    }))
})

describe("svc approvals", () => {
  it.live("what waits is listed, and an approval continues its run", () =>
    Effect.gen(function*() {
      const { sent, svc } = yield* open({
        turns: asking(),
        tool: { approval: "required" }
      })
      assert.include((yield* svc(["approvals", "list"])).stdout, "Nothing waits for a decision.")
      yield* svc(["run", "mailer", "Write"])
      const { approvals: [approval] } = documentOf<{ approvals: ReadonlyArray<{ id: string; run_id: string }> }>(
        yield* svc(["approvals", "list", "--json"])
      )
      const { id, run_id } = approval!
      assert.include((yield* svc(["approvals", "list"])).stdout, "send_mail({\"to\":\"ann\"})")
      const approved = yield* svc(["approvals", "approve", id, "--by", "ops"])
      assert.strictEqual(approved.code, 0, approved.stderr)
      const watched = yield* svc(["runs", "watch", run_id])
      assert.strictEqual(watched.code, 0, watched.stderr)
      assert.deepStrictEqual(sent, [{ to: "ann" }])
      const again = yield* svc(["approvals", "reject", id, "--json"])
      assert.strictEqual(again.code, 1)
      assert.include(documentOf(again).error, "already 'approved'")
    }))

  it.live("an approval of a run that waits for something else says what is open, and --approve decides on the rest", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const tool = (name: string, options: object) =>
        Tool.make({ name, ...options, execute: () => (done.push(name), name) })
      const { model } = yield* Script.make([
        [Script.toolCall("buy", {}, "buy_1"), Script.toolCall("send", {}, "send_1")],
        [Script.text("Done.")]
      ])
      const tools = [tool("buy", { approval: "required" }), tool("send", { requiresConfirmation: true })]
      const { svc } = yield* open({ turns: [], settings: { agents: [Agent.make({ id: "shop", model, tools })] } })
      yield* svc(["run", "shop", "Buy"])
      const { approvals: [approval] } = documentOf<{ approvals: ReadonlyArray<{ id: string; run_id: string }> }>(
        yield* svc(["approvals", "list", "--json"])
      )
      const { id, run_id } = approval!
      const approved = yield* svc(["approvals", "approve", id])
      assert.strictEqual(approved.code, 0, approved.stderr)
      assert.include(approved.stdout + approved.stderr, `Run ${run_id} stays paused. It still waits for: send(`)
      assert.deepStrictEqual(done, [])
      const continued = yield* svc(["runs", "continue", run_id, "--approve"])
      assert.strictEqual(continued.code, 0, continued.stderr)
      assert.deepStrictEqual(done.toSorted(), ["buy", "send"])
    }))

  /** The approval that a run waits for. */
  const waiting = Effect.fnUntraced(function*(tool: object) {
    const service = yield* open({ turns: asking(), tool: { approval: "required", ...tool } })
    yield* service.svc(["run", "mailer", "Write"])
    const { approvals: [approval] } = documentOf<{ approvals: ReadonlyArray<{ id: string; run_id: string }> }>(
      yield* service.svc(["approvals", "list", "--json"])
    )
    const { id, run_id } = approval!
    const decide = (...given: ReadonlyArray<string>) =>
      service.svc(["approvals", ...given.slice(0, 1), id, ...given.slice(1)])
    return { ...service, decide, ended: service.svc(["runs", "watch", run_id]) }
  })

  it.live.each<readonly [string, object, refused: ReadonlyArray<string>, given: ReadonlyArray<string>, sent: unknown]>([
    ["edited arguments", {}, ["--args", "{\"too\":\"bob\"}"], ["--args", "{\"to\":\"bob\"}"], [{ to: "bob" }]],
    ["values", { requiresUserInput: ["to"] }, [], ["--values", "{\"to\":\"bob\"}"], [{ to: "bob" }]],
    ["a result", { externalExecution: true, execute: undefined }, [], ["--result", "by hand"], []]
  ])("an approval is given what its call needs: %s", ([, tool, refused, given, expected]) =>
    Effect.gen(function*() {
      const { decide, ended, sent, svc } = yield* waiting(tool)
      const first = yield* decide("approve", ...refused)
      assert.strictEqual(first.code, 1, first.stdout)
      assert.match(first.stderr, /send_mail/)
      const approved = yield* decide("approve", ...given, "--note", "as agreed")
      assert.strictEqual(approved.code, 0, approved.stderr)
      assert.strictEqual((yield* ended).code, 0)
      assert.deepStrictEqual(sent, expected)
      const { stdout } = yield* svc(["approvals", "list", "--status", "approved", "--json"])
      assert.include(stdout, "as agreed")
    }))

  it.live("the id of an approval can begin with a dash", () =>
    Effect.gen(function*() {
      const { decide, svc } = yield* waiting({})
      for (const id of [`-${"a".repeat(42)}`, `--${"b".repeat(41)}`, `-d${"-".repeat(41)}`]) {
        const { code, stderr } = yield* svc(["approvals", "approve", id, "--by", "ops"])
        assert.strictEqual(code, 1, stderr)
        assert.include(stderr, "Approval not found")
      }
      assert.strictEqual((yield* decide("approve", "--by", "ops")).code, 0)
    }))

  it.live("a rejection has a note, and what is no JSON object is refused before anything is sent", () =>
    Effect.gen(function*() {
      const { decide, requests, sent } = yield* waiting({})
      const before = requests.length
      for (const name of ["--args", "--values"]) {
        for (const text of ["{", "[]", "5"]) {
          const { code, stderr } = yield* decide("approve", name, text)
          assert.strictEqual(code, 2)
          assert.include(stderr, `Invalid ${name} value. Expected a JSON object`)
        }
      }
      assert.strictEqual((yield* decide("reject", "--args", "{}")).code, 2)
      assert.strictEqual(requests.length, before)
      assert.strictEqual((yield* decide("reject", "--note", "too late")).code, 0)
      assert.deepStrictEqual(sent, [])
    }))
})
