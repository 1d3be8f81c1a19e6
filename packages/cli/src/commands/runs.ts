// `svc runs`: the runs of a service.
import { answer, approve, reject, sent } from "@svc-runtime/client"
import * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import * as RunStatus from "@svc-runtime/domain/RunStatus"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { CommandFailed, UsageError } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import * as CallDecisions from "../runs/CallDecisions.ts"
import * as FollowedRun from "../runs/FollowedRun.ts"
import * as RunTable from "../runs/RunTable.ts"
import * as RunText from "../runs/RunText.ts"
import * as Waiting from "../runs/Waiting.ts"
import * as ComponentName from "../service/ComponentName.ts"
import * as Groups from "../service/Groups.ts"
import * as ListAnswer from "../service/ListAnswer.ts"
import type { Continuation } from "../service/Runs.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"
import { onOneLine } from "../terminal/Printable.ts"
import { Prompts } from "../terminal/Prompts.ts"

// `svc runs list`: the newest runs of all components.

const statuses = ["pending", "running", "completed", "paused", "cancelled", "error", "regenerated"] as const

const listFlags = {
  status: Flag.Literals("status", statuses).pipe(
    Flag.withDescription("Only runs in this state"),
    Flag.atLeast(0),
    Flag.map((given) => given.at(-1))
  ),
  component: Flags.text("component", "NAME", "Only runs of this component, such as agent/assistant"),
  session: Flags.text("session", "ID", "Only runs of this session"),
  user: Flags.text("user", "ID", "Only runs of this user"),
  sort: Flag.Literals("sort", ["started", "duration", "tokens", "cost"]).pipe(
    Flag.withDescription("What the largest or latest is shown first of"),
    Flag.withDefault("started")
  ),
  limit: Flags.limit,
  ...AdminTarget.flags
}

const sortings = { started: "created_at", duration: "duration", tokens: "total_tokens", cost: "cost" } as const

const list = Command.make(
  "list",
  listFlags,
  ({ component, json, limit, session, sort, status, user, ...given }) =>
    present(
      json,
      Effect.gen(function*() {
        const service = yield* ServiceClient.open(given)
        const name = component === undefined ? undefined : yield* ComponentName.resolve(service, component)
        return yield* ListAnswer.of({
          name: "runs",
          read: (action) =>
            ServiceClient.call(service, action, Groups.runs, "list", {
              query: {
                limit,
                sort_by: sortings[sort],
                type: name?.kind,
                component_id: name?.id,
                session_id: session,
                user_id: user,
                status: status?.toUpperCase() as typeof Run.Status.Type | undefined
              }
            }),
          columns: RunTable.columns,
          rowOf: RunTable.rowOf,
          empty: "There are no such runs. Start one with svc run."
        })
      })
    )
).pipe(
  Command.withDescription("List the runs of all components, the newest first."),
  Command.annotate(Variables, [address, ...credentials]),
  Command.withShortDescription("List runs"),
  Command.withExamples([
    { command: "svc runs list --status paused" },
    { command: "svc runs list --sort cost --limit 10", description: "The ten runs that cost the most" },
    {
      command: "svc runs list --status error --json | jq -r '.runs[].run_id'",
      description: "The ids of runs that failed"
    }
  ])
)

// A run by its id alone: the list of runs knows its session and its component.

interface RunAddress {
  readonly run_id: string
  readonly session_id: string
  readonly component: ComponentName.ComponentName
}

const findRun = Effect.fn("runs.findRun")(function*(service: ServiceClient.Service, run_id: string) {
  const { data: [run] } = yield* ServiceClient.call(
    service,
    `Looking up run ${run_id}`,
    Groups.runs,
    "list",
    { query: { run_id, limit: 1 } }
  )
  const component = run === undefined ? undefined : ComponentName.ofEntry(run)
  if (run === undefined || component === undefined) {
    return yield* new CommandFailed({
      message: `There is no run '${run_id}'`,
      hint: "List the runs with svc runs list."
    })
  }
  const address: RunAddress = { run_id, session_id: run.session_id, component }
  return address
})

// `svc runs show RUN`: one run with its answer, its tool calls and what it waits for.

const runFlags = {
  run: Argument.String("run").pipe(Argument.withDescription("Id of the run")),
  ...AdminTarget.flags
}

interface Shown extends FollowedRun.Run {
  readonly tools?:
    | ReadonlyArray<{
      readonly tool_name: string
      readonly tool_args: Json.Value | null
      readonly result: string | null
    }>
    | undefined
}

const show = Effect.fnUntraced(function*({ component, run_id, session_id }: RunAddress, run: Shown) {
  const output = yield* Output
  const { content, metrics, status, tools = [], total_metrics: used = metrics } = run
  const lines = [
    `Run:        ${run_id}`,
    `Component:  ${ComponentName.nameOf(component)}`,
    `Session:    ${session_id}`,
    `Status:     ${status}`,
    ...(metrics?.duration === undefined ? [] : [`Duration:   ${metrics.duration.toFixed(2)} s`]),
    ...(used?.total_tokens === undefined ? [] : [`Tokens:     ${used.total_tokens}`]),
    ...(used?.cost === undefined ? [] : [`Cost:       $${used.cost.toFixed(4)}`])
  ]
  for (const line of lines) yield* output.line(onOneLine(line))
  if (tools.length > 0) {
    yield* output.line()
    yield* output.table(
      [{ title: "Tool call", wraps: true }, { title: "Result", wraps: true }],
      tools.map((tool) => [CallDecisions.titleOf(tool), tool.result ?? "-"])
    )
  }
  if (content !== undefined && content !== null) {
    yield* output.line()
    yield* output.line(RunText.contentOf(content))
  }
  const waiting = Waiting.of(run)
  if (waiting.length > 0) yield* output.line()
  for (const { text } of waiting) yield* output.warn(`It waits for: ${text}`)
  const paused = { ...run, run_id }
  const how = Waiting.timed(paused) ?? `Continue it with ${Waiting.commandFor(paused)}.`
  if (status === "PAUSED") yield* output.note(how)
})

const showRun = Command.make("show", runFlags, ({ json, run: id, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const found = yield* findRun(service, id)
      const run = yield* Effect.mapError(
        ComponentName.runsOf(service, found.component).get(found),
        ServiceClient.failed("Reading the run")
      )
      return {
        document: Json.of(run),
        human: Effect.provideService(show(found, run), Output, output)
      }
    })
  )).pipe(
    Command.withDescription("Show a run: its state, its tool calls, its answer, and what it waits for."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Show one run"),
    Command.withExamples([{ command: "svc runs show 0d0f7c4e-…" }])
  )

// `svc runs watch RUN`: follows the events of a run that exists, from its first one or from a later one.

const watchFlags = {
  run: Argument.String("run").pipe(Argument.withDescription("Id of the run")),
  after: Flag.Int("after").pipe(
    Flag.withMetavar("INDEX"),
    Flag.withDescription("Only events behind this index"),
    Flag.atLeast(0),
    Flag.map((given) => given.at(-1))
  ),
  ...AdminTarget.flags
}

const watch = Command.make("watch", watchFlags, ({ after, json, run: id, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const service = yield* ServiceClient.open(given)
      const found = yield* findRun(service, id)
      const runs = ComponentName.runsOf(service, found.component)
      const ended = yield* FollowedRun.follow(runs, {
        stream: runs.watch(found, after),
        request: "Following the run"
      })
      return yield* FollowedRun.answer(ended)
    })
  )).pipe(
    Command.withDescription(
      "Show the events of a run, those so far and those to come. Ctrl-C ends the command, and the run continues. With " +
        "--json every event is one line of JSON."
    ),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Follow a run to its end"),
    Command.withExamples([{ command: "svc runs watch 0d0f7c4e-…" }])
  )

// `svc runs cancel RUN`: requests the end of a run.

const cancel = Command.make("cancel", runFlags, ({ json, run: id, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const { component, run_id, session_id } = yield* findRun(service, id)
      const runs = ComponentName.runsOf(service, component)
      const run = { run_id, session_id }
      yield* Effect.mapError(runs.cancel(run), ServiceClient.failed("Cancelling the run"))
      const { status } = yield* Effect.mapError(runs.get(run), ServiceClient.failed("Reading the run"))
      return {
        document: { run_id, session_id, status },
        human: output.line(
          RunStatus.hasEnded(status) ? `Run ${run_id} has ended as ${status}.` : `Run ${run_id} is being cancelled.`
        )
      }
    })
  )).pipe(
    Command.withDescription("Request the end of a run. A run that has ended stays as it is."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Cancel a run"),
    Command.withExamples([{ command: "svc runs cancel 0d0f7c4e-…" }])
  )

// `svc runs continue RUN`: resumes a paused or failed run, with decisions from flags or from a person.

const continueFlags = {
  run: Argument.String("run").pipe(Argument.withDescription("Id of the run")),
  input: Argument.String("text").pipe(
    Argument.withDescription("A message for a run that failed or has ended"),
    Argument.variadic()
  ),
  isApproving: Flags.toggle("approve", "Allow everything that the run waits for"),
  isRejecting: Flags.toggle("reject", "Reject everything that the run waits for"),
  values: Flags.object("values", "Values that the run asks for, by the names of the fields, or by the id of each call"),
  result: Flags.text("result", "TEXT", "Result of a call that was executed elsewhere"),
  choices: Flag.String("choices").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Choice of a router. Several have commas between them, or are repeated"),
    Flag.atLeast(0)
  ),
  args: Flags.object("args", "All arguments of the call, in place of those of the model"),
  step: Flags.text("step", "NAME", "The only step that is decided, by its name, its place such as 1/2/0, or its id"),
  call: Flags.text("call", "ID", "The only call that is decided, by its id"),
  note: Flags.text("note", "TEXT", "Reason of a rejection, for the model"),
  ...AdminTarget.flags
}

const noDecisions: Continuation = {}

/** What a flag decides may be nothing that the run waits for. */
const decidedBy = <A extends object>(id: string, decide: () => A) =>
  Effect.try({
    try: decide,
    catch: (error) =>
      new CommandFailed({
        message: error instanceof Error ? error.message : String(error),
        hint: `See what it waits for with svc runs show ${id}.`
      })
  })

const asList = (titles: ReadonlyArray<string>): string => titles.join(", ")

/** The run, as if it waited for the named call alone. */
const ofCall = (run: FollowedRun.Run, word: string | undefined): FollowedRun.Run => {
  if (word === undefined) return run
  const calls = Waiting.openCallsOf(run)
  const [call, ...others] = Waiting.callsNamed(calls, word)
  if (call !== undefined && others.length === 0) return Waiting.onlyCall(run, call)
  const all = (call === undefined ? calls : [call, ...others]).map((each) => Waiting.nameOfCall(calls, each))
  throw new Error(
    call !== undefined
      ? `Several calls that wait are named '${word}': ${asList(all)}`
      : all.length === 0
      ? "The run waits for no call"
      : `The run waits for no call '${word}'. It waits for ${asList(all)}`
  )
}

/** The run, with other arguments of its call. Other steps are not approved with it. */
const edited = (run: FollowedRun.Run, args: Json.Object): FollowedRun.Run => {
  const calls = Waiting.openCallsOf(run)
  const [call, ...others] = calls
  if (call === undefined) throw new Error("The run waits for no call")
  if (others.length > 0) {
    const names = asList(calls.map((each) => Waiting.nameOfCall(calls, each)))
    throw new Error(`Several calls wait. Name the one of --args with --call ID: ${names}`)
  }
  const tool_execution = { ...call.tool_execution, tool_args: args }
  return Waiting.onlyCall(run, call, { ...call, tool_execution })
}

/** The run, as if it waited for the named step alone. */
const narrowed = Effect.fnUntraced(function*(run: FollowedRun.Run, word: string | undefined) {
  if (word === undefined) return run
  const [step, ...others] = Waiting.namedIn(run, word)
  if (step !== undefined && others.length === 0) return Waiting.onlyStep(run, step)
  const words = [step, ...others].flatMap((each) =>
    each === undefined ? [] : [`${Waiting.titleOf(each)} as ${Waiting.wordFor(run, each)}`]
  )
  return yield* new CommandFailed({
    message: step === undefined
      ? `The run waits for no step '${word}'`
      : `Several steps that wait are named '${word}': ${words.join(", ")}`,
    hint: `See what it waits for with svc runs show ${run.run_id}.`
  })
})

/** A choice, values or a result are more than an approval. */
const refuseWithoutValues = Effect.fnUntraced(function*(run: FollowedRun.Run, given: string) {
  const hint = Waiting.insteadOfApproval(run)
  if (hint === undefined) return
  const missing = Waiting.of(run).filter(({ flag }) => flag !== undefined)
  return yield* new CommandFailed({
    message: `${given} cannot give what the run waits for: ${missing.map(({ text }) => text).join("; ")}`,
    hint
  })
})

/** Values for a run that asks for none would approve unread calls. */
const refuseNeedless = Effect.fnUntraced(function*(run: FollowedRun.Run) {
  const waiting = Waiting.of(run)
  if (waiting.some(({ flag }) => flag !== undefined)) return
  return yield* new CommandFailed({
    message: "The run asks for no values, result or choices",
    hint: waiting.length === 0
      ? `See its state with svc runs show ${run.run_id}.`
      : `It waits for a decision: ${waiting.map(({ text }) => text).join("; ")}. Decide with --approve or --reject.`
  })
})

/** A script decides by flags. */
const refuseWithoutDecision = Effect.fnUntraced(function*(run: FollowedRun.Run) {
  const waiting = Waiting.of(run)
  if (waiting.length === 0) return
  return yield* new CommandFailed({
    message: `The run waits for a decision: ${waiting.map(({ text }) => text).join("; ")}`,
    hint: `Decide with ${Waiting.flagsFor(waiting)}, or run svc runs continue ${run.run_id} in a terminal.`
  })
})

/** Teams continue with some of their calls decided. */
const together = (id: string, { message, status }: CommandFailed) =>
  new CommandFailed({
    message,
    hint: "An agent continues when all its calls are decided together. To decide each in its own way, run svc runs " +
      `continue ${id} in a terminal, or send the decisions with a client.`,
    status
  })

const continueRun = Command.make("continue", continueFlags, (
  { args, call, choices, input, isApproving, isRejecting, json, note, result, run: id, step, values, ...given }
) =>
  present(
    json,
    Effect.gen(function*() {
      if (isApproving && isRejecting) {
        return yield* new UsageError({ message: "--approve and --reject cannot be given together" })
      }
      const isAnswering = values !== undefined || result !== undefined || choices.length > 0
      if (isAnswering && isRejecting) {
        return yield* new UsageError({ message: "--reject takes no --values, --result or --choices" })
      }
      if (args !== undefined && (isAnswering || isRejecting)) {
        return yield* new UsageError({ message: "--args takes no --reject, --values, --result or --choices" })
      }
      if (note !== undefined && !isRejecting) {
        return yield* new UsageError({ message: "--note takes --reject: it is the reason of a rejection" })
      }
      const prompts = yield* Prompts
      const service = yield* ServiceClient.open(given)
      const found = yield* findRun(service, id)
      const runs = ComponentName.runsOf(service, found.component)
      const run = yield* Effect.mapError(runs.get(found), ServiceClient.failed("Reading the run"))
      if (input.length > 0 && found.component.kind === "workflow" && run.status === "PAUSED") {
        return yield* new CommandFailed({
          message: "A paused workflow takes no message",
          hint: `See what it waits for with svc runs show ${id}.`
        })
      }
      const inStep = yield* narrowed(run, step)
      const waiting = yield* decidedBy(id, () => ofCall(inStep, call))
      const paused = args === undefined ? waiting : yield* decidedBy(id, () => edited(waiting, args))
      const isAllowing = isApproving || args !== undefined
      const asks = !isAnswering && !isAllowing && !isRejecting && (yield* prompts.isInteractive)
      if (isAnswering) yield* refuseNeedless(paused)
      else if (isAllowing) yield* refuseWithoutValues(paused, isApproving ? "--approve" : "--args")
      else if (!isRejecting && !asks) yield* refuseWithoutDecision(paused)
      const message = input.join(" ")
      const more = { result, choices: choices.length === 0 ? undefined : Waiting.choicesIn(choices, paused) }
      const decisions = isAnswering
        ? yield* decidedBy(id, () => answer(paused as never, values as never, more))
        : isAllowing
        ? approve(paused as never)
        : isRejecting
        ? reject(paused as never, note)
        : asks && run.status === "PAUSED"
        ? (yield* FollowedRun.decided(paused)) ?? noDecisions
        : noDecisions
      const stream = runs.continueStream(
        found,
        { ...decisions as Continuation, ...(message === "" ? {} : { input: message }) }
      )
      const ended = yield* Effect.mapError(
        FollowedRun.follow(runs, { stream, request: "Continuing the run" }),
        (error) =>
          call !== undefined && error._tag === "CommandFailed" && error.status === 422 ? together(id, error) : error
      )
      return yield* FollowedRun.answer(ended)
    })
  )).pipe(
    Command.withDescription(
      "Resume a paused run with decisions, or a failed one after its last finished step. At a terminal the decisions " +
        "are asked for; --approve and --reject decide everything, and --values, --result and --choices give what is asked " +
        "for and approve the rest; --step and --call decide one step or call. A run that has ended is continued in a " +
        "new run."
    ),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Continue a paused, failed or ended run"),
    Command.withExamples([
      { command: "svc runs continue 0d0f7c4e-…" },
      {
        command: "svc runs continue 0d0f7c4e-… --values '{\"day\": \"friday\"}'",
        description: "With the values that it asks for"
      },
      {
        command: "svc runs continue 0d0f7c4e-… --args '{\"order\": 17, \"amount\": 55}'",
        description: "Approved with other arguments"
      },
      { command: "svc runs continue 0d0f7c4e-… --reject --note \"Ask for the invoice first\"" }
    ])
  )

// `svc runs send RUN EVENT VALUE`: sends an event to a run that waits for it.

const decodeValue = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Json))

const sendFlags = {
  run: Argument.String("run").pipe(Argument.withDescription("Id of the run")),
  event: Argument.String("event").pipe(Argument.withDescription("Name of the event")),
  value: Argument.String("value").pipe(
    Argument.withDescription("What the run gets, as JSON. Default: null"),
    Argument.optional
  ),
  ...AdminTarget.flags
}

const send = Command.make("send", sendFlags, ({ event, json, run: id, value, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const text = Option.getOrElse(value, () => "null")
      const decoded = yield* Effect.mapError(decodeValue(text), () =>
        new UsageError({ message: `The value ${text} is no JSON. A text has quotes: '"${text}"'` }))
      const service = yield* ServiceClient.open(given)
      const found = yield* findRun(service, id)
      const runs = ComponentName.runsOf(service, found.component)
      const run = yield* Effect.mapError(runs.get(found), ServiceClient.failed("Reading the run"))
      const decisions = yield* decidedBy(id, () =>
        sent(run as never, event, decoded))
      const stream = runs.continueStream(found, decisions as Continuation)
      const ended = yield* FollowedRun.follow(runs, { stream, request: "Sending the event" })
      return yield* FollowedRun.answer(ended)
    })
  )).pipe(
    Command.withDescription("Send an event to a paused run that waits for it by waitFor, and follow the run."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Send an event to a run"),
    Command.withExamples([{ command: "svc runs send 0d0f7c4e-… paid '{\"cents\": 1200}'" }])
  )

// `svc runs edit RUN TEXT` and `svc runs regenerate RUN`: a run beside another one, on a branch of its session.

const beside = Effect.fnUntraced(function*(
  given: Parameters<typeof ServiceClient.open>[0],
  id: string,
  text: string | undefined
) {
  const service = yield* ServiceClient.open(given)
  const { component, run_id, session_id } = yield* findRun(service, id)
  const replaced = yield* ServiceClient.call(service, "Reading the run", Groups.sessions, "getRun", {
    params: { session_id, run_id },
    query: {}
  })
  const runs = ComponentName.runsOf(service, component)
  const stream = runs.stream({
    message: text ?? replaced.run_input,
    session_id,
    previous_run_id: replaced.previous_run_id ?? "start"
  })
  return yield* FollowedRun.answer(yield* FollowedRun.follow(runs, { stream, request: "Starting the run" }))
})

const editFlags = {
  run: Argument.String("run").pipe(Argument.withDescription("Id of the run")),
  text: Argument.String("text").pipe(
    Argument.withDescription("The message instead of that of the run"),
    Argument.atLeast(1)
  ),
  ...AdminTarget.flags
}

const edit = Command.make(
  "edit",
  editFlags,
  ({ json, run, text, ...given }) => present(json, Effect.suspend(() => beside(given, run, text.join(" "))))
).pipe(
  Command.withDescription(
    "Send another message instead of that of a run. The new run is a branch of its session; the old one stays stored."
  ),
  Command.annotate(Variables, [address, ...credentials]),
  Command.withShortDescription("Send another message instead of that of a run"),
  Command.withExamples([{ command: "svc runs edit 0d0f7c4e-… \"My name is Ann\"" }])
)

const regenerate = Command.make(
  "regenerate",
  runFlags,
  ({ json, run, ...given }) => present(json, Effect.suspend(() => beside(given, run, undefined)))
).pipe(
  Command.withDescription(
    "Send the message of a run again, without its files. The new run is a branch of its session."
  ),
  Command.annotate(Variables, [address, ...credentials]),
  Command.withShortDescription("Send the message of a run again"),
  Command.withExamples([{ command: "svc runs regenerate 0d0f7c4e-…" }])
)

export const runs = Command.make("runs").pipe(
  Command.withDescription(
    "List, show, follow, cancel, continue, edit and regenerate the runs of a service, and send events to them."
  ),
  Command.withShortDescription("Work with runs"),
  Command.withSubcommands([list, showRun, watch, cancel, continueRun, send, edit, regenerate])
)
