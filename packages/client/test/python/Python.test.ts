// The Python client against a service. Its own tests are in clients/python/tests.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { ScriptedModel } from "@svc-runtime/test-support"
import * as TcpProxy from "@svc-runtime/test-support/TcpProxy"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Schema } from "effect"
import { execFile, spawnSync } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { formAgent, formWorkflows } from "../Forms.ts"

const folder = join(import.meta.dirname, "..", "..", "..", "..", "clients", "python")

const isNewEnough = (program: string): boolean =>
  spawnSync(program, ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).status === 0

const python = ["python3", "python"].find(isNewEnough)

/** The last result of a tool is the answer. */
const calling = (name: string, params: object) => ({ prompt }: ScriptedModel.Call) => {
  const last = prompt.content.at(-1)
  const part = last?.role === "tool" ? last.content[0] : undefined
  return part === undefined || part.type !== "tool-result"
    ? [ScriptedModel.toolCall(name, params)]
    : [ScriptedModel.text(String(part.result))]
}

const repeated = (turn: ScriptedModel.Turn) =>
  Effect.map(ScriptedModel.make(Array.from({ length: 20 }, () => turn)), ({ model }) => model)

const components = Effect.gen(function*() {
  const waits = { slow: yield* Deferred.make<void>(), "slow-async": yield* Deferred.make<void>() }
  const slow = (id: keyof typeof waits) =>
    Effect.map(
      repeated([ScriptedModel.text("one "), ScriptedModel.wait(waits[id]), ScriptedModel.text("two")]),
      (model) => Agent.make({ id, model })
    )
  const refund = Tool.make({
    name: "refund",
    parameters: Schema.Struct({ order: Schema.Finite }),
    requiresConfirmation: true,
    execute: () => "paid"
  })
  const order = Tool.make({
    name: "order",
    parameters: Schema.Struct({ address: Schema.String }),
    requiresUserInput: ["address"],
    execute: ({ address }) => `sent to ${address}`
  })
  const invoice = Tool.make({
    name: "invoice",
    execute: (_, { waitFor }) => waitFor("paid").then((paid) => JSON.stringify(paid))
  })
  const agents = [
    Agent.make({ id: "waiter", model: yield* repeated(calling("invoice", {})), tools: [invoice] }),
    Agent.make({ id: "assistant", model: yield* repeated([ScriptedModel.text("Te", "a.")]) }),
    Agent.make({ id: "clerk", model: yield* repeated(calling("refund", { order: 17 })), tools: [refund] }),
    Agent.make({ id: "shop", model: yield* repeated(calling("order", { address: "?" })), tools: [order] }),
    yield* formAgent,
    Agent.make({ id: "failing", model: yield* repeated([ScriptedModel.fail("no tea today")]) }),
    Agent.make({ id: "hanging", model: yield* repeated([ScriptedModel.text("one "), ScriptedModel.hang]) }),
    yield* slow("slow"),
    yield* slow("slow-async")
  ]
  const workflows = [
    Workflow.make({ id: "brief", steps: [Step.make({ name: "publish", confirmation: true, run: () => "Out." })] }),
    ...formWorkflows
  ]
  return { agents, waits, workflows }
})

/** Calls `use` with the path of each request. */
const controlled = (use: (path: string) => Promise<unknown>) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        void use(request.url ?? "").then(() => response.end())
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close: () => void server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const execute = async (program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const options = { cwd: folder, env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env } }
  const { stderr } = await promisify(execFile)(program, args, options).catch((error: { readonly stderr?: string }) => {
    throw new Error(error.stderr ?? String(error))
  })
  return stderr
}

const unittest = ["-W", "ignore::ResourceWarning", "-m", "unittest"]

const unavailable = " (it is not tested here: there is no Python of 3.11 or later)"

describe.skipIf(python === undefined)(`the Python client${python === undefined ? unavailable : ""}`, () => {
  it.live("the client of Python passes its tests against a service", () =>
    Effect.scoped(Effect.gen(function*() {
      const { agents, waits, workflows } = yield* components
      const { url } = yield* TestServer.listen({ agents, workflows })
      const proxy = yield* TcpProxy.make(Number(new URL(url).port))
      const control = yield* controlled((path) => {
        const wait = waits[path.slice(1) as keyof typeof waits]
        return Effect.runPromise(Effect.andThen(proxy.drop, Deferred.succeed(wait, undefined)))
      })
      const env = { SVC_URL: url, SVC_PROXY: `http://127.0.0.1:${proxy.port}`, SVC_CONTROL: control.url }
      const output = yield* Effect.promise(() => execute(python!, [...unittest, "tests.test_service"], env))
      assert.match(output, /\nOK\n$/)
    })))

  it.live("the client of Python says what to write for mistakes of callers", () =>
    Effect.promise(async () => {
      assert.match(await execute(python!, [...unittest, "tests.test_mistakes"]), /\nOK\n$/)
    }))

  it.live.runIf(Tier.isWhole)(
    "the client of Python passes its tests with prepared responses",
    () =>
      Effect.promise(async () => {
        assert.match(await execute(python!, [...unittest, "tests.test_responses"]), /\nOK\n$/)
      })
  )
})
