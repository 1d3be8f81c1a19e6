// `svc roles`, against the service.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { documentOf } from "../Cli.ts"
import { answering, open } from "./Service.ts"

describe("svc roles", () => {
  it.live("a role is created, listed with its scopes, and deleted", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering("Yes"))
      assert.include((yield* svc(["roles", "list"])).stdout, "There are no roles. Make one with svc roles create.")
      const created = yield* svc([
        "roles",
        "create",
        "support",
        "-s",
        "agents:run,sessions:read",
        "--description",
        "Desk"
      ])
      assert.include(created.stderr + created.stdout, "Created role support. A token has it by the scope role:support.")
      const again = yield* svc(["roles", "create", "support", "--json"])
      assert.strictEqual(again.code, 1)
      assert.include(again.stdout + again.stderr, "Another role has this name")
      const { roles, total } = documentOf<{ roles: ReadonlyArray<object>; total: number }>(
        yield* svc(["roles", "list", "--json"])
      )
      assert.strictEqual(total, 1)
      assert.deepInclude(roles[0], { name: "support", scopes: ["agents:run", "sessions:read"], description: "Desk" })
      assert.include((yield* svc(["roles", "list"])).stdout, "agents:run, sessions:read")
      assert.strictEqual((yield* svc(["roles", "delete", "support"])).code, 0)
      assert.strictEqual((yield* svc(["roles", "delete", "support"])).code, 1)
    }))
})
