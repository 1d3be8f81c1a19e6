// The tree of a trace: its spans as nodes below their parents, and the input and output of the whole.
import type * as Span from "@svc-runtime/domain/Span"
import * as Time from "@svc-runtime/domain/Time"
import * as AuthorAttributes from "@svc-runtime/telemetry/AuthorAttributes"
import type * as Trace from "./Trace.ts"
import * as TraceParts from "./TraceParts.ts"
import type { SessionTraces } from "./TraceStore.ts"

// Which spans are below which in the tree of a trace.

type SpanArrangementSpans = ReadonlyArray<Span.Span>

/** Deeper spans are left out: the service nests runs less deeply. */
const maxDepth = 100

/** Of a span whose parent is not stored: a full trace has its runs, and lacks other spans that end late. */
const runAround = (span: Span.Span, runs: SpanArrangementSpans): Span.Span | undefined => {
  const isAround = (run: Span.Span) =>
    run.user_id === span.user_id && run.session_id === span.session_id &&
    run.started_at <= span.started_at && span.started_at <= run.ended_at
  return runs.find((run) => run.run_id === span.run_id && isAround(run)) ?? runs.find(isAround)
}

/** The spans below each span, in the order of their starts. A span without a parent and without a run is a root. */
const arrange = (spans: SpanArrangementSpans) => {
  const byId = new Map(spans.map((span) => [span.span_id, span]))
  const parentOf = ({ parent_span_id: id }: Span.Span) => id === null ? undefined : byId.get(id)
  const isRoot = (span: Span.Span) => parentOf(span) === undefined && (span.parent_span_id === null || span.is_root)

  /** Whether all spans above it are stored. Only below such a run can spans be placed without a cycle. */
  const isComplete = (span: Span.Span): boolean => {
    let top: Span.Span = span
    for (let depth = 0; depth < maxDepth; depth++) {
      const parent = parentOf(top)
      if (parent === undefined) return isRoot(top)
      top = parent
    }
    return false
  }

  const runs = spans.filter((span) => TraceParts.isRun(span) && isComplete(span))
  const roots: Array<Span.Span> = []
  const children = new Map<string, Array<Span.Span>>()
  for (const span of spans.toSorted((one, other) => one.started_at - other.started_at)) {
    const parent = isRoot(span) ? undefined : parentOf(span) ?? runAround(span, runs)
    if (parent === undefined) roots.push(span)
    else if (children.get(parent.span_id)?.push(span) === undefined) children.set(parent.span_id, [span])
  }
  return { roots, childrenOf: ({ span_id }: Span.Span): SpanArrangementSpans => children.get(span_id) ?? [] }
}

/** In milliseconds below one second, and in seconds from there. */
export const durationText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.floor(milliseconds)}ms` : `${(milliseconds / 1000).toFixed(2)}s`

const timeText = (microseconds: number): string => {
  const fraction = microseconds % 1_000_000
  const seconds = Time.toDateTime((microseconds - fraction) / 1_000_000)
  return fraction === 0 ? seconds : seconds.replace("Z", `.${String(fraction).padStart(6, "0")}Z`)
}

type Spans = ReadonlyArray<Span.Span>
type Attributes = Readonly<Record<string, Span.AttributeValue>>

const textAt = ({ attributes }: Span.Span, name: string): string | undefined => {
  const value = attributes[name]
  return typeof value === "string" ? value : undefined
}

const numberAt = ({ attributes }: Span.Span, name: string): number => {
  const value = attributes[name]
  return typeof value === "number" ? value : 0
}

const kindOf = (span: Span.Span): string => textAt(span, "openinference.span.kind") ?? "UNKNOWN"

/** Of the service. Code of an author can open spans with the same names. */
const isStatement = ({ attributes, authored = [] }: Span.Span): boolean =>
  attributes["db.query.summary"] !== undefined && !authored.includes("db.query.summary")

const typeOf = (span: Span.Span): string => {
  const kind = kindOf(span)
  if (kind === "CHAIN") return isStatement(span) ? "STATEMENT" : "WORKFLOW"
  return kind === "AGENT" && span.attributes["svc.team.id"] !== undefined ? "TEAM" : kind
}

const errorOf = ({ events, status, status_message }: Span.Span): string | undefined => {
  if (status !== "ERROR") return undefined
  const message = events.find(({ name }) => name === "exception")?.attributes["exception.message"]
  return status_message ?? (message === undefined ? "Unknown error" : String(message))
}

/** Without the keys that have no value. */
const present = <A>(values: Readonly<Record<string, A | null | undefined>>): Readonly<Record<string, A>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => value === undefined || value === null ? [] : [[key, value]])
  )

const workflowKeys = (span: Span.Span): Attributes => {
  if (kindOf(span) !== "CHAIN") return {}
  const { attributes } = span
  return present({
    description: attributes["svc.workflow.description"],
    steps_count: attributes["svc.workflow.steps_count"],
    steps: attributes["svc.workflow.steps"],
    step_types: attributes["svc.workflow.step_types"]
  })
}

/** Of a run that neither completed nor failed: its trace and its node do not tell whether it was cancelled. */
const runStatus = ({ attributes, status }: Span.Span): Attributes =>
  status === "UNSET" ? present({ run_status: attributes["svc.run.status"] }) : {}

const ownKeys = (span: Span.Span): Attributes => {
  const { attributes } = span
  switch (typeOf(span)) {
    case "AGENT":
    case "TEAM":
      return { ...present({ run_id: span.run_id }), ...runStatus(span) }
    case "LLM":
      return present({
        model: attributes["gen_ai.request.model"],
        input_tokens: attributes["gen_ai.usage.input_tokens"],
        output_tokens: attributes["gen_ai.usage.output_tokens"],
        cached_tokens: attributes["gen_ai.usage.cache_read.input_tokens"],
        changed_prompt: attributes["svc.prompt_cache.changed"],
        left_out_messages: attributes["svc.context.left_out.messages"],
        left_out_results: attributes["svc.context.left_out.tool_results"],
        left_out_because: attributes["svc.context.left_out.reasons"]
      })
    case "TOOL":
      return present({ tool_name: attributes["gen_ai.tool.name"], parameters: attributes["input.value"] })
    case "STATEMENT":
      return present({
        database: attributes["db.namespace"],
        store: attributes["db.collection.name"],
        method: attributes["db.operation.name"]
      })
    default:
      return { ...workflowKeys(span), ...runStatus(span) }
  }
}

const metadataOf = (span: Span.Span): { readonly metadata?: Attributes } => {
  const authored = AuthorAttributes.shownOf(span)
  const metadata = { ...authored, ...ownKeys(span), ...present({ session_id: span.session_id, user_id: span.user_id }) }
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}

const total = (spans: Spans, name: string): number | undefined => {
  const sum = TraceParts.countedOf(spans).reduce(
    (sum, span) => kindOf(span) === "LLM" ? sum + numberAt(span, name) : sum,
    0
  )
  return sum === 0 ? undefined : sum
}

const rootMetadata = (root: Span.Span, spans: Spans): { readonly metadata?: Attributes } => {
  const metadata = {
    ...AuthorAttributes.shownOf(root),
    ...present({
      total_input_tokens: total(spans, "gen_ai.usage.input_tokens"),
      total_output_tokens: total(spans, "gen_ai.usage.output_tokens")
    }),
    ...workflowKeys(root),
    ...runStatus(root)
  }
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}

/** Beside steps, a run can have children that are jobs, statements or its wait in the queue. */
const stepType = "svc.step.type"

const timesOf = (start: number, end: number) => ({
  duration: durationText(Math.max(0, end - start) / 1000),
  start_time: timeText(start),
  end_time: timeText(end)
})

const contentOf = (span: Span.Span) => {
  const error = errorOf(span)
  return present({
    input: textAt(span, "input.value"),
    output: error === undefined ? textAt(span, "output.value") : undefined,
    error
  })
}

/** The keys in the order of the contract. */
const nodeWith = (
  span: Span.Span,
  times: ReturnType<typeof timesOf>,
  { metadata, ...more }: Partial<Trace.Node>
): Trace.Node => ({
  id: span.span_id,
  name: span.name,
  type: typeOf(span),
  ...times,
  status: span.status,
  ...more,
  ...(metadata === undefined ? {} : { metadata })
})

const contentNode = (span: Span.Span, more: Partial<Trace.Node>): Trace.Node =>
  nodeWith(span, timesOf(span.started_at, span.ended_at), { ...contentOf(span), ...more, ...metadataOf(span) })

/** A node without its children. */
export const nodeOf = (span: Span.Span): Trace.Node => contentNode(span, {})

/** A span and all below it. */
const wholeOf = (root: Span.Span, childrenOf: (span: Span.Span) => Spans): Spans => {
  const found = [root]
  // it grows meanwhile
  for (const span of found) found.push(...childrenOf(span))
  return found
}

/** The content of the trace is in the detail. One root has the times of the trace, and several have their own. */
const treeOf = (trace: Trace.Trace, spans: Spans): ReadonlyArray<Trace.Node> => {
  const { childrenOf, roots } = arrange(spans)
  const within = (span: Span.Span, depth: number): Pick<Trace.Node, "spans"> => {
    const children = depth >= maxDepth ? [] : childrenOf(span)
    if (children.length === 0) return {}
    return {
      spans: children.map((child) =>
        contentNode(child, {
          ...within(child, depth + 1),
          ...(depth === 0 ? present({ step_type: textAt(child, stepType) }) : {})
        })
      )
    }
  }
  const isOne = roots.length === 1
  return roots.map((root) =>
    nodeWith(
      root,
      isOne ? timesOf(trace.start_time, trace.end_time) : timesOf(root.started_at, root.ended_at),
      { ...within(root, 0), ...rootMetadata(root, isOne ? spans : wholeOf(root, childrenOf)) }
    )
  )
}

const lastEnded = (spans: Spans): Span.Span | undefined =>
  spans.reduce<Span.Span | undefined>(
    (last, span) => last === undefined || span.ended_at > last.ended_at ? span : last,
    undefined
  )

/** The span of the last attempt of a run. Nodes that execute attempts can have different clocks. */
const lastAttempt = (root: Span.Span, roots: Spans): Span.Span =>
  roots.reduce(
    (last, span) =>
      TraceParts.isRun(span) && span.run_id === root.run_id &&
        numberAt(span, "svc.attempt") >= numberAt(last, "svc.attempt")
        ? span
        : last,
    root
  )

/** The output of a workflow that has none is that of its last step, unless it is paused or was handed over. */
const outputOf = (root: Span.Span, children: Spans): string | undefined => {
  const output = textAt(root, "output.value")
  if (output !== undefined || kindOf(root) !== "CHAIN" || root.status === "UNSET") return output
  const last = lastEnded(children.filter((span) => textAt(span, stepType) !== undefined))
  return last && textAt(last, "output.value")
}

/** The input, the output and the error of the trace. */
const contentOfTrace = (trace: Trace.Trace, spans: Spans): Readonly<Record<string, string>> => {
  const { childrenOf, roots } = arrange(spans)
  // of a run that was resumed, spans of the earlier attempt can be roots, too
  const root = roots.find(TraceParts.isRun) ?? roots[0]
  if (root === undefined) return {}
  const input = textAt(root, "input.value")
  const last = TraceParts.isRun(root) ? lastAttempt(root, roots) : root
  if (trace.status === "ERROR" || last.status === "ERROR") {
    const failed = spans.find(({ status }) => status === "ERROR")
    return present({ input, error: errorOf(last) ?? (failed === undefined ? undefined : errorOf(failed)) })
  }
  return present({ input, output: outputOf(last, childrenOf(last)) })
}

export const summaryOf = (
  trace: Trace.Trace,
  { error_count, input, total_spans }: {
    readonly total_spans: number
    readonly error_count: number
    readonly input: string | undefined
  }
): Trace.Summary => {
  const { agent_id, created_at, end_time, name, run_id, session_id, start_time, status, team_id, trace_id, user_id } =
    trace
  return {
    trace_id,
    name,
    status,
    ...timesOf(start_time, end_time),
    total_spans,
    error_count,
    ...present({ input, run_id, session_id, user_id, agent_id, team_id, workflow_id: trace.workflow_id }),
    created_at: timeText(created_at)
  }
}

export const detailOf = (trace: Trace.Trace, spans: Spans): Trace.Detail => {
  const { input, ...content } = contentOfTrace(trace, spans)
  return {
    ...summaryOf(trace, {
      total_spans: spans.length,
      error_count: spans.filter(({ status }) => status === "ERROR").length,
      input
    }),
    ...content,
    tree: treeOf(trace, spans)
  }
}

export const sessionStatsOf = (
  { agent_id, first_trace_at, last_trace_at, session_id, team_id, total_traces, user_id, workflow_id }: SessionTraces
): Trace.SessionStats => ({
  session_id,
  ...present({ user_id, agent_id, team_id, workflow_id }),
  total_traces,
  first_trace_at: timeText(first_trace_at),
  last_trace_at: timeText(last_trace_at)
})
