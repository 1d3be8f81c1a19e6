// Agents and their runs.
import { Api, CurrentPrincipal, Errors, ResumeForm } from "@svc/api"
import { Json, Principal, Run, Session } from "@svc/domain"
import {
  type Agent,
  type AgentCommand,
  AgentDetail,
  type AgentFactory,
  AgentRegistry,
  ApprovalStore,
  Databases,
  FactoryInput,
  FactoryResolver,
  IdempotencyStore,
  isFactory,
  type Mismatch,
  ModelCatalog,
  NewId,
  type Resolved,
  RunEngine,
  type RunFilter
} from "@svc/runtime"
import { Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Caller from "../authorization/Caller.ts"
import { fromSchemaError } from "../middleware/Problems.ts"
import * as FormBody from "../multipart/FormBody.ts"
import * as RunForm from "../multipart/RunForm.ts"
import { ServerSettings } from "../Settings.ts"
import * as RunStream from "../sse/RunStream.ts"
import * as AgentRunContinue from "./AgentRunContinue.ts"
import * as AgentRunStart from "./AgentRunStart.ts"
import * as Resolution from "./Resolution.ts"
import { storageUnavailable } from "./translate.ts"

const notFound = () => Errors.notFound("Agent not found")
const runNotFound = () => Errors.notFound("Run not found")

const decodeResume = Schema.decodeUnknownEffect(ResumeForm, { errors: "all" })

/** In a form, what is empty or `null` is not given. */
const given = (fields: FormBody.FormBody["fields"]) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "" && value !== "null"))

const parseJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Json.GivenValue))

const problemsOf = (mismatch: Mismatch) =>
  mismatch.issues.map(({ message, path }) => ({ loc: ["body", "message", ...path], msg: message, type: "value_error" }))

const notJson = () =>
  Errors.invalid([{
    loc: ["body", "message"],
    msg: "This agent takes JSON that fits its input_schema",
    type: "json_invalid"
  }])

/** What the agent is asked: the text, or the object that it declares. */
const inputOf = Effect.fnUntraced(function*(agent: Agent.Agent, form: RunForm.RunForm) {
  if (agent.inputSchema === undefined) return form.message as Json.Value
  const value = yield* Effect.mapError(parseJson(form.message), notJson)
  yield* Effect.mapError(agent.inputSchema.decode(value), (mismatch) => Errors.invalid(problemsOf(mismatch)))
  return value
})

const commandOf = Effect.fnUntraced(function*(
  { component: agent, lifetime }: Resolved<Agent.Agent>,
  form: RunForm.RunForm,
  { dependencies, isolated, session_state, user_id }: Caller.RunIdentity,
  subject: Pick<AgentCommand, "run_id" | "session_id">
) {
  const command: AgentCommand = {
    agent,
    lifetime,
    ...subject,
    user_id,
    isolated,
    input: { input_content: yield* inputOf(agent, form), ...form.media },
    stream: form.stream,
    background: form.background,
    session_state,
    dependencies,
    metadata: form.metadata,
    outputSchema: form.outputSchema,
    addHistoryToContext: form.addHistoryToContext,
    addDependenciesToContext: form.addDependenciesToContext,
    addSessionStateToContext: form.addSessionStateToContext
  }
  return command
})

/** A caller who is kept apart has to say in which session. Gives whether this one is. */
const isolatedIn = Effect.fnUntraced(function*(session_id: Session.Id | undefined) {
  const { isIsolated } = yield* CurrentPrincipal
  if (isIsolated && session_id === undefined) return yield* Errors.badRequest("session_id is required for this action")
  return isIsolated
})

export const Agents = HttpApiBuilder.group(
  Api,
  "agents",
  Effect.fnUntraced(function*(handlers) {
    const settings = yield* ServerSettings
    const registry = yield* AgentRegistry
    const databases = yield* Databases
    const models = yield* ModelCatalog
    const engine = yield* RunEngine
    const idempotency = yield* IdempotencyStore
    const approvals = yield* ApprovalStore
    const resolution = { resolver: yield* FactoryResolver, largestInput: settings.limits.jsonBody }
    const [database] = databases.all

    const detail = (agent: Agent.Agent | AgentFactory.AgentFactory) => {
      if (isFactory(agent)) return AgentDetail.ofFactory(agent, database.id)
      return AgentDetail.toDetail(agent, {
        databaseId: database.id,
        sessionTable: database.tables.sessions,
        model: models.describe(agent.model ?? models.defaultModel),
        reasoningModel: agent.reasoningModel === undefined ? undefined : models.describe(agent.reasoningModel)
      })
    }
    const details = new Map(registry.registered.map((agent) => [agent.id, detail(agent)]))

    /** Of one agent, as far as the caller may see it. */
    const ofAgent = Effect.fnUntraced(function*(id: Agent.Agent["id"], filter: Pick<RunFilter, "status"> = {}) {
      const owned: RunFilter = { ...filter, owner: yield* Caller.ownerOf(undefined), component: { kind: "agent", id } }
      return owned
    })

    return handlers.handleAll({
      // Whoever may see some agents and not others gets those.
      list: () =>
        CurrentPrincipal.useSync((principal) => {
          const visible = Principal.visible(principal, "agents")
          return [...details.values()].filter(({ id }) => visible === "all" || visible.has(id))
        }),
      get: ({ params }) => {
        const found = details.get(params.agent_id)
        return found === undefined ? Effect.fail(notFound()) : Effect.succeed(found)
      },
      listRuns: Effect.fn("Agents.listRuns")(function*({ params, query }) {
        yield* Effect.mapError(registry.find(params.agent_id), notFound)
        const filter = yield* ofAgent(params.agent_id, { status: query.status })
        const runs = yield* Effect.mapError(database.runs.list(query.session_id, filter), storageUnavailable)
        if (Option.isNone(runs)) return yield* Errors.notFound("Session not found")
        return runs.value.map(Run.toRecord)
      }),
      getRun: Effect.fn("Agents.getRun")(function*({ params, query }) {
        yield* Effect.mapError(registry.find(params.agent_id), notFound)
        const filter = yield* ofAgent(params.agent_id)
        const run = yield* Effect.mapError(
          database.runs.find(query.session_id, params.run_id, filter),
          storageUnavailable
        )
        return Option.isSome(run) ? run.value : yield* runNotFound()
      }),
      // A run that is not there yet may be cancelled as well, by those who may touch anybody's.
      cancelRun: Effect.fn("Agents.cancelRun")(function*({ params, query }) {
        yield* Effect.mapError(registry.find(params.agent_id), notFound)
        const isIsolated = yield* isolatedIn(query.session_id)
        const filter = yield* ofAgent(params.agent_id)
        const request = { run_id: params.run_id, session_id: isIsolated ? query.session_id : undefined, filter }
        const isFound = yield* Effect.mapError(engine.cancel(request), storageUnavailable)
        return isFound || !isIsolated ? {} : yield* runNotFound()
      })
    }).handleRaw(
      "listEvents",
      Effect.fn("Agents.listEvents")(function*({ headers, params, query }) {
        yield* Effect.mapError(registry.find(params.agent_id), notFound)
        const filter = yield* ofAgent(params.agent_id)
        // What a browser sends when it connects again counts for more than what its first request said.
        const after = headers["last-event-id"] ?? query.last_event_index ?? -1
        const request = { run_id: params.run_id, session_id: query.session_id, filter, after }
        const watched = yield* Effect.mapError(engine.watch(request), storageUnavailable)
        return Option.isSome(watched) ? RunStream.watch(watched.value) : yield* runNotFound()
      })
    ).handleRaw(
      "resumeRun",
      Effect.fn("Agents.resumeRun")(function*({ params, request }) {
        const { fields } = yield* FormBody.read(request, settings.limits.formBody)
        const form = yield* Effect.mapError(
          decodeResume(given(fields)),
          (error) => Errors.invalid(fromSchemaError("body", error))
        )
        yield* Effect.mapError(registry.find(params.agent_id), notFound)
        const isIsolated = yield* isolatedIn(form.session_id)
        const filter = yield* ofAgent(params.agent_id)
        const after = form.last_event_index ?? -1
        const watched = yield* Effect.mapError(
          engine.watch({ run_id: params.run_id, session_id: form.session_id, filter, after }),
          storageUnavailable
        )
        if (Option.isSome(watched)) return RunStream.resume(params.run_id, watched.value, after)
        return isIsolated ? yield* runNotFound() : RunStream.unknown(params.run_id)
      })
    ).handleRaw(
      "continueRun",
      Effect.fnUntraced(function*({ params, request }) {
        const body = yield* FormBody.read(request, settings.limits.formBody)
        const registered = yield* Effect.mapError(registry.find(params.agent_id), notFound)
        const services = { engine, approvals, idempotency, runs: database.runs }
        return yield* AgentRunContinue.respond(services, {
          agent_id: registered.id,
          run_id: params.run_id,
          body,
          request,
          resolve: ({ session_id, user_id }) =>
            Resolution.resolveAgain(resolution, registered, { session_id, user_id: user_id ?? undefined, request })
        })
      })
    ).handleRaw(
      "createRun",
      Effect.fnUntraced(function*({ params, request }) {
        const body = yield* FormBody.read(request, settings.limits.formBody)
        const form = yield* RunForm.decode(body)
        const registered = yield* Effect.mapError(registry.find(params.agent_id), notFound)
        const newId = yield* NewId
        const identity = yield* Caller.runIdentity(form)
        // A factory sees the ids that were given, and not those that are made here.
        const asked = { ...identity, request, input: FactoryInput.text(form.factory_input) }
        return yield* AgentRunStart.respond({ engine, idempotency }, {
          request,
          body,
          form,
          agent_id: registered.id,
          subject: {
            run_id: Run.Id.make(form.run_id ?? newId()),
            session_id: Session.Id.make(identity.session_id ?? newId())
          },
          commandOf: (subject) =>
            Effect.flatMap(
              Resolution.resolve(resolution, registered, asked),
              (resolved) => commandOf(resolved, form, identity, subject)
            )
        })
      })
    )
  })
)
