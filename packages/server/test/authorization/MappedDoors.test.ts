// An operator who maps an endpoint of the API to more scopes closes every other way to do the same. Here each endpoint
// has a scope of its own, and each way in is tried until it has the scopes that it needs.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Mcp from "../mcp/Mcp.ts"
import { everything, token } from "./Closed.ts"
import { doors, paused, served, waits } from "./Doors.ts"
import { endpoints } from "./Endpoints.ts"

const gateOf = (place: number) => `gate:r${place}`

const mappings = Object.fromEntries(
  endpoints.map(({ route, scope }, place) => [route, [...(scope === "none" ? [] : [scope]), gateOf(place)]])
)

const gates = new Map(endpoints.map(({ route }, place) => [gateOf(place), route]))

/** The endpoints whose mappings hold for each way in. */
const expected: ReadonlyArray<{ readonly needs: ReadonlyArray<string>; readonly doors: ReadonlyArray<string> }> = [
  {
    needs: ["POST /agents/:agent_id/runs", "POST /agents/:agent_id/runs/:run_id/continue"],
    doors: [
      "A2A SendMessage",
      "A2A SendStreamingMessage",
      "A2A message/send",
      "A2A message/stream",
      "MCP continue_run",
      "MCP tasks/update",
      "POST /a2a/agents/:id/message::send",
      "POST /a2a/agents/:id/message::stream",
      "POST /a2a/agents/:id/v1/message::send",
      "POST /a2a/agents/:id/v1/message::stream",
      "POST /agents/:id/agui",
      "POST /agents/:id/chat",
      "POST /copilotkit/agent/:id/run",
      "POST /v1/chat/completions",
      "POST /v1/responses",
      "a chat that is answered again"
    ]
  },
  {
    needs: ["GET /agents/:agent_id/runs"],
    doors: [
      "A2A ListTasks",
      "GET /a2a/agents/:id/tasks",
      "GET /a2a/agents/:id/v1/tasks"
    ]
  },
  {
    needs: ["GET /agents/:agent_id/runs/:run_id"],
    doors: [
      "A2A DeleteTaskPushNotificationConfig",
      "A2A GetTask",
      "A2A GetTaskPushNotificationConfig",
      "A2A ListTaskPushNotificationConfigs",
      "A2A tasks/get",
      "A2A tasks/pushNotificationConfig/delete",
      "A2A tasks/pushNotificationConfig/get",
      "A2A tasks/pushNotificationConfig/list",
      "DELETE /a2a/agents/:id/tasks/:task/pushNotificationConfigs/:config",
      "DELETE /a2a/agents/:id/v1/tasks/:task/pushNotificationConfigs/:config",
      "GET /a2a/agents/:id/tasks/:task",
      "GET /a2a/agents/:id/tasks/:task/pushNotificationConfigs",
      "GET /a2a/agents/:id/tasks/:task/pushNotificationConfigs/:config",
      "GET /a2a/agents/:id/v1/tasks/:task",
      "GET /a2a/agents/:id/v1/tasks/:task/pushNotificationConfigs",
      "GET /a2a/agents/:id/v1/tasks/:task/pushNotificationConfigs/:config",
      "GET /v1/responses/:response_id",
      "GET /v1/responses/:response_id/input_items",
      "MCP tasks/get",
      "POST /a2a/agents/:id/v1/tasks::get"
    ]
  },
  {
    needs: ["GET /agents/:agent_id/runs/:run_id", "POST /agents/:agent_id/runs/:run_id/cancel"],
    doors: [
      "A2A CancelTask",
      "A2A tasks/cancel",
      "POST /a2a/agents/:id/tasks/:task",
      "POST /a2a/agents/:id/v1/tasks/:task",
      "POST /v1/responses/:response_id/cancel"
    ]
  },
  {
    needs: ["GET /agents/:agent_id/runs/:run_id/events"],
    doors: [
      "A2A CreateTaskPushNotificationConfig",
      "A2A SubscribeToTask",
      "A2A tasks/pushNotificationConfig/set",
      "A2A tasks/resubscribe",
      "GET /agents/:id/chat/:chat_id/stream",
      "POST /a2a/agents/:id",
      "POST /a2a/agents/:id/tasks/:task/pushNotificationConfigs",
      "POST /a2a/agents/:id/v1/tasks/:task/pushNotificationConfigs",
      "POST /copilotkit/agent/:id/connect"
    ]
  },
  {
    needs: ["GET /agents/:agent_id"],
    doors: [
      "A2A GetExtendedAgentCard",
      "A2A agent/getAuthenticatedExtendedCard",
      "GET /a2a/agents/:id/.well-known/agent-card.json",
      "GET /a2a/agents/:id/extendedAgentCard",
      "GET /a2a/agents/:id/v1/card",
      "MCP resources/read of an agent"
    ]
  },
  {
    needs: ["POST /agents/:agent_id/runs/:run_id/cancel"],
    doors: [
      "MCP cancel_run",
      "MCP tasks/cancel",
      "POST /a2a/agents/:id/v1/tasks::cancel",
      "POST /agents/:id/chat/:chat_id/stop",
      "POST /copilotkit/agent/:id/stop/:thread_id"
    ]
  },
  {
    needs: ["POST /agents/:agent_id/runs"],
    doors: [
      "AG-UI that begins a branch",
      "MCP run_agent",
      "POST /a2a/message/send",
      "POST /a2a/message/stream",
      "a response after another one",
      "a response with an item of another one",
      "a run after another one"
    ]
  },
  {
    needs: [],
    doors: [
      "GET /copilotkit/info",
      "GET /v1/models",
      "GET /v1/models/:model"
    ]
  },
  {
    needs: ["GET /agents/:agent_id/runs/:run_id/events", "POST /agents/:agent_id/runs/:run_id/resume"],
    doors: [
      "a run that is watched again"
    ]
  },
  {
    needs: ["GET /agents/:agent_id/runs/:run_id", "GET /agents/:agent_id/runs/:run_id/checkpoints"],
    doors: [
      "the messages of a run"
    ]
  },
  {
    needs: ["PATCH /sessions/:session_id"],
    doors: [
      "a switch of the branch"
    ]
  },
  {
    needs: ["GET /config"],
    doors: [
      "MCP get_platform_config"
    ]
  },
  {
    needs: ["POST /teams/:team_id/runs"],
    doors: [
      "MCP run_team"
    ]
  },
  {
    needs: ["POST /workflows/:workflow_id/runs"],
    doors: [
      "MCP run_workflow"
    ]
  },
  {
    needs: ["GET /sessions"],
    doors: [
      "MCP get_sessions"
    ]
  },
  {
    needs: ["GET /sessions/:session_id/runs"],
    doors: [
      "MCP get_session_runs",
      "MCP resources/read"
    ]
  },
  {
    needs: ["GET /sessions/:session_id/runs/:run_id"],
    doors: [
      "MCP get_session_runs of one run"
    ]
  }
]

/** The endpoints whose scopes a request needs, one refusal after the other. */
const neededBy = Effect.fnUntraced(
  function*(made: Effect.Success<ReturnType<typeof served>>, place: number, each: (typeof doors)[number]) {
    const [, door] = each
    const granted = new Set<string>()
    for (let attempt = 0;; attempt++) {
      const run = yield* paused(made, `${place}-${attempt}`, token("ann", ...everything, ...gates.keys()))
      const { seen: { calls, published } } = made
      const before = { calls, published }
      const { text } = yield* door(run)(made.server, yield* token("ann", ...everything, ...granted))
      const missing = text.match(/gate:r\d+/g) ?? []
      for (const gate of missing) granted.add(gate)
      if (missing.length > 0) assert.deepInclude(made.seen, before, `a refused request does nothing: ${each[0]}`)
      // with all scopes these would wait
      if (missing.length === 0 || waits(each)) break
    }
    return [...granted].map((gate) => gates.get(gate)).toSorted()
  }
)

describe("every endpoint is mapped to a scope of its own", () => {
  it.effect("each way in needs the scopes of the endpoints that do the same", () =>
    Effect.gen(function*() {
      const made = yield* served(mappings)
      const needed = new Map<string, ReadonlyArray<unknown>>()
      for (const [place, each] of doors.entries()) needed.set(each[0], yield* neededBy(made, place, each))
      const declared = new Map(expected.flatMap(({ doors, needs }) => doors.map((door) => [door, needs])))
      assert.deepStrictEqual(Object.fromEntries(needed), Object.fromEntries(declared))
      // a subscription that is not refused waits
    }))

  it.effect("lists of MCP show only what the caller may use", () =>
    Effect.gen(function*() {
      const { server } = yield* served(mappings)
      const listed = Effect.fnUntraced(function*(...scopes: ReadonlyArray<string>) {
        const session = yield* Mcp.open(server, { bearer: yield* token("ann", ...everything, ...scopes) })
        return JSON.stringify([yield* Mcp.toolNames(session), yield* Mcp.send(session, "resources/list", {})])
      })
      for (const name of ["get_sessions", "get_session_runs", "get_platform_config", "svc://agents/press"]) {
        assert.notInclude(yield* listed(), name)
        assert.include(yield* listed(...gates.keys()), name)
      }
    }))
})
