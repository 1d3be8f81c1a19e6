// Tasks are runs: a task works while its run executes, asks its client what a paused run waits for, and has the result
// of the tool that began it.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import type { Operation } from "@svc-runtime/agents/runService/RunPermission"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import { CurrentPrincipal } from "@svc-runtime/api"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import type { Peers } from "@svc-runtime/domain/Worker"
import type { RunRef } from "@svc-runtime/engine/run/RunHandle"
import type { FoundRun } from "@svc-runtime/engine/run/store/RunReads"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import * as McpTool from "@svc-runtime/http/mcpTool/McpTool"
import * as ToolAccess from "@svc-runtime/http/mcpTool/ToolAccess"
import * as Elicitation from "@svc-runtime/protocols/mcp/Elicitation"
import * as Decisions from "@svc-runtime/protocols/pause/Decisions"
import type { Question } from "@svc-runtime/protocols/pause/Question"
import * as Questions from "@svc-runtime/protocols/pause/Questions"
import { DateTime, Effect, Option, Schema } from "effect"
import { McpSchema } from "effect/ai"
import { currentRequest } from "../tools/currentRequest.ts"
import type { RunResult } from "../tools/RunResult.ts"
import { toToolError } from "../tools/toolErrors.ts"
import * as PartialAnswers from "./PartialAnswers.ts"
import * as TaskCall from "./TaskCall.ts"
import * as TaskId from "./TaskId.ts"
import { taskNotFound, TaskRefused, type Tasks } from "./TaskMethods.ts"

const pollInterval = 2000

const timeOf = (seconds: number): string => DateTime.formatIso(DateTime.makeUnsafe(seconds * 1000))

/** Runs are kept, so tasks do not expire. */
const taskOf = (ref: TaskId.TaskRef, status: string, createdAt: number, updatedAt: number): Json.Object => ({
  taskId: TaskId.of(ref),
  status,
  createdAt: timeOf(createdAt),
  lastUpdatedAt: timeOf(updatedAt),
  ttlMs: null,
  pollIntervalMs: pollInterval
})

/** What the client can answer. The rest is decided by someone who resolves approvals. */
const askedOf = (run: AnyRun.Output, questions = Questions.of(run)): ReadonlyArray<Question> =>
  run.status === "PAUSED" ? questions.filter(({ needsApproval }) => !needsApproval) : []

/** Whether the client of a paused run gets its questions as a task. Other clients get the paused run as the result. */
export const asks = (run: AnyRun.Output, { hasElicitation }: TaskCall.Declared): boolean =>
  hasElicitation && Questions.of(run).length > 0

const encodeResult = Schema.encodeEffect(Schema.toCodecJson(McpSchema.CallToolResult))

const refused = ({ detail }: { readonly detail: string }) => new TaskRefused({ code: -32602, message: detail })

export const make = (service: RunService["Service"], result: RunResult, peers: Peers) => {
  const partial = PartialAnswers.make()

  /** Whatever worker got them. */
  const given = (run_id: string) =>
    Effect.map(PartialAnswers.ofPeers(peers, run_id), (others) => new Map([...others, ...partial.of(run_id)]))

  const find = Effect.fnUntraced(function*({ component, run_id }: TaskId.TaskRef, partOf?: Operation) {
    const { resource } = ComponentKind.descriptions[component.kind]
    yield* ToolAccess.required([`${resource}:run`], { resource, id: component.id })
    const caller = yield* RequestCaller.current(yield* currentRequest)
    const { runs: [found] } = yield* Effect.catch(
      service.search({ caller, component, partOf, run_id, limit: 1 }),
      toToolError
    )
    const { session_id: session } = yield* CurrentPrincipal
    if (found === undefined || (session !== undefined && session !== found.session_id)) return yield* taskNotFound
    return { component, caller, partOf, run_id: found.run_id, session_id: found.session_id, found }
  })

  const refOf = (id: string): Effect.Effect<TaskId.TaskRef, TaskRefused> =>
    Option.match(TaskId.decode(id), { onNone: () => Effect.fail(taskNotFound), onSome: Effect.succeed })

  const resultOf = Effect.fnUntraced(function*(kind: RunRef["kind"], run: AnyRun.Output) {
    const shown = yield* McpTool.answering(
      `run_${kind}`,
      Effect.flatMap(result.make(run), McpTool.resultOf(result.output))
    )
    return { ...(yield* Effect.orDie(encodeResult(shown))) as Json.Object, resultType: "complete" }
  })

  const detailOf = Effect.fnUntraced(function*(
    ref: TaskId.TaskRef,
    run: AnyRun.Output,
    { updated_at }: FoundRun,
    client: TaskCall.Declared
  ) {
    const at = (status: string) => taskOf(ref, status, run.created_at, updated_at)
    if (Run.isActive(run.status)) return at("working")
    if (run.status === "CANCELLED") return at("cancelled")
    if (run.status === "PAUSED" && asks(run, client)) {
      const answered = yield* given(run.run_id)
      const open = askedOf(run).filter(({ id }) => !answered.has(id))
      return open.length === 0
        ? { ...at("working"), statusMessage: "The run waits for an approval" }
        : {
          ...at("input_required"),
          statusMessage: open.map(({ message }) => message).join(" "),
          inputRequests: Object.fromEntries(open.map((question) => [question.id, Elicitation.requestOf(question)]))
        }
    }
    return { ...at("completed"), result: yield* resultOf(ref.component.kind, run) }
  })

  const read = Effect.fnUntraced(function*(ref: TaskId.TaskRef, client: TaskCall.Declared, partOf?: Operation) {
    const { found, ...query } = yield* find(ref, partOf)
    const run = yield* Effect.catch(service.get(query), toToolError)
    return yield* detailOf(ref, run, found, client)
  })

  const answersOf = (questions: ReadonlyArray<Question>, responses: ReadonlyMap<string, Json.Value>) =>
    Effect.forEach(questions, (question) => {
      const response = responses.get(question.id)
      if (response === undefined) return Effect.succeed([])
      return Effect.mapBoth(Effect.fromResult(Elicitation.answerOf(question, response)), {
        onFailure: ({ message }) => new TaskRefused({ code: -32602, message }),
        onSuccess: (answer) => answer === undefined ? [] : [[question.id, answer] as const]
      })
    })

  const wired = <A, E extends { readonly detail: string } | TaskRefused, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.mapError(effect, (error): TaskRefused => error instanceof TaskRefused ? error : refused(error))

  const tasks: Tasks = {
    get: (id, client) => wired(Effect.flatMap(refOf(id), (ref) => read(ref, client))),
    update: (id, responses) =>
      wired(Effect.gen(function*() {
        const { found: _, ...query } = yield* Effect.flatMap(refOf(id), (ref) => find(ref, "continue"))
        const { credential, user_id = credential } = query.caller.principal
        const run = yield* Effect.catch(service.get(query), toToolError)
        const responded = new Map(Object.entries(responses))
        const meantIn = (run: AnyRun.Output) => Questions.openOf(run, ({ id }) => responded.has(id))
        const questions = askedOf(run, meantIn(run))
        // what is not asked, or not any more, is ignored
        if (questions.length === 0) return
        const accepted = (yield* answersOf(questions, responded)).flatMap((each) => each.map(([id]) => id))
        const before = partial.of(run.run_id)
        const own = new Map(
          questions.flatMap(({ id }) => {
            const response = accepted.includes(id) ? responded.get(id) : before.get(id)
            return response === undefined ? [] : [[id, response]]
          })
        )
        // before the others are asked: of two workers that get responses at the same time, one sees both
        partial.set(run.run_id, own, user_id)
        const answers = new Map((yield* answersOf(questions, yield* given(run.run_id))).flat())
        if (answers.size < questions.length) return
        const continued = Effect.gen(function*() {
          const decisions = yield* Effect.mapError(
            Effect.fromResult(Decisions.of(meantIn(run), answers)),
            ({ message }) => new TaskRefused({ code: -32602, message })
          )
          const request = { ...query, user_id: undefined, decisions, input: undefined, fork: undefined }
          yield* Effect.catch(service.continue({ ...request, stream: false, background: true }), toToolError)
        })
        // another request can have continued the run meanwhile: what is not asked any more is ignored here too
        const isOpen = Effect.map(
          Effect.catch(service.get(query), toToolError),
          (run) => askedOf(run, meantIn(run)).some(({ id }) => answers.has(id))
        )
        yield* continued.pipe(
          Effect.catch((error) => Effect.flatMap(isOpen, (stillOpen) => stillOpen ? Effect.fail(error) : Effect.void)),
          // the earlier answers count when the refused ones are sent again
          Effect.onError(() => Effect.sync(() => partial.set(run.run_id, before, user_id)))
        )
        partial.forget(run.run_id)
        yield* PartialAnswers.ofPeers(peers, run.run_id, true)
      })),
    cancel: (id) =>
      wired(Effect.gen(function*() {
        const { found, ...query } = yield* Effect.flatMap(refOf(id), (ref) => find(ref, "cancel"))
        if (Run.hasEnded(found.status)) return
        yield* Effect.catch(service.cancel(query), toToolError)
      }))
  }

  /** How a call becomes a task: what `tasks/get` shows, without details. Undefined: its client knows no tasks. */
  const callOf = (component: ComponentRef) =>
    Effect.map(TaskCall.declared, (client) =>
      client === undefined ? undefined : {
        client,
        create: ({ run_id }: RunRef) =>
          read({ component, run_id }, client, "start").pipe(
            Effect.catchTag("TaskRefused", ({ message }) => Effect.fail(new McpTool.ToolRejected({ detail: message }))),
            Effect.flatMap(({ inputRequests: _, result: __, ...task }: Json.Object) => TaskCall.create(task))
          )
      })

  return { tasks, callOf, share: PartialAnswers.shareWith(peers, partial) }
}

export type RunTasks = ReturnType<typeof make>
