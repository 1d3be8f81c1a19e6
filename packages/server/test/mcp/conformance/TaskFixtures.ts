// The tools of the conformance suite that become tasks. Their tasks are in memory: what is measured is the endpoint.
import { Effect } from "effect"
import { McpSchema } from "effect/ai"
import * as TaskCall from "../../../src/mcp/tasks/TaskCall.ts"
import { taskNotFound, type Tasks } from "../../../src/mcp/tasks/TaskMethods.ts"
import { says, text, type Tool } from "./Tool.ts"

interface Kept {
  readonly task: Readonly<Record<string, string | number | null>>
  /** What has still to be answered. */
  readonly open: Set<string>
  readonly endsAt: number
  readonly outcome: object
  isCancelled: boolean
}

const form = {
  method: "elicitation/create",
  params: { mode: "form", message: "Sure?", requestedSchema: { type: "object", properties: {} } }
}

const statusOf = ({ endsAt, isCancelled, open, outcome }: Kept) =>
  isCancelled
    ? { status: "cancelled" }
    : open.size > 0
    ? { status: "input_required", inputRequests: Object.fromEntries([...open].map((key) => [key, form])) }
    : Date.now() < endsAt
    ? { status: "working" }
    : outcome

const completed = (content: string, isError = false) => ({
  status: "completed",
  result: { content: [{ type: "text", text: content }], isError }
})

export const make = () => {
  const kept = new Map<string, Kept>()

  const find = (id: string) => {
    const found = kept.get(id)
    return found === undefined ? Effect.fail(taskNotFound) : Effect.succeed(found)
  }

  const tasks: Tasks = {
    get: (id) => Effect.map(find(id), (each) => ({ ...each.task, ...statusOf(each) })),
    update: (id, responses) =>
      Effect.map(find(id), ({ open }) => {
        for (const key of Object.keys(responses)) open.delete(key)
      }),
    cancel: (id) =>
      Effect.map(find(id), (each) => {
        if (each.endsAt > Date.now() || each.open.size > 0) each.isCancelled = true
      })
  }

  const become = (seconds: number, outcome: object, open: ReadonlyArray<string> = []) =>
    Effect.gen(function*() {
      const now = new Date().toISOString()
      const taskId = crypto.randomUUID()
      const task = { taskId, createdAt: now, lastUpdatedAt: now, ttlMs: null, pollIntervalMs: 100 }
      const endsAt = Date.now() + seconds * 1000
      kept.set(taskId, { task, open: new Set(open), endsAt, outcome, isCancelled: false })
      yield* TaskCall.create({ ...task, status: "working" })
      return says()
    })

  const tool = (name: string, handle: Tool["handle"]): Tool => ({ name, handle })

  const tools: ReadonlyArray<Tool> = [
    tool("greet", ({ name }) => Effect.succeed(says(text(`Hello, ${name}!`)))),
    tool("slow_compute", ({ seconds }) =>
      Effect.flatMap(TaskCall.declared, (client) =>
        client === undefined
          ? Effect.succeed(says(text("Computed.")))
          : become(Number(seconds), completed("Computed.")))),
    tool("failing_job", () => become(1, completed("It failed.", true))),
    tool("protocol_error_job", () => become(0, { status: "failed", error: { code: -32603, message: "It broke." } })),
    tool("confirm_delete", () => become(0, completed("Deleted."), ["confirm"])),
    tool("multi_input", () => become(0, completed("Both."), ["one", "two"])),
    tool("test_tool_with_task", () =>
      Effect.gen(function*() {
        const { inputResponses = {} } = yield* McpSchema.McpRequestContext
        const answer = inputResponses["user_name"] as { readonly content?: { readonly name?: string } } | undefined
        const name = answer?.content?.name
        if (name !== undefined) return yield* become(0, completed(`Hello, ${name}!`))
        const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
        const params = { mode: "form", message: "What is your name?", requestedSchema }
        return new McpSchema.InputRequired({
          inputRequests: { user_name: { method: "elicitation/create", params } as McpSchema.McpInputRequest }
        })
      }))
  ]

  return { tasks, tools }
}
