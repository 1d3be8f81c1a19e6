// Stored components whose config names what a node no longer has: how they are listed, shown and run.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, at, column, failed, get, list } from "../Wire.ts"
import { post201, restarted } from "./VanishedTool.ts"

const withoutTool = restarted(Effect.fnUntraced(function*(before) {
  yield* post201(before, "/agents", { name: "Writer", tools: ["mail"] })
  yield* post201(before, "/teams", { name: "Desk", members: [{ type: "agent", agent_id: "writer" }] })
  yield* post201(before, "/workflows", { name: "Flow", steps: [{ name: "a", agent_id: "writer" }] })
}))

const missing = "There is no tool 'mail' in the registry"

describe("a stored component whose config names what the node no longer has", () => {
  it.effect("the detail and the runs of the component are refused with 409 and the reason", () =>
    Effect.gen(function*() {
      const server = yield* withoutTool
      for (const path of ["/agents/writer", "/teams/desk", "/workflows/flow"]) {
        failed(yield* get(server, path), 409, "CONFLICT", new RegExp(missing))
        const body = new URLSearchParams({ message: "Hi", stream: "false" })
        failed(yield* ask(server, `${path}/runs`, { method: "POST", body }), 409, "CONFLICT", new RegExp(missing))
      }
    }))

  it.effect("the component stays in the list, with its name and its version", () =>
    Effect.gen(function*() {
      const server = yield* withoutTool
      for (const [path, name] of [["/agents", "Writer"], ["/teams", "Desk"], ["/workflows", "Flow"]] as const) {
        const { json } = yield* get(server, path)
        assert.deepStrictEqual(column(json, "name"), [name])
        const shown = { is_component: true, is_factory: false, current_version: 1, stage: "published" }
        assert.deepInclude(at(list(json), 0) as object, shown)
      }
    }))
})
