// What runs of a channel wait for: buttons, forms and words on the platform, and decisions that are made elsewhere.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Database } from "@svc-runtime/engine/database/Database"
import type { Durable } from "@svc-runtime/engine/durable/Durable"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as MemoryPlatform from "@svc-runtime/test-support/platforms/MemoryPlatform"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { at, get, list, post } from "../Wire.ts"
import * as Chatting from "./Chatting.ts"
import { args, mail } from "./Mailing.ts"
import { passing } from "./ScheduleTime.ts"

Tier.oneIn(4)

const asking = [[Script.text("I would send this."), Script.toolCall("send_mail", args, "call_1")], [
  Script.text("Sent it.")
]]

/** A person asks for a mail, and the agent waits for a decision. */
const paused = Effect.fnUntraced(function*(
  options: Partial<Tool.Options<typeof mail>> = { requiresConfirmation: true },
  { turns = asking, ...chat }: Chatting.Options & { readonly turns?: ReadonlyArray<Script.Turn> } = {}
) {
  const sent: Array<unknown> = []
  const { model } = yield* Script.make(turns)
  const execute = (input: unknown) => {
    sent.push(input)
    return "sent"
  }
  const send_mail = Tool.make({ name: "send_mail", parameters: mail, execute, ...options })
  const chatting = yield* Chatting.chatting({
    agents: [Agent.make({ id: "desk", model, tools: [send_mail] })],
    ...chat
  })
  const { platform, send } = chatting
  yield* send({ id: "E1", text: "Mail him" })
  const question = () => platform.messages.find(({ asks, prompt }) => prompt !== undefined || asks !== undefined)
  yield* Chatting.until(platform, () => question() !== undefined)
  const prompt = question()?.prompt
  let count = 0
  const press = (choice: string, fields: Partial<MemoryPlatform.Written> = {}) =>
    send({ id: `P${++count}`, type: "press", prompt: prompt?.id, choice, ...fields })
  return { ...chatting, press, prompt, sent }
})

const question = "I would send this.\n\nsend_mail needs a confirmation.\n\n```\nto: a@b.c\ntext: hi\n```"

describe("pauses of a channel", () => {
  it.effect("a call is approved with a button, and the run continues in the conversation", () =>
    Effect.gen(function*() {
      const { platform, press, prompt, says, sent } = yield* paused()
      assert.deepStrictEqual(platform.texts(), [question])
      assert.deepStrictEqual(prompt?.choices.map(({ id, label }) => [id, label]), [
        ["approve", "Approve"],
        ["reject", "Reject"],
        ["edit", "Edit"]
      ])
      yield* press("approve")
      yield* says("Sent it.")
      assert.deepStrictEqual(platform.texts(), [`${question}\n\n✓ Approved by Name of U1`, "Sent it."])
      assert.isUndefined(platform.messages[0]?.prompt)
      assert.deepStrictEqual(sent, [args])
    }))

  it.effect("a call is rejected with a reason, which the model reads", () =>
    Effect.gen(function*() {
      const { platform, press, says, sent, server } = yield* paused()
      yield* press("reject", { values: { reason: "Too early" } })
      yield* says("Sent it.")
      assert.strictEqual(platform.texts()[0], `${question}\n\n✗ Rejected by Name of U1: Too early`)
      assert.deepStrictEqual(sent, [])
      const session_id = String(at(list((yield* get(server, "/sessions?type=agent")).json, "data"), 0, "session_id"))
      const { text } = yield* get(server, `/agents/desk/runs?session_id=${session_id}`)
      assert.include(text, "Too early")
    }))

  it.effect("a call is made with the values of the form", () =>
    Effect.gen(function*() {
      const { platform, press, prompt, says, sent } = yield* paused()
      const fields = prompt?.choices.find(({ id }) => id === "edit")?.form?.fields
      assert.deepStrictEqual(fields?.map(({ name, value }) => [name, value]), Object.entries(args))
      yield* press("edit", { values: { to: "d@e.f", text: "hi", other: "x" } })
      yield* says("Sent it.")
      assert.deepStrictEqual(sent, [{ ...args, to: "d@e.f" }])
      assert.strictEqual(platform.texts()[0], `${question}\n\n✓ Approved with changes by Name of U1`)
    }))

  it.effect("the press of a person whose run it is not is refused, and decides nothing", () =>
    Effect.gen(function*() {
      const { platform, press, says, sent } = yield* paused()
      yield* press("approve", { sender: "U2" })
      yield* says("You may not decide this. The person who asked me may, and people who approve.")
      assert.isDefined(platform.messages[0]?.prompt)
      yield* press("reject", { sender: "U2", values: {} })
      yield* Chatting.until(platform, () => platform.messages.length === 3)
      assert.deepStrictEqual(sent, [])
      yield* press("approve")
      yield* says("Sent it.")
    }))

  it.effect("a call that needs an approval is decided by an approver, and not by the person who asked", () =>
    Effect.gen(function*() {
      const channel = { access: { type: "open", approvers: ["BOSS"] } } as const
      const { platform, press, says, sent, server } = yield* paused({ approval: "required" }, { channel })
      yield* press("approve")
      yield* says("This needs the approval of another person, who may approve calls.")
      assert.deepStrictEqual(sent, [])
      yield* press("approve", { sender: "BOSS" })
      yield* says("Sent it.")
      assert.match(platform.texts()[0] ?? "", /✓ Approved by Name of BOSS$/)
      const [approval] = list((yield* get(server, "/approvals")).json, "data")
      assert.strictEqual(at(approval, "status"), "approved")
      assert.strictEqual(at(approval, "resolved_by"), "__channel__:chat:BOSS")
    }))

  it.effect("a second press changes nothing, and says so", () =>
    Effect.gen(function*() {
      const { platform, press, says, sent } = yield* paused()
      yield* press("approve")
      yield* says("Sent it.")
      yield* press("reject", { values: {} })
      yield* says("This was decided already.")
      assert.deepStrictEqual(sent, [args])
      assert.deepStrictEqual(platform.texts(), [
        `${question}\n\n✓ Approved by Name of U1`,
        "Sent it.",
        "This was decided already."
      ])
    }))

  for (
    const [decision, expected] of [
      [{ confirmed: true }, "✓ Approved"],
      [{ confirmed: false, confirmation_note: "No" }, "✗ Rejected: No"]
    ] as const
  ) {
    it.effect(`a decision over the API is shown where it was asked for, and the run continues there: ${expected}`, () =>
      Effect.gen(function*() {
        const { platform, press, says, server } = yield* paused()
        const session_id = at(list((yield* get(server, "/sessions?type=agent")).json, "data"), 0, "session_id")
        const runs = yield* get(server, `/agents/desk/runs?session_id=${String(session_id)}`)
        const path = `/agents/desk/runs/${String(at(list(runs.json)[0], "run_id"))}`
        const run = yield* get(server, `${path}?session_id=${String(session_id)}`)
        const requirements = [{ id: at(run.json, "requirements", 0, "id"), ...decision }]
        const continued = yield* post(server, `${path}/continue`, { session_id, stream: false, requirements })
        assert.strictEqual(continued.status, 200, continued.text)
        yield* says("Sent it.")
        assert.deepStrictEqual(platform.texts(), [`${question}\n\n${expected}`, "Sent it."])
        yield* press("approve")
        yield* says("This was decided already.")
      }))
  }

  it.effect.each(
    [
      ["a rejected call", { requiresConfirmation: true }],
      ["a question of a call, which is declined", {
        execute: (_: unknown, { pause }: Pick<Durable, "pause">) => pause({ question: "Sure?" })
      }]
    ] as const
  )("what was decided elsewhere is shown while the model answers: %s", ([, options]) =>
    Effect.gen(function*() {
      const ends = yield* Deferred.make<void>()
      const turns = [...asking.slice(0, 1), [Script.wait(ends), Script.text("Sent it.")]]
      const { platform, says, server } = yield* paused(options, { turns })
      const session_id = String(at(list((yield* get(server, "/sessions?type=agent")).json, "data"), 0, "session_id"))
      const runs = yield* get(server, `/agents/desk/runs?session_id=${session_id}`)
      const path = `/agents/desk/runs/${String(at(list(runs.json)[0], "run_id"))}`
      const id = at((yield* get(server, `${path}?session_id=${session_id}`)).json, "requirements", 0, "id")
      const requirements = [{ id, confirmed: false, confirmation_note: "No" }]
      const decided = yield* Effect.forkChild(
        post(server, `${path}/continue`, { session_id, stream: false, requirements })
      )
      yield* Chatting.until(platform, () => platform.texts()[0]?.endsWith("✗ Rejected: No") === true)
      yield* Deferred.succeed(ends, undefined)
      assert.strictEqual((yield* Fiber.join(decided)).status, 200)
      yield* says("Sent it.")
    }))

  it.effect("a decision whose signal was lost is found later", () =>
    Effect.gen(function*() {
      const database = (stores: Database): Database => ({
        ...stores,
        jobs: {
          ...stores.jobs,
          hasten: (kind, key) => kind === "channel_pause" ? Effect.void : stores.jobs.hasten(kind, key)
        }
      })
      const { platform, says, server } = yield* paused({ approval: "required" }, { database })
      const [approval] = list((yield* get(server, "/approvals")).json, "data")
      yield* post(server, `/approvals/${String(at(approval, "id"))}/resolve`, { status: "rejected" })
      yield* says("Sent it.")
      assert.match(platform.texts()[0] ?? "", /✗ Rejected$/)
    }))

  it.effect("an approval over the API is shown where it was asked for", () =>
    Effect.gen(function*() {
      const { platform, says, sent, server } = yield* paused({ approval: "required" })
      const [approval] = list((yield* get(server, "/approvals")).json, "data")
      yield* post(server, `/approvals/${String(at(approval, "id"))}/resolve`, { status: "approved" })
      yield* says("Sent it.")
      assert.match(platform.texts()[0] ?? "", /✓ Approved$/)
      assert.deepStrictEqual(sent, [args])
    }))

  it.effect("the arguments of a call are shown as they are, and too long ones say how long they are", () =>
    Effect.gen(function*() {
      const text = `\`\`\`\n**Approved** already${"!".repeat(1000)}`
      const turns = [[Script.toolCall("send_mail", { to: "[x](https://a.b)", text }, "call_1")]]
      const { platform } = yield* paused(undefined, { turns })
      const cut = `${text.slice(0, 499)}… (${text.length} characters)`
      assert.strictEqual(
        platform.texts()[0],
        `send_mail needs a confirmation.\n\n\`\`\`\`\nto: [x](https://a.b)\ntext: ${cut}\n\`\`\`\``
      )
    }))

  it.effect("values are entered in a form", () =>
    Effect.gen(function*() {
      const { platform, press, prompt, says, sent } = yield* paused({ requiresUserInput: ["to"] })
      assert.deepStrictEqual(prompt?.choices.map(({ id }) => id), ["answer", "reject"])
      yield* press("answer", { values: { to: "d@e.f" } })
      yield* says("Sent it.")
      assert.deepStrictEqual(sent, [{ ...args, to: "d@e.f" }])
      assert.match(platform.texts()[0] ?? "", /✓ Answered by Name of U1$/)
    }))

  it.effect("what another person writes is a message, and no answer to the form of the person who asked", () =>
    Effect.gen(function*() {
      const channel = { access: { type: "open", approvers: ["BOSS"] } } as const
      const turns = [...asking.slice(0, 1), [Script.text("It is sunny.")], ...asking.slice(1)]
      const { press, says, send, sent } = yield* paused({ requiresUserInput: ["to"] }, { channel, turns })
      yield* send({ id: "E2", sender: "BOSS", text: "What is the weather?" })
      yield* says("It is sunny.")
      assert.deepStrictEqual(sent, [])
      yield* press("answer", { values: { to: "d@e.f" } })
      yield* says("Sent it.")
      assert.deepStrictEqual(sent, [{ ...args, to: "d@e.f" }])
    }))

  it.effect("without forms, the fields are asked for one after the other, and texts fill them in", () =>
    Effect.gen(function*() {
      const platform = MemoryPlatform.make({ limits: { hasForms: false } })
      const { press, says, send, sent } = yield* paused({ requiresConfirmation: true }, { platform })
      yield* press("edit")
      yield* says("Please write: **to**. It is now: a@b.c\n\nWrite **-** to keep it.")
      assert.deepStrictEqual(platform.messages.at(-1)?.asks, { sender: "U1", placeholder: "to" })
      yield* send({ id: "E2", text: "d@e.f" })
      yield* says("Please write: **text**. It is now: hi\n\nWrite **-** to keep it.")
      // the value stays as it is
      yield* send({ id: "E3", text: "-" })
      yield* says("Sent it.")
      assert.deepStrictEqual(sent, [{ ...args, to: "d@e.f" }])
      assert.strictEqual(platform.texts()[0], `${question}\n\n✓ Approved with changes by Name of U1`)
    }))

  it.effect("without forms, a rejection has the reason that is written next", () =>
    Effect.gen(function*() {
      const platform = MemoryPlatform.make({ limits: { hasForms: false } })
      const { press, says, send } = yield* paused({ requiresConfirmation: true }, { platform })
      yield* press("reject")
      yield* says("Please write: **Reason**\n\nWrite **-** to leave it out.")
      yield* send({ id: "E2", text: "Too early" })
      yield* says("Sent it.")
      assert.strictEqual(platform.texts()[0], `${question}\n\n✗ Rejected by Name of U1: Too early`)
    }))

  for (const [text, decided] of [["Yes", "✓ Approved"], ["Too early", "✗ Rejected: Too early"]] as const) {
    it.effect(`without buttons, a text decides: ${text}`, () =>
      Effect.gen(function*() {
        const platform = MemoryPlatform.make({ isFixed: true, limits: { hasButtons: false, hasForms: false } })
        const { prompt, says, send, sent } = yield* paused({ requiresConfirmation: true }, { platform })
        assert.isUndefined(prompt)
        const how = "Write **yes** to approve. Another text rejects it, and is the reason."
        assert.deepStrictEqual(platform.texts(), [`${question}\n\n${how}`])
        yield* send({ id: "E2", text })
        yield* says("Sent it.")
        assert.strictEqual(sent.length, decided.startsWith("✓") ? 1 : 0)
        assert.strictEqual(platform.messages.length, 2)
      }))
  }

  for (const [how, hasButtons] of [["a button", true], ["a text", false]] as const) {
    it.effect(`a decision by ${how} counts once, also when it is handled again`, () =>
      Effect.gen(function*() {
        let failures = 0
        const database = (stores: Database): Database => {
          const { channels } = stores
          const handled: typeof channels.handled = (event, handling) =>
            Effect.suspend(() =>
              event.event.id === "D1" && failures++ < 2
                ? new StorageUnavailable({ cause: "away" })
                : channels.handled(event, handling)
            )
          return { ...stores, channels: { ...channels, handled } }
        }
        const platform = MemoryPlatform.make({ limits: { hasButtons } })
        const { prompt, says, send, sent, server } = yield* paused(undefined, { platform, database })
        yield* hasButtons
          ? send({ id: "D1", type: "press", prompt: prompt?.id, choice: "approve" })
          : send({ id: "D1", text: "yes" })
        yield* says("Sent it.")
        yield* passing(Effect.sleep("30 seconds"))
        assert.strictEqual(failures, 3)
        assert.deepStrictEqual(sent, [args])
        assert.strictEqual(platform.messages.length, 2)
        const session_id = at(list((yield* get(server, "/sessions?type=agent")).json, "data"), 0, "session_id")
        assert.strictEqual(
          list((yield* get(server, `/agents/desk/runs?session_id=${String(session_id)}`)).json).length,
          1
        )
      }))
  }

  it.effect("a message whose run has begun answers nothing, also when it is handled again", () =>
    Effect.gen(function*() {
      const first = yield* Deferred.make<void>()
      let isAway = true
      let failures = 0
      const database = (stores: Database): Database => {
        const { channels } = stores
        const handled: typeof channels.handled = (event, handling) =>
          Effect.suspend(() => {
            if (event.event.id !== "E2" || !isAway) return channels.handled(event, handling)
            failures++
            return new StorageUnavailable({ cause: "away" })
          })
        return { ...stores, channels: { ...channels, handled } }
      }
      const platform = MemoryPlatform.make({ limits: { hasButtons: false, hasForms: false } })
      const { model } = yield* Script.make([
        [Script.wait(first), Script.toolCall("send_mail", args, "call_1")],
        [Script.text("Yes what?")]
      ])
      const sent: Array<unknown> = []
      const execute = (input: unknown) => {
        sent.push(input)
        return "sent"
      }
      const send_mail = Tool.make({ name: "send_mail", parameters: mail, requiresConfirmation: true, execute })
      const agents = [Agent.make({ id: "desk", model, tools: [send_mail] })]
      const { says, send } = yield* Chatting.chatting({ agents, platform, database })
      yield* send({ id: "E1", text: "Mail him" })
      yield* send({ id: "E2", text: "yes" })
      yield* passing(Effect.repeat(Effect.yieldNow, { until: () => failures > 0 }))
      yield* Deferred.succeed(first, undefined)
      yield* Chatting.until(platform, () => platform.texts().some((text) => text.includes("needs a confirmation")))
      isAway = false
      yield* says("Yes what?")
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("without buttons, values are asked for in the message itself", () =>
    Effect.gen(function*() {
      const platform = MemoryPlatform.make({ limits: { hasButtons: false, hasForms: false } })
      const { says, send, sent } = yield* paused({ requiresUserInput: ["to"] }, { platform })
      assert.match(platform.texts()[0] ?? "", /Please write: \*\*to\*\*/)
      assert.deepStrictEqual(platform.messages[0]?.asks, { sender: "U1" })
      yield* send({ id: "E2", text: "d@e.f" })
      yield* says("Sent it.")
      assert.deepStrictEqual(sent, [{ ...args, to: "d@e.f" }])
    }))

  it.effect("a text that decides nothing is another message while buttons wait", () =>
    Effect.gen(function*() {
      const turns = [asking[0]!, [Script.text("It is noon.")], asking[1]!]
      const { platform, press, says, send, sent } = yield* paused(undefined, { turns })
      yield* send({ id: "E2", text: "What time is it?" })
      yield* says("It is noon.")
      assert.isDefined(platform.messages[0]?.prompt)
      yield* press("approve")
      yield* says("Sent it.")
      assert.deepStrictEqual(sent, [args])
    }))
})
