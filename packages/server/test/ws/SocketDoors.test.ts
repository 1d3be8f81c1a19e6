// Every action of a socket, with the callers who may not do it. They see nothing of a paused run, and leave it as it
// is.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { actions } from "../../src/ws/SocketActions.ts"
import { claims, closed, everything, theIssuer, token } from "../authorization/Closed.ts"
import { at } from "../Wire.ts"
import { connect, serve, until } from "./SocketService.ts"

Tier.oneIn(3)

/** In all that is stored of the run. */
const marker = "glade"

const about = { workflow_id: "asking", run_id: "r", session_id: "s" }

const messages: Readonly<Record<string, object>> = {
  "start-workflow": { ...about, run_id: "new", message: "go" },
  "continue-workflow": { ...about, step_requirements: [{ step_name: "asked", confirmed: true }] },
  "cancel-workflow": about,
  reconnect: about
}

const strangers = {
  "another user": token("bob", ...everything),
  "a token without a scope": token("ann"),
  "a token with odd scopes": token("ann", "workflows:other:run", "WORKFLOWS:run", "workflows:run ", "workflows:read"),
  "a token for another session": Effect.flatMap(
    theIssuer,
    (issuer) => issuer.sign({ ...claims("ann", everything), session_id: "claimed" })
  )
}

describe("the actions of a socket", () => {
  it.effect.each(Object.entries(strangers))(
    "%s sees and changes nothing of the run",
    ([who, bearer]) =>
      Effect.gen(function*() {
        const { url } = yield* serve({ authorization: yield* closed })
        const as = Effect.fnUntraced(function*(signed: string) {
          const client = yield* connect(url)
          yield* client.send({ action: "authenticate", token: signed })
          yield* client.next
          yield* client.next
          return client
        })
        const ann = yield* token("ann", ...everything)
        const owner = yield* as(ann)
        yield* owner.send({ action: "start-workflow", ...about, message: marker })
        yield* until(owner, "WorkflowPaused")
        const stored = Effect.promise(() =>
          fetch(`${url}/sessions/s/runs`, { headers: { authorization: `Bearer ${ann}` } }).then((all) => all.text())
        )
        const before = yield* stored
        assert.include(before, marker)
        for (const [action, message] of Object.entries(messages)) {
          const client = yield* as(yield* bearer)
          // a token for another session starts a run there
          if (action === "start-workflow" && who.includes("another session")) continue
          const frame = yield* client.ask({ action, ...message })
          assert.strictEqual(at(frame, "event"), "error", `${action}: ${JSON.stringify(frame)}`)
          assert.notInclude(JSON.stringify(frame), marker, action)
          assert.strictEqual(yield* stored, before, action)
        }
      })
  )

  it.effect.each<readonly [action: string, route: string, scope: string]>([
    ["start-workflow", "POST /workflows/*/runs", "workflows:run"],
    ["continue-workflow", "POST /workflows/*/runs/*/continue", "workflows:run"],
    ["cancel-workflow", "POST /workflows/*/runs/*/cancel", "workflows:run"],
    ["reconnect", "GET /workflows/*/runs/*/events", "workflows:read"]
  ])("%s needs the scopes to which %s is mapped", ([action, route, scope]) =>
    Effect.gen(function*() {
      const scopeMappings = { [route]: [scope, "gate:pass"] }
      const { url } = yield* serve({ authorization: { ...(yield* closed), scopeMappings } })
      const as = Effect.fnUntraced(function*(...scopes: ReadonlyArray<string>) {
        const client = yield* connect(url)
        yield* client.send({ action: "authenticate", token: yield* token("ann", ...everything, ...scopes) })
        yield* client.next
        yield* client.next
        return client
      })
      const owner = yield* as("gate:pass")
      yield* owner.send({ action: "start-workflow", ...about, message: marker })
      yield* until(owner, "WorkflowPaused")
      const message = { action, ...messages[action] }
      const refused = yield* (yield* as()).ask(message)
      assert.deepInclude(refused, { event: "error" })
      assert.match(String(at(refused, "error")), /gate:pass/)
      assert.notInclude(JSON.stringify(yield* (yield* as("gate:pass")).ask(message)), "gate:pass")
    }))

  it("an action that is new has a message here", () => {
    assert.sameMembers(Object.keys(messages), Object.keys(actions))
  })
})
