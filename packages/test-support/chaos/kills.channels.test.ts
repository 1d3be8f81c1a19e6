import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as Chat from "./Chat.ts"
import * as Progress from "./Progress.ts"

/** Where a node can die while a message is answered. `acknowledged`: at once after the platform has its response. */
const points = [
  "acknowledged",
  "model",
  "post.before",
  "post.after",
  "edit.before",
  "edit.after"
] as const

/** The same while a decision is made: when the button was pressed, and where the run continues. */
const decisions = [
  { moment: "acknowledged", text: "" },
  { moment: "model", text: "pay" },
  { moment: "edit.before", text: "✓ Approved" },
  { moment: "edit.after", text: "✓ Approved" },
  { moment: "post.before", text: "" },
  { moment: "edit.after", text: "Paid" }
] as const

const message = (thread: string, text: string) => ({ id: `${thread} ${text}`, type: "message", thread, text }) as const

/** Whether a posted message is found again by its key. */
const platforms = [["that finds messages", true], ["that does not find messages", false]] as const

describe.each(Tier.some(platforms, 1))("a service that is killed while it answers on a platform %s", (_, finds) => {
  it.live("each message that was acknowledged is answered once, and in its order", () =>
    Effect.scoped(Effect.gen(function*() {
      const world = yield* Chat.world(finds)
      let node = yield* world.start("only")
      const url = () => node.url
      for (const moment of Tier.some([...points], 1)) {
        const kill = Effect.gen(function*() {
          const thread = `killed at ${moment}`
          if (moment !== "acknowledged") world.setTrap({ moment, text: "", signal: "SIGKILL" })
          yield* world.deliver([url], message(thread, "1"))
          if (moment === "acknowledged") yield* node.end("SIGKILL")
          assert.strictEqual(yield* node.ended, "SIGKILL", moment)
          node = yield* world.start("only")
          // the platform has not seen the acknowledgement, and delivers it again
          yield* world.deliver([url], message(thread, "1"))
          yield* world.deliver([url], message(thread, "2"))
          const answers = ["Answer to 1.", "Answer to 2."]
          yield* Chat.until(() => world.seen(thread).some(({ text }) => text === answers[1]))
          world.check(thread, answers)
        })
        yield* Progress.watched(moment, world.signs, kill)
      }
    })))

  it.live("a decision counts once, is shown where it was asked for, and the run continues there", () =>
    Effect.scoped(Effect.gen(function*() {
      const world = yield* Chat.world(finds)
      let node = yield* world.start("only")
      const url = () => node.url
      for (const { moment, text } of Tier.some([...decisions], 1)) {
        const thread = `decided, killed at ${moment} ${text}`
        const kill = Effect.gen(function*() {
          yield* world.deliver([url], message(thread, "pay"))
          yield* Chat.until(() => world.seen(thread).some(({ prompt }) => prompt !== undefined))
          const prompt = world.seen(thread).find(({ prompt }) => prompt !== undefined)?.prompt?.id ?? ""
          const press = { id: `press ${thread}`, type: "press", thread, prompt, choice: "approve" } as const
          if (moment !== "acknowledged") world.setTrap({ moment, text, signal: "SIGKILL" })
          yield* world.deliver([url], press)
          if (moment === "acknowledged") yield* node.end("SIGKILL")
          assert.strictEqual(yield* node.ended, "SIGKILL", thread)
          node = yield* world.start("only")
          yield* world.deliver([url], press)
          yield* Chat.until(() => world.seen(thread).some(({ text }) => text === "Paid for pay"))
          yield* Chat.until(() => world.seen(thread).every(({ prompt }) => prompt === undefined))
          const [first, ...others] = world.seen(thread).map(({ text }) => text).filter((text) => text !== "…")
          assert.match(first ?? "", /^pay needs a confirmation\.\n\n✓ Approved( by person of .*)?$/, thread)
          assert.deepStrictEqual(others, ["Paid for pay"], thread)
        })
        yield* Progress.watched(thread, world.signs, kill)
      }
    })))

  it.live("a node that freezes writes nothing more when another one has answered", () =>
    Effect.scoped(Effect.gen(function*() {
      const world = yield* Chat.world(finds)
      const nodes = { a: yield* world.start("a"), b: yield* world.start("b") }
      const urls = [() => nodes.a.url, () => nodes.b.url]
      for (const moment of Tier.some(["post.before", "post.after", "edit.before", "edit.after"] as const, 1)) {
        const thread = `frozen at ${moment}`
        const freeze = Effect.gen(function*() {
          world.setTrap({ moment, text: "", signal: "SIGSTOP" })
          yield* world.deliver(urls, message(thread, "1"))
          yield* Chat.until(() => world.caught() !== undefined)
          const [frozen, other] = world.caught() === "a" ? [nodes.a, nodes.b] : [nodes.b, nodes.a]
          const answers = ["Answer to 1.", "Answer to 2."]
          yield* world.deliver([() => other.url], message(thread, "2"))
          yield* Chat.until(() => world.seen(thread).some(({ text }) => text === answers[1]))
          yield* frozen.signal("SIGCONT")
          yield* world.deliver([() => frozen.url], message(thread, "3"))
          yield* Chat.until(() => world.seen(thread).some(({ text }) => text === "Answer to 3."))
          world.check(thread, [...answers, "Answer to 3."])
        })
        yield* Progress.watched(thread, world.signs, freeze)
      }
    })))
})
