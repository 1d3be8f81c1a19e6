// The conformance suite of the protocol against the built-in authorization server, with a scripted browser.
import { assert, it } from "@effect/vitest"
import { freePort } from "@svc-runtime/test-support/freePort"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { second } from "../Wire.ts"
import * as Browser from "./Browser.ts"
import { oauthOf } from "./Protected.ts"
import { key } from "./SignIn.ts"

const suite = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js")

/** Runs the suite, and opens the address that it prints for a browser. */
const judge = (args: ReadonlyArray<string>, open: (url: string) => void) =>
  Effect.callback<{ readonly code: number | null; readonly text: string }>((resume) => {
    const child = spawn(process.execPath, [suite, "authorization", ...args])
    let text = ""
    let isOpened = false
    const read = (chunk: Buffer) => {
      text += String(chunk)
      const [url] = /^http\S+\/authorize\?\S+$/m.exec(text) ?? []
      if (isOpened || url === undefined || !text.includes("Callback server started")) return
      isOpened = true
      open(url)
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.on("close", (code) => resume(Effect.succeed({ code, text })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

it.effect("the conformance suite has no objection to the authorization server", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(second * 1000)
    const [port, callbackPort] = [yield* freePort, yield* freePort]
    const origin = `http://127.0.0.1:${port}`
    const { logs } = yield* TestServer.listen({
      port,
      authorization: { securityKey: key },
      settings: { mcp: { enabled: true, oauth: oauthOf({ server: "builtin" }, origin) } }
    })
    const redirect_uris = [`http://127.0.0.1:${callbackPort}/callback`]
    const response = yield* Browser.overHttp(`${origin}/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris })
    })
    const { client_id } = (yield* Effect.promise(() => response.json())) as { readonly client_id: string }
    const args = [
      "--url",
      `${origin}/`,
      "--resource",
      `${origin}/mcp`,
      "--client-id",
      client_id,
      "-p",
      `${callbackPort}`
    ]
    const services = yield* Effect.context<never>()
    const { code, text } = yield* judge(args, (url) => {
      const approving = Effect.flatMap(
        Browser.approve(Browser.overHttp, url, key),
        ({ href }) => Browser.overHttp(href)
      )
      Effect.runForkWith(services)(approving)
    })
    assert.strictEqual(code, 0, text)
    assert.notMatch(text, /✗|[1-9]\d* failed/)
    assert.match(text, /authorization-code-grant/)
    assert.deepStrictEqual(logs.filter(({ level }) => level === "ERROR"), [])
  }))
