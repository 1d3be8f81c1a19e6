// `svc channels`, against the service.
import { assert, describe, it } from "@effect/vitest"
import * as Channel from "@svc-runtime/channels/Channel"
import * as MemoryPlatform from "@svc-runtime/test-support/platforms/MemoryPlatform"
import { Effect } from "effect"
import { documentOf } from "./Cli.ts"
import { answering, open } from "./runs/Service.ts"

const serving = Effect.fnUntraced(function*() {
  const platform = MemoryPlatform.make()
  const channels = [Channel.make({ id: "chat", agent: "mailer" }, platform.adapter)]
  const opened = yield* open({ ...answering("Hello Ann"), settings: { declared: { channels } } })
  return { ...opened, platform }
})

describe("svc channels", () => {
  it.live("an account is linked with the code of the channel, written to, listed and removed", () =>
    Effect.gen(function*() {
      const { platform, server, svc } = yield* serving()
      yield* server.fetch("/channels/chat/events", MemoryPlatform.delivery({ id: "E1", sender: "U1" }))
      yield* platform.until(() => platform.texts().some((text) => text.includes("**")))
      const code = /\*\*([A-Z0-9-]{11})\*\*/.exec(platform.texts().join())?.[1] ?? ""
      const unnamed = yield* svc(["channels", "link", code])
      assert.include(unnamed.stderr, "AUTHORIZATION is off")
      const linked = yield* svc(["channels", "link", code, "--user", "ann"])
      assert.include(linked.stdout, "Name of U1 on chat is ann now.")
      const { links } = documentOf<
        { links: ReadonlyArray<{ id: string; user_id: string; sender: string; channel: string }> }
      >(
        yield* svc(["channels", "links", "--json"])
      )
      assert.deepInclude(links[0], { user_id: "ann", sender: "U1", channel: "chat" })
      assert.include((yield* svc(["channels", "links"])).stdout, "agents:mailer:run")
      const sent = yield* svc(["channels", "send", "chat", "Your order is late.", "--to", "ann"])
      assert.strictEqual(sent.code, 0, sent.stderr)
      yield* platform.until(() => platform.texts().includes("Your order is late."))
      assert.strictEqual((yield* svc(["channels", "send", "chat", "Hi", "--to", "ann", "--thread", "T1"])).code, 1)
      assert.strictEqual((yield* svc(["channels", "unlink", links[0]!.id])).code, 0)
      assert.include((yield* svc(["channels", "links"])).stdout, "No account is linked.")
    }))

  it.live("channels are listed and tested, and a refusal of the platform is an error", () =>
    Effect.gen(function*() {
      const { platform, svc } = yield* serving()
      const listed = (yield* svc(["channels", "list"])).stdout
      for (const shown of ["chat", "memory", "agent/mailer", "linked"]) assert.include(listed, shown)
      assert.include((yield* svc(["channels", "test", "chat"])).stdout, "The agent is The bot of tests.")
      platform.failNext({ reason: "unauthorized" })
      const refused = yield* svc(["channels", "test", "chat"])
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stderr, "The platform refused test")
    }))

  it.live("the manifest of Slack has the address of this channel, and other platforms have their steps", () =>
    Effect.gen(function*() {
      const { find } = yield* serving()
      const given = ["--public-url", "https://svc.example.com/", "--name", "Shop", "--id", "shop", "--json"]
      const { manifest, steps } = documentOf<{ manifest: object; steps: ReadonlyArray<string> }>(
        yield* find(["channels", "add", "slack", ...given])
      )
      assert.include(JSON.stringify(manifest), "https://svc.example.com/channels/shop/events")
      assert.include(steps.join("\n"), "id: \"shop\", agent: \"desk\"")
      const insecure = yield* find(["channels", "add", "slack", "--public-url", "http://svc.example.com"])
      assert.include(insecure.stderr, "Slack calls addresses that begin with https:// only.")
      assert.include((yield* find(["channels", "add", "telegram"])).stdout, "@BotFather")
      assert.include((yield* find(["channels", "add", "discord"])).stdout, "Interactions Endpoint URL")
    }))
})
