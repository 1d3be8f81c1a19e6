// `svc run`: the answer, the events, and the decisions that a run waits for.
import { assert, describe, it } from "@effect/vitest"
import * as ForEach from "@svc-runtime/agents/workflow/define/ForEach"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { documentOf } from "../Cli.ts"
import { answering, asking, eventsOf, open } from "./Service.ts"

Tier.oneIn(6)

describe("svc run", () => {
  it.live("the answer is on standard output, and what happens meanwhile on standard error", () =>
    Effect.gen(function*() {
      const { sent, svc } = yield* open({ turns: asking(), tool: {} })
      const ran = yield* svc(["run", "agent/mailer", "Write", "to", "Ann"])
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.strictEqual(ran.written, "Done.\n")
      assert.include(ran.stderr, "→ send_mail({\"to\":\"ann\"})\n← send_mail: sent\n")
      assert.match(ran.stderr, /run \S+ in session \S+/)
      assert.deepStrictEqual(sent, [{ to: "ann" }])
    }))

  it.live("the address of a service that was found is not part of the answer", () =>
    Effect.gen(function*() {
      const { find } = yield* open(answering("Hello."))
      const ran = yield* find(["run", "mailer", "Hi"])
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.strictEqual(ran.stdout + ran.written, "Hello.\n")
      assert.include(ran.stderr, "Service: http://localhost:7777\n")
    }))

  it.live("an error is one line of JSON too, so that what follows a run reads lines only", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering())
      const ran = yield* svc(["run", "agent/none", "Hi", "--json"])
      assert.strictEqual(ran.code, 1)
      assert.lengthOf(ran.stdout.trimEnd().split("\n"), 1, ran.stdout)
      assert.include(documentOf(ran).error, "HTTP 404")
    }))

  it.live("a person who leaves the prompt of a decision sees how to continue the run", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: asking() })
      const left = yield* svc(["run", "mailer", "Write"], { terminal: true, replies: ["leave"] })
      assert.strictEqual(left.code, 1)
      const waits = "The run waits for a decision: send_mail({\"to\":\"ann\"}). Continue it with svc runs continue "
      const id = /runs continue (\S+), in a script with --approve or --reject\.\n/.exec(left.stderr)?.[1]
      assert.include(left.stderr, waits)
      assert.isString(id)
      const again = yield* svc(["runs", "continue", id ?? ""], { terminal: true, replies: ["leave"] })
      assert.include(again.stderr, `svc runs continue ${id},`)
    }))

  it.live("each event is a line with --json, and nothing else is printed", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering("Hello."))
      const { code, stderr, stdout } = yield* svc(["run", "mailer", "Hi", "--json"])
      assert.strictEqual(code, 0)
      assert.strictEqual(stderr, "")
      const names = eventsOf(stdout).map(({ event }) => event)
      assert.strictEqual(names[0], "RunStarted")
      assert.strictEqual(names.at(-1), "RunCompleted")
    }))

  it.live("at a terminal a run that pauses asks for the decision, and continues with it", () =>
    Effect.gen(function*() {
      const { sent, svc } = yield* open({ turns: asking() })
      const ran = yield* svc(["run", "agent/mailer", "Write"], { terminal: true, replies: [true] })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.deepStrictEqual(ran.questions, ["Allow send_mail({\"to\":\"ann\"})?"])
      assert.strictEqual(ran.written, "Done.\n")
      assert.deepStrictEqual(sent, [{ to: "ann" }])
    }))

  it.live("a step that needs a confirmation is shown with what it gets, and a rejection with its reason", () =>
    Effect.gen(function*() {
      const flow = Workflow.make({
        id: "flow",
        steps: [
          Step.make({ name: "draft", run: () => "The draft." }),
          Step.make({ name: "publish", confirmation: { message: "Publish it?" }, run: () => "Published." })
        ]
      })
      const { svc } = yield* open({ turns: [], settings: { workflows: [flow] } })
      const ran = yield* svc(["run", "workflow/flow", "Write"], { terminal: true, replies: [false, "too dear"] })
      assert.deepStrictEqual(ran.questions, ["Publish it?", "Reason (optional)"])
      assert.include(ran.stdout, "The draft.\n")
      const left = yield* svc(["run", "workflow/flow", "Write"])
      assert.include(left.stderr, "The run waits for a decision: step 'publish': a confirmation. ")
    }))

  it.live("all steps that wait are named, and decided at once, at a terminal and by a flag", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const steps = ["a", "b"].map((name) =>
        Step.make({ name, confirmation: true, run: () => (done.push(name), name) })
      )
      const flow = Workflow.make({ id: "flow", steps: [Parallel.make({ name: "all", steps })] })
      const { svc } = yield* open({ turns: [], settings: { workflows: [flow] } })
      const ran = yield* svc(["run", "workflow/flow", "Write"], {
        terminal: true,
        replies: ["All of them", true, true]
      })
      assert.strictEqual(ran.code, 0, ran.stderr)
      const [first, ...others] = ran.questions
      assert.strictEqual(first, "Several steps wait. Which do you decide on?")
      assert.deepStrictEqual(others.toSorted(), ["Execute the step 'a'?", "Execute the step 'b'?"])
      assert.deepStrictEqual(done.splice(0).toSorted(), ["a", "b"])
      const one = yield* svc(["run", "workflow/flow", "Write"], {
        terminal: true,
        replies: ["step 'b' (0/1)", true, "leave"]
      })
      assert.deepStrictEqual(one.questions.slice(1), ["Execute the step 'b'?", "Execute the step 'a'?"])
      assert.deepStrictEqual(done.splice(0), ["b"])
      const left = yield* svc(["run", "workflow/flow", "Write"])
      const id = /svc runs continue (\S+),/.exec(left.stderr)?.[1] ?? ""
      const shown = (yield* svc(["runs", "show", id])).stderr
      assert.include(shown, "It waits for: step 'a' (0/0): a confirmation")
      assert.include(shown, "It waits for: step 'b' (0/1): a confirmation")
      const approved = yield* svc(["runs", "continue", id, "--approve"])
      assert.strictEqual(approved.code, 0, approved.stderr)
      assert.deepStrictEqual(done.toSorted(), ["a", "b"])
    }))

  it.live("a script decides on one of several steps by its name, place or id, with the command that is shown", () =>
    Effect.gen(function*() {
      const room = Step.make({
        name: "room",
        userInput: { schema: Schema.Struct({ room: Schema.String }) },
        run: ({ userInput }) => userInput.room
      })
      const sure = Step.make({ name: "sure", confirmation: true, run: () => "sure" })
      const nested = Step.make({ name: "nested", workflow: Workflow.make({ id: "in", steps: [room] }) })
      const each = ForEach.make({ name: "each", items: () => ["x", "y"], steps: [nested] })
      const flow = Workflow.make({ id: "flow", steps: [Parallel.make({ name: "all", steps: [each, sure] })] })
      const { svc } = yield* open({ turns: [], settings: { workflows: [flow] } })
      const left = yield* svc(["run", "workflow/flow", "Write"])
      const id = /svc runs continue (\S+),/.exec(left.stderr)?.[1] ?? ""
      const shown = (yield* svc(["runs", "show", id])).stderr
      assert.include(shown, "step 'room' (0/0/0/0/0): values for room")
      assert.include(shown, "step 'room' (0/0/1/0/0): values for room")
      const [, flags = ""] = /in a script with (--step \S+ --values) '\{"room": …\}', step by step, or --reject/
        .exec(shown) ?? []
      const decide = (...given: ReadonlyArray<string>) => svc(["runs", "continue", id, ...given])
      const unclear = yield* decide("--step", "room", "--values", "{\"room\": \"7\"}")
      assert.strictEqual(unclear.code, 1)
      assert.include(unclear.stderr, "Several steps that wait are named 'room': step 'room' (0/0/")
      assert.include((yield* decide("--step", "9", "--approve")).stderr, "The run waits for no step '9'")
      assert.strictEqual((yield* decide(...flags.split(" "), "{\"room\": \"7\"}")).code, 3)
      assert.strictEqual((yield* decide("--step", "sure", "--approve")).code, 3)
      assert.strictEqual((yield* decide("--values", "{\"room\": \"8\"}")).code, 0)
    }))

  it.live("other arguments for the call of one step approve no other step", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const publish = Step.make({ name: "publish", confirmation: true, run: () => (done.push("published"), "out") })
      const steps = [Step.make({ name: "write", agent: "mailer" }), publish]
      const flow = Workflow.make({ id: "flow", steps: [Parallel.make({ name: "all", steps })] })
      const { find, sent, svc } = yield* open({ turns: asking(), settings: { workflows: [flow] } })
      const left = yield* find(["run", "workflow/flow", "Write"])
      const id = /svc runs continue (\S+),/.exec(left.stderr)?.[1] ?? ""
      const edited = yield* svc(["runs", "continue", id, "--args", "{\"to\":\"bob\"}"])
      assert.deepStrictEqual([edited.code, sent, done], [3, [{ to: "bob" }], []], edited.stderr)
      assert.include(edited.stderr, "The run waits for a decision: step 'publish' (0/1): a confirmation.")
    }))

  const dayOf = (name: string, more: object = {}) =>
    Step.make({
      name,
      userInput: { message: `When is ${name}?`, schema: Schema.Struct({ day: Schema.String }) },
      run: ({ userInput }) => userInput.day,
      ...more
    })

  const together = (steps: Parameters<typeof Parallel.make>[0]["steps"]) => ({
    workflows: [Workflow.make({ id: "flow", steps: [Parallel.make({ name: "all", steps })] })]
  })

  it.live("a script answers steps that ask for the same one after the other, as the command says", () =>
    Effect.gen(function*() {
      const fails = Step.make({ name: "fails", onError: "pause", run: () => Effect.die(new Error("no")) })
      const { svc } = yield* open({ turns: [], settings: together([dayOf("a"), dayOf("b"), fails]) })
      const left = yield* svc(["run", "workflow/flow", "Write"])
      const id = /svc runs continue (\S+),/.exec(left.stderr)?.[1] ?? ""
      assert.include(left.stderr, "step 'fails' (0/2), which failed: no")
      const flags = /in a script with --step (\S+) --values '{"day": …}', step by step,/.exec(left.stderr)
      const step = flags?.[1] ?? ""
      const shared = yield* svc(["runs", "continue", id, "--values", "{\"day\":\"monday\"}"])
      assert.include(shared.stderr, "Several steps ask for 'day'")
      const approved = yield* svc(["runs", "continue", id, "--approve"])
      assert.include(approved.stderr, `Give it with --step ${step} --values '{"day": …}', step by step,`)
      const other = yield* svc(["runs", "continue", id, "--step", "c", "--approve"])
      assert.include(other.stderr, "The run waits for no step 'c'")
      const one = yield* svc(["runs", "continue", id, "--step", step, "--values", "{\"day\":\"monday\"}"])
      assert.strictEqual(one.code, 3, one.stderr)
      const skipped = yield* svc(["runs", "continue", id, "--step", "fails", "--reject"])
      assert.notInclude(skipped.stderr, "which failed")
      const ended = yield* svc(["runs", "continue", id, "--values", "{\"day\":\"friday\"}"])
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.match(ended.written, /monday|friday/)
    }))

  it.live("at a terminal the values of each step are asked for with its question, and its confirmation first", () =>
    Effect.gen(function*() {
      const steps = [dayOf("a"), dayOf("b", { confirmation: { message: "May b?", onReject: "skip" } })]
      const { svc } = yield* open({ turns: [], settings: together(steps) })
      const left = yield* svc(["run", "workflow/flow", "Write"])
      const id = /svc runs continue (\S+),/.exec(left.stderr)?.[1] ?? ""
      const replies = [true, "friday", "monday"]
      const ran = yield* svc(["runs", "continue", id, "--step", "b"], { terminal: true, replies })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.deepStrictEqual(ran.questions, ["May b?", "day", "day"])
      assert.match(ran.stdout, /When is b\?[^]*When is a\?/)
    }))

  it.live("other arguments for a call are taken while another step waits for values", () =>
    Effect.gen(function*() {
      const settings = together([Step.make({ name: "write", agent: "mailer" }), dayOf("a")])
      const { find, sent, svc } = yield* open({ turns: asking(), settings })
      const left = yield* find(["run", "workflow/flow", "Write"])
      const id = /svc runs continue (\S+),/.exec(left.stderr)?.[1] ?? ""
      const edited = yield* svc(["runs", "continue", id, "--args", "{\"to\":\"bob\"}", "--call", "call_1"])
      assert.deepStrictEqual([edited.code, sent], [3, [{ to: "bob" }]], edited.stderr)
    }))

  it.live("the command names an answer that was cut off", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: [[Script.text("Hello"), Script.finish("length")]] })
      const ran = yield* svc(["run", "mailer", "Hi"])
      assert.include(ran.stderr, "The answer is not whole: it was cut off at the token limit of the model.")
    }))

  it.live("a rejection reaches the model with its reason, and the call is not executed", () =>
    Effect.gen(function*() {
      const { sent, svc } = yield* open({ turns: asking() })
      const ran = yield* svc(["run", "agent/mailer", "Write"], { terminal: true, replies: [false, "not now"] })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.strictEqual(ran.written, "Done.\n")
      assert.deepStrictEqual(sent, [])
    }))

  it.live("values that a person enters are read by the type of their field", () =>
    Effect.gen(function*() {
      const tool = { requiresUserInput: ["to"] as const }
      const { sent, svc } = yield* open({ turns: asking(), tool: tool as never })
      const ran = yield* svc(["run", "agent/mailer", "Write"], { terminal: true, replies: ["bob"] })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.deepStrictEqual(sent, [{ to: "bob" }])
    }))

  it.live("in a script a paused run ends the command with exit code 3, and says how to continue it", () =>
    Effect.gen(function*() {
      const { sent, svc } = yield* open({ turns: asking() })
      const ran = yield* svc(["run", "agent/mailer", "Write"])
      assert.strictEqual(ran.code, 3)
      assert.match(ran.stderr, /svc runs continue \S+/)
      assert.deepStrictEqual(sent, [])
    }))

  it.live("the call of an agent in a workflow is decided, at a terminal and by a flag", () =>
    Effect.gen(function*() {
      const flow = Workflow.make({ id: "flow", steps: [Step.make({ name: "write", agent: "mailer" })] })
      const { find, sent, svc } = yield* open({ turns: [...asking(), ...asking()], settings: { workflows: [flow] } })
      const ran = yield* svc(["run", "workflow/flow", "Write"], { terminal: true, replies: [true] })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.deepStrictEqual(sent, [{ to: "ann" }])
      const paused = yield* find(["run", "workflow/flow", "Write"])
      assert.strictEqual(paused.code, 3, paused.stderr)
      const id = /svc runs continue (\S+),/.exec(paused.stderr)?.[1] ?? ""
      assert.include(
        (yield* svc(["runs", "show", id])).stderr,
        "It waits for: step 'write': send_mail({\"to\":\"ann\"})"
      )
      const approved = yield* svc(["runs", "continue", id, "--approve"])
      assert.strictEqual(approved.code, 0, approved.stderr)
      assert.lengthOf(sent, 2)
    }))

  it.live("a value that is not required is left out by an empty line", () =>
    Effect.gen(function*() {
      const entered: Array<unknown> = []
      const ask = Step.make({
        name: "ask",
        effects: "read",
        userInput: { schema: Schema.Struct({ age: Schema.Int, rank: Schema.optionalKey(Schema.Int) }) },
        run: ({ userInput }) => {
          entered.push(userInput)
          return "Thanks."
        }
      })
      const { svc } = yield* open({ turns: [], settings: { workflows: [Workflow.make({ id: "form", steps: [ask] })] } })
      const ran = yield* svc(["run", "workflow/form", "Hi"], { terminal: true, replies: ["7", ""] })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.deepStrictEqual(entered, [{ age: 7 }])
    }))

  it.live("a workflow that waits for values names its step and them, and --approve is refused without a request", () =>
    Effect.gen(function*() {
      const ask = Step.make({
        name: "ask",
        effects: "read",
        userInput: { schema: Schema.Struct({ age: Schema.Int, rank: Schema.optionalKey(Schema.Int) }) },
        run: () => "Thanks."
      })
      const { requests, svc } = yield* open({
        turns: [],
        settings: { workflows: [Workflow.make({ id: "form", steps: [ask] })] }
      })
      const paused = yield* svc(["run", "workflow/form", "Hi"])
      assert.strictEqual(paused.code, 3, paused.stderr)
      const id = /svc runs continue (\S+),/.exec(paused.stderr)?.[1] ?? ""
      assert.include((yield* svc(["runs", "show", id])).stderr, "It waits for: step 'ask': values for age, rank")
      const before = requests.length
      const approved = yield* svc(["runs", "continue", id, "--approve", "--json"])
      assert.strictEqual(approved.code, 1)
      const { error, hint } = documentOf(approved)
      assert.include(error, "--approve cannot give what the run waits for: step 'ask': values for age, rank")
      assert.include(hint ?? "", `svc runs continue ${id} in a terminal`)
      assert.isFalse(requests.slice(before).some((request) => request.endsWith("/continue")))
    }))

  it.live("a call that fails is shown once", () =>
    Effect.gen(function*() {
      const tool = { execute: () => Promise.reject(new Error("no such address")) }
      const { svc } = yield* open({ turns: asking(), tool: tool as never })
      const { stderr } = yield* svc(["run", "agent/mailer", "Write"])
      assert.lengthOf(stderr.match(/← send_mail/g) ?? [], 1, stderr)
      assert.include(stderr, "← send_mail failed: ")
    }))

  it.live("the problems of a request that the service refuses are each named once", () =>
    Effect.gen(function*() {
      const { find, http } = yield* open(answering())
      const refused = (request: Request) =>
        request.method === "POST"
          ? Response.json({
            detail: "Field required",
            errors: [{ loc: ["body", "message"], msg: "Field required", type: "missing" }]
          }, { status: 422 })
          : http(request)
      const { stderr } = yield* find(["run", "agent/mailer", "Hi"], { http: refused })
      assert.include(stderr, "failed: body.message: Field required (HTTP 422)")
    }))

  it.live("an id alone is looked up in the kinds that the credential may list", () =>
    Effect.gen(function*() {
      const { find, http } = yield* open(answering("Hello."))
      const forbidden = (request: Request) =>
        /\/(?:teams|workflows)$/.test(new URL(request.url).pathname)
          ? Response.json({ detail: "Insufficient scopes" }, { status: 403 })
          : http(request)
      const ran = yield* find(["run", "mailer", "Hi"], { http: forbidden })
      assert.strictEqual(ran.written, "Hello.\n", ran.stderr)
      const unknown = yield* find(["run", "desk", "Hi"], { http: forbidden })
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.stderr, "The credential may not list teams and workflows: try team/desk.")
    }))

  it.live("a run that waits for a time asks nothing, and says when it continues", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: [[Script.toolCall("sleep", { seconds: 3600 })]] })
      const ran = yield* svc(["run", "agent/mailer", "Wait"], { terminal: true })
      assert.strictEqual(ran.code, 3, ran.stderr)
      assert.deepStrictEqual(ran.questions, [])
      assert.match(ran.stderr, /waits until \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
    }))

  it.live("a run that fails ends the command with exit code 1 and the reason", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: [[Script.fail("The model is away")]] })
      const ran = yield* svc(["run", "agent/mailer", "Write"])
      assert.strictEqual(ran.code, 1, ran.stderr)
      assert.include(ran.stderr, "The run ended as ERROR")
    }))

  it.live("a run in the background is started, and its id is the document", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering("Hello."))
      const made = documentOf<{ run_id: string; session_id: string; component: string }>(
        yield* svc(["run", "mailer", "Hi", "--background", "--session", "s", "--json"])
      )
      assert.deepInclude(made, { session_id: "s", component: "agent/mailer" })
      const watched = yield* svc(["runs", "watch", made.run_id])
      assert.strictEqual(watched.code, 0, watched.stderr)
      assert.strictEqual(watched.written, "Hello.\n")
    }))

  it.live("files are sent with the message, and a missing one starts no run", () =>
    Effect.gen(function*() {
      const { at, requests, svc } = yield* open(answering("Read."))
      at.write("note.txt", "tea")
      const ran = yield* svc(["run", "mailer", "Read", "--file", "note.txt"])
      assert.strictEqual(ran.code, 0, ran.stderr)
      const before = requests.length
      const missing = yield* svc(["run", "mailer", "Read", "--file", "none.txt"])
      assert.strictEqual(missing.code, 1)
      assert.include(missing.stderr, "Could not read none.txt: no such file or directory\n")
      assert.notInclude(requests.slice(before), "POST /agents/mailer/runs")
    }))

  it.live("control characters of an answer are shown as escapes", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering("\u001B[31mred\u0007"))
      assert.strictEqual((yield* svc(["run", "mailer", "Hi"])).written, "\\u001b[31mred\\u0007\n")
    }))

  it.live("a component that is unknown, or no component at all, is an error that names what there is", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering())
      const unknown = yield* svc(["run", "nothing", "Hi"])
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.stderr, "The service has agent/mailer.")
      const malformed = yield* svc(["run", "tool/x", "Hi"])
      assert.strictEqual(malformed.code, 2)
      assert.include(malformed.stderr, "expected agent/ID, team/ID or workflow/ID")
      const absent = yield* svc(["run", "agent/none", "Hi"])
      assert.strictEqual(absent.code, 1)
      assert.include(absent.stderr, "HTTP 404")
    }))

  it.live("a factory input that is no JSON object is refused before anything is sent", () =>
    Effect.gen(function*() {
      const { requests, svc } = yield* open(answering())
      for (const text of ["{", "[]", "1", "null"]) {
        assert.strictEqual((yield* svc(["run", "mailer", "Hi", "--factory-input", text])).code, 2, text)
      }
      assert.deepStrictEqual(requests, [])
    }))
})
