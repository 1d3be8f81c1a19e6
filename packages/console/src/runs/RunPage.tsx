// One run: what it did and when, its messages, its events, and what can be done with it.
import type { Feedback, Message, TraceDetail } from "@svc-runtime/client"
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { VList } from "virtua"
import { CallDecisions } from "../chat/CallDecisions.tsx"
import { runsOf, type Target } from "../chat/Conversation.ts"
import { StepDecisions } from "../chat/StepDecisions.tsx"
import { inputOf, type Metrics, type Recorded, usedBy } from "../chat/StoredTurns.ts"
import { useEvents } from "../chat/useEvents.ts"
import { Copy } from "../parts/Copy.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Folded, Json } from "../parts/Json.tsx"
import { Markdown } from "../parts/Markdown.tsx"
import { Problem } from "../parts/Problem.tsx"
import { isConflict } from "../parts/ServiceError.ts"
import { Status } from "../parts/Status.tsx"
import { duration, Time } from "../parts/Time.tsx"
import { money } from "../parts/units.ts"
import { Action } from "../resources/Action.tsx"
import { ResourceForm } from "../resources/ResourceForm.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { go, href, query, route } from "../Route.ts"
import { features, may, mayOpen } from "../service/Caller.ts"
import { descriptions, isConversing } from "../service/components.ts"
import { addressOf, svc, token, untilAccepted } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { RunGraph } from "../workflows/RunGraph.tsx"
import { AddToDataset } from "./AddToDataset.tsx"
import { RunCheckpoints } from "./RunCheckpoints.tsx"
import { RunComparison } from "./RunComparison.tsx"
import { hasEnded, isActive } from "./RunStatus.ts"
import { timelineOf } from "./Spans.ts"
import { Waterfall } from "./Waterfall.tsx"

// What people and scorers think of a run.

const words: ReadonlyMap<unknown, string> = new Map([[true, "good"], [false, "bad"]])

const feedbackColumns: ReadonlyArray<Column<Feedback>> = [
  { title: "Score", cell: ({ score }) => words.get(score) ?? String(score) },
  { title: "Of", cell: ({ key }) => key },
  { title: "Comment", cell: ({ comment }) => comment },
  { title: "By", cell: ({ source, user_id }) => user_id ?? (source === "scorer" ? "a scorer" : "–") },
  { title: "Given", cell: ({ updated_at }) => <Time value={updated_at} /> }
]

const feedbackFields = [
  { name: "score", title: "The answer is", choices: [["true", "good"], ["false", "bad"]] },
  { name: "comment", title: "Comment" }
] as const

const RunFeedback = ({ run_id }: { readonly run_id: string }) => {
  const { problem, reload, value = [] } = useLoaded((signal) => svc().feedback.ofRun(run_id, {}, { signal }), [run_id])
  return (
    <>
      <Problem error={problem} retry={reload} />
      {value.length === 0 ? <p class="quiet">No feedback yet</p> : (
        <Table
          columns={feedbackColumns}
          entries={value}
          keyOf={({ id }) => id}
          actions={({ id, key }) => (
            <Action
              scope="evals:delete"
              label={`Delete the score of ${key}`}
              run={() => svc().feedback.delete(id)}
              done={reload}
            >
              Delete
            </Action>
          )}
        />
      )}
      <ResourceForm
        title="Give feedback"
        scope="evals:write"
        button="Give feedback"
        fields={feedbackFields}
        submit={({ comment = "", score }) =>
          svc().feedback.give(run_id, { score: score === "true", ...(comment === "" ? {} : { comment }) })
            .then(reload)}
      />
    </>
  )
}

// The events of a run, as the service sends them. Only those on the screen are drawn.

interface EventsProps {
  readonly target: Target
  readonly run: { readonly run_id: string; readonly session_id: string }
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })

const RunEvents = ({ run, target }: EventsProps) => {
  const { events, problem, retry } = useEvents(target, run)
  const [open, setOpen] = useState<number | undefined>(undefined)
  const chosen = open === undefined ? undefined : events[open]
  return (
    <div class="events">
      <Problem error={problem} retry={retry} />
      <p class="quiet">{events.length.toLocaleString()} events</p>
      <VList style={{ height: "24rem" }}>
        {events.map((event, index) => (
          <button
            key={index}
            type="button"
            class="row"
            aria-expanded={open === index}
            onClick={() => setOpen(index)}
          >
            <span class="quiet">{event.event_index ?? index}</span>
            <span>{event.event}</span>
            <span class="quiet">{event.created_at === undefined ? "" : clock.format(event.created_at * 1000)}</span>
          </button>
        ))}
      </VList>
      {chosen === undefined ? null : <Json value={chosen} />}
    </div>
  )
}

// The request of a run for a terminal. The token is not in it.
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const commandOf = ({ id, kind }: Target, input: string): string =>
  [
    `curl ${shellQuoted(addressOf(`/${kind}s/${encodeURIComponent(id)}/runs`))}`,
    ...(token.value === undefined ? [] : [`-H "Authorization: Bearer $SVC_TOKEN"`]),
    `--form-string ${shellQuoted(`message=${input}`)}`,
    `--form-string stream=false`
  ].join(" ")

const Curl = ({ input, target }: { readonly target: Target; readonly input: string }) => (
  <Copy text={() => commandOf(target, input)}>Copy as curl</Copy>
)

/** Starts the same input in a new session, and opens that run. */
const RunAgain = ({ input, target }: { readonly target: Target; readonly input: string }) => (
  <Action
    scope={`${target.kind}s:run`}
    of={target.id}
    run={() => runsOf(target).start(input).then(({ run_id }) => go(href(["runs", run_id])))}
  >
    Run again
  </Action>
)

const figures = ({ cost, total_tokens = 0 }: Metrics): string =>
  `${total_tokens} tokens${cost === undefined ? "" : ` · $${cost.toFixed(4)}`}`

interface Inner extends Pick<Recorded, "metrics" | "total_metrics"> {
  readonly agent_id?: string | undefined
  readonly team_id?: string | undefined
  readonly workflow_id?: string | undefined
}

/** What the run itself has used, and each run inside of it. */
const partsOf = (run: Inner & { readonly member_responses?: unknown; readonly step_executor_runs?: unknown }) => {
  const inside = [run.member_responses ?? [], run.step_executor_runs ?? []].flat() as ReadonlyArray<Inner>
  if (inside.length === 0) return []
  return [
    ...(run.workflow_id === undefined ? [`itself: ${figures(run.metrics ?? {})}`] : []),
    ...inside.map((each) => `${each.agent_id ?? each.team_id ?? each.workflow_id ?? ""}: ${figures(usedBy(each))}`)
  ]
}

interface Run extends Recorded {
  readonly run_id: string
  readonly status: string
  readonly workflow_id?: string | undefined
  readonly model?: string | undefined
  readonly created_at?: number | undefined
  readonly input?: unknown
}

interface Found {
  readonly run: Run
  readonly target: Target
  readonly reference: { readonly run_id: string; readonly session_id: string }
  readonly input: string
}

/** The list knows of which component and session a run is. */
const find = async (run_id: string, signal: AbortSignal): Promise<Found> => {
  const { data: [item] } = await svc().runs.list({ run_id, limit: 1 }, { signal })
  if (item === undefined) throw new Error(`There is no run ${run_id}, or it is not yours`)
  const target: Target = item.agent_id !== null
    ? { kind: "agent", id: item.agent_id }
    : item.team_id !== null
    ? { kind: "team", id: item.team_id }
    : { kind: "workflow", id: item.workflow_id ?? "" }
  const reference = { run_id, session_id: item.session_id }
  const run: Run = await runsOf(target).get(reference, { signal })
  const given = inputOf(run)
  return { run, target, reference, input: typeof given === "string" ? given : JSON.stringify(given ?? "") }
}

const tracesOf = async (run_id: string, signal: AbortSignal): Promise<ReadonlyArray<TraceDetail>> => {
  const { data } = await svc().traces.list({ run_id, limit: 20 }, { signal })
  return await Promise.all(
    data.map(({ trace_id }) => svc().traces.get(trace_id, { run_id }, { signal }) as Promise<TraceDetail>)
  )
}

/** Milliseconds from a change of a run's state, in which its traces are written. */
const writing = 10_000

const Traces = ({ run_id, status }: { readonly run_id: string; readonly status: string }) => {
  const [isWritten, setWritten] = useState(false)
  useEffect(() => {
    setWritten(false)
    const timer = setTimeout(() => setWritten(true), writing)
    return () => clearTimeout(timer)
  }, [run_id, status])
  const { problem, reload, value } = useLoaded((signal) => tracesOf(run_id, signal), [run_id], {
    every: isActive(status) || !isWritten ? 2000 : undefined
  })
  if (value === undefined) return <Problem error={problem} retry={reload} />
  if (value.length === 0) {
    return (
      <Empty title="No timeline yet">
        Traces are written when a step ends. They are stored by default on the embedded database; set TRACES=true to
        store them on PostgreSQL. <button type="button" onClick={reload}>Look again</button>
      </Empty>
    )
  }
  return <Waterfall timeline={timelineOf(value)} />
}

const Messages = ({ messages }: { readonly messages: ReadonlyArray<Message> }) => (
  <ol class="messages">
    {messages.map((message) => (
      <li key={message.id}>
        <p class="label">{message.role}{message.tool_name === undefined ? "" : ` ${message.tool_name}`}</p>
        {message.role === "tool" || message.role === "system"
          ? <Json value={message.content} />
          : <Markdown text={message.content ?? ""} />}
        <Folded title="Tool calls" value={message.tool_calls} />
      </li>
    ))}
  </ol>
)

const Fact = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
)

const tabs = [
  "timeline",
  "graph",
  "answer",
  "messages",
  "events",
  "checkpoints",
  "feedback",
  "compare",
  "dataset"
] as const

export const RunPage = () => {
  const { path: [, id = ""], query: { tab: chosen } } = route.value
  const [problem, setProblem] = useState<unknown>(undefined)
  const { problem: failure, reload, value: found } = useLoaded((signal) => find(id, signal), [id], {
    every: (found) => found !== undefined && hasEnded(found.run.status) ? undefined : 2000
  })
  const [isSending, setSending] = useState(false)
  // what was refused is over when the run has changed, unless another decision counts
  useEffect(() => setProblem((refused: unknown) => isConflict(refused) ? refused : undefined), [found?.run.status])
  if (found === undefined) {
    return (
      <section class="page">
        <Problem error={failure} retry={reload} />
      </section>
    )
  }
  const { input, reference, run, target } = found
  const mayRun = may(`${target.kind}s:run`, target.id)
  const decide = (decisions: object) => {
    setProblem(undefined)
    setSending(true)
    untilAccepted(async () => {
      const stream = runsOf(target).continueStream(reference, decisions)[Symbol.asyncIterator]()
      await stream.next()
      // the run continues without a reader
      await stream.return?.(undefined)
    }).catch(setProblem).finally(() => {
      setSending(false)
      reload()
    })
  }
  const isShown: Readonly<Partial<Record<typeof tabs[number], boolean>>> = {
    timeline: features.value.includes("traces"),
    graph: descriptions[target.kind].hasSteps,
    feedback: features.value.includes("feedback") && may("evals:read"),
    checkpoints: isConversing(target.kind),
    dataset: features.value.includes("evaluation") && may("evals:write") && hasEnded(run.status)
  }
  const used = usedBy(run)
  const parts = partsOf(run)
  const shown = tabs.filter((name) => isShown[name] ?? true)
  const tab = shown.find((name) => name === chosen) ?? shown[0]
  return (
    <section class="page run">
      <h1>
        {target.id} <Status value={run.status} />
      </h1>
      <p class="quiet run-id">
        <code>{run.run_id}</code>
        <Copy text={() => run.run_id} label="Copy the id" />
      </p>
      <p class="asked" title={input}>{input}</p>
      <dl class="run-facts">
        <Fact title="Started">
          <Time value={run.created_at} />
        </Fact>
        <Fact title="Took">{run.metrics?.duration === undefined ? "–" : duration(run.metrics.duration * 1000)}</Fact>
        <Fact title="Tokens">{(used.total_tokens ?? 0).toLocaleString()}</Fact>
        <Fact title="Cost">{used.cost === undefined ? "not known" : money(used.cost)}</Fact>
        {run.model === undefined ? null : <Fact title="Model">{run.model}</Fact>}
      </dl>
      {parts.length === 0 ? null : <p class="quiet">{parts.join(", ")}</p>}
      <p class="actions">
        <a class="button" href={href(["chat", target.kind, target.id], { session: reference.session_id })}>
          Open the conversation
        </a>
        {isConversing(target.kind) && mayOpen("playground")
          ? (
            <a
              class="button"
              href={href(["playground", target.kind, target.id], { run: run.run_id, session: reference.session_id })}
            >
              Open in the playground
            </a>
          )
          : null}
        {mayRun ? <RunAgain target={target} input={input} /> : null}
        <Curl target={target} input={input} />
        {mayRun && !hasEnded(run.status)
          ? (
            <button
              type="button"
              class="danger"
              onClick={() =>
                confirm("Cancel this run?") &&
                untilAccepted(() => runsOf(target).cancel(reference)).then(reload, setProblem)}
            >
              Cancel the run
            </button>
          )
          : null}
      </p>
      <Problem error={problem} isDecision />
      <Problem error={failure} retry={reload} />
      {run.status === "ERROR" ? <Problem error={new Error(String(run.content ?? "The run failed"))} /> : null}
      {mayRun && run.status === "PAUSED" && (run.requirements?.length ?? 0) > 0
        ? <CallDecisions requirements={run.requirements ?? []} decide={decide} isSending={isSending} />
        : null}
      {mayRun && run.status === "PAUSED"
        ? (
          <StepDecisions
            steps={run.step_requirements ?? []}
            errors={run.error_requirements ?? []}
            decide={decide}
            isSending={isSending}
          />
        )
        : null}
      <nav class="tabs" aria-label="Parts of the run">
        {shown.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={tab === name}
            onClick={() => query({ tab: name })}
          >
            {name}
          </button>
        ))}
      </nav>
      {tab === "timeline" ? <Traces run_id={run.run_id} status={run.status} /> : null}
      {tab === "answer"
        ? (
          <>
            <p class="label">Input</p>
            <Json value={input} />
            <p class="label">Answer</p>
            {typeof run.content === "string" ? <Markdown text={run.content} /> : <Json value={run.content} />}
            <Folded title="Reasoning" value={run.reasoning_content} />
            <Folded title="Tool calls" value={run.tools} />
            <Folded title="Steps" value={run.step_results} />
          </>
        )
        : null}
      {tab === "graph" ? <RunGraph id={target.id} run={reference} /> : null}
      {tab === "messages" ? <Messages messages={run.messages ?? []} /> : null}
      {tab === "events" ? <RunEvents target={target} run={reference} /> : null}
      {tab === "checkpoints" && isConversing(target.kind)
        ? <RunCheckpoints kind={target.kind} id={target.id} run={reference} />
        : null}
      {tab === "compare" ? <RunComparison run={run} target={target} /> : null}
      {tab === "dataset"
        ? (
          <AddToDataset
            input={input}
            answer={run.status !== "COMPLETED"
              ? ""
              : typeof run.content === "string"
              ? run.content
              : JSON.stringify(run.content ?? "")}
          />
        )
        : null}
      {tab === "feedback" ? <RunFeedback run_id={run.run_id} /> : null}
    </section>
  )
}
