// All metrics of a service, which `Application` makes. Without a service, the process has one set.
import { Context, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as Prices from "./Prices.ts"
import * as Series from "./Series.ts"

export interface Component {
  readonly kind: string
  readonly id: string
}

export interface RequestEnd {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

export interface RunEnd {
  readonly component: Component
  readonly isEvaluation?: boolean | undefined
  readonly status: string
  readonly seconds: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: number
}

/** The usage of a request of a background job. */
export type JobUse = Pick<RunEnd, "component" | "cost" | "inputTokens" | "outputTokens">

export interface ModelEnd {
  readonly model: { readonly id: string; readonly provider: string }
  readonly isError: boolean
  readonly seconds: number
}

/** What a provider reports of a request to an embedder. */
export interface EmbeddingUse {
  readonly model: ModelEnd["model"]
  readonly tokens: number
  /** The cost, if it is known. */
  readonly cost: number | undefined
}

const judgeSources = ["evaluation", "experiment", "online"] as const

/** An answer of a judge. */
export interface JudgeEnd {
  /** Who asks. */
  readonly source: typeof judgeSources[number]
  readonly inputTokens: number
  readonly outputTokens: number
  /** The cost, if it is known. */
  readonly cost: number | undefined
}

const judgeFailures = ["error", "format", "timeout"] as const

/** A judge gave no verdict, also when it was asked again. */
export interface JudgeFailure extends Pick<JudgeEnd, "source"> {
  readonly reason: typeof judgeFailures[number]
}

/**
 * Why a node acquires a run that it does not execute: its node is `lost`, the process before this one ended without
 * handing it over (`restarted`), its node `released` it, or the reply about its own lease was lost (`unconfirmed`).
 */
export type TakeoverReason = typeof takeoverReasons[number]
const takeoverReasons = ["lost", "restarted", "released", "unconfirmed"] as const

export interface ToolEnd {
  readonly tool: string
  readonly isError: boolean
  readonly seconds: number
}

export interface DroppedSpans {
  readonly full: () => number
  readonly refused: () => number
}

/** Models, by provider and id, and tools that have series of their own. As many models without a price are logged. */
const maxModels = 50
const maxTools = 200

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

const outcome = (isError: boolean) => isError ? "error" : "ok"

/**
 * `components` have their own series. Other components, which factories make, share one. `prices`: of requests to
 * models, the shipped ones when left out.
 */
export const make = (components: ReadonlyArray<Component> = [], prices?: Prices.Prices) => {
  const registry = Series.registry()
  const known = new Map(
    components.map(({ kind }) => [kind, new Set(components.flatMap((other) => other.kind === kind ? other.id : []))])
  )
  const idOf = ({ id, kind }: Component) => known.get(kind)?.has(id) === true ? id : Series.other
  const counter = Series.counter.bind(undefined, registry) as <const Names extends ReadonlyArray<string>>(
    name: string,
    description: string,
    names: Names
  ) => ReturnType<typeof Series.counter<Names>>
  const histogram = Series.histogram.bind(undefined, registry) as <const Names extends ReadonlyArray<string>>(
    name: string,
    description: string,
    names: Names,
    boundaries?: ReadonlyArray<number>
  ) => ReturnType<typeof Series.histogram<Names>>
  const [isKnownModel, isKnownTool] = [Series.bounded(maxModels), Series.bounded(maxTools)]
  const isFirstUnpriced = Series.firstTimes(maxModels)

  const requests = counter("svc_http_requests_total", "Requests with a response", ["method", "route", "status"])
  const requestSeconds = histogram("svc_http_request_duration_seconds", "Time until the end of the response", [
    "method",
    "route"
  ])
  const runs = counter("svc_runs_total", "Executions of runs that ended, by status", [
    "kind",
    "component",
    "status",
    "evaluation"
  ])
  const runSeconds = histogram(
    "svc_run_duration_seconds",
    "Time from the start of a run to its end",
    ["kind", "component"],
    Series.long
  )
  const tokens = counter("svc_tokens_total", "Tokens of ended runs and of background jobs", [
    "kind",
    "component",
    "type",
    "evaluation"
  ])
  const costs = counter(
    "svc_cost_usd_total",
    "Cost of ended runs and of background jobs in US dollars, where it is known",
    [
      "kind",
      "component",
      "evaluation"
    ]
  )
  const judgeTokens = counter("svc_judge_tokens_total", "Tokens of judges", ["source", "type"])
  const judgeCosts = counter("svc_judge_cost_usd_total", "Cost of judges in US dollars, where it is known", ["source"])
  const judgesWithoutVerdict = counter("svc_judge_failures_total", "Questions to which a judge gave no verdict", [
    "source",
    "reason"
  ])
  const firstEvent = histogram("svc_run_first_event_seconds", "Time from the start of a run to its first shown event", [
    "kind"
  ])
  const eventLag = histogram(
    "svc_event_lag_seconds",
    "Time from an event to the moment when it is stored and shown",
    []
  )
  const eventLoop = histogram(
    "svc_event_loop_delay_seconds",
    "Delays of the event loop, measured 20 times a second",
    [],
    Series.delays
  )
  const models = counter("svc_model_requests_total", "Requests to models", ["provider", "model", "outcome"])
  const modelSeconds = histogram("svc_model_request_duration_seconds", "Time of requests to models", [
    "provider",
    "model"
  ])
  const embeddingTokens = counter("svc_embedding_tokens_total", "Tokens of requests to embedders", [
    "provider",
    "model"
  ])
  const embeddingCosts = counter(
    "svc_embedding_cost_usd_total",
    "Cost of requests to embedders in US dollars, where it is known",
    ["provider", "model"]
  )
  const tools = counter("svc_tool_calls_total", "Calls of tools", ["tool", "outcome"])
  const toolSeconds = histogram("svc_tool_call_duration_seconds", "Time of calls of tools", ["tool"])
  const takeovers = counter("svc_takeovers_total", "Runs that this node acquired from others, or again", [
    "reason"
  ])
  // Prometheus sees no increase from a series that begins above zero
  for (const reason of takeoverReasons) takeovers([reason], 0)
  for (const source of judgeSources) {
    judgeCosts([source], 0)
    for (const type of ["input", "output"]) judgeTokens([source, type], 0)
    for (const reason of judgeFailures) judgesWithoutVerdict([source, reason], 0)
  }
  for (const { id, kind } of components) {
    runs([kind, id, "ERROR", "false"], 0)
    costs([kind, id, "false"], 0)
    for (const type of ["input", "output"]) tokens([kind, id, type, "false"], 0)
  }
  const refusals = counter("svc_runs_refused_total", "Runs that were refused because of a limit", ["scope", "limit"])
  const jobs = counter("svc_jobs_total", "Attempts of background jobs that ended, by status", ["kind", "status"])

  const used = ([kind, id]: readonly [string, string], evaluation: string, use: Omit<JobUse, "component">): void => {
    const { cost, inputTokens, outputTokens } = use
    if (inputTokens > 0) tokens([kind, id, "input", evaluation], inputTokens)
    if (outputTokens > 0) tokens([kind, id, "output", evaluation], outputTokens)
    if (cost > 0) costs([kind, id, evaluation], cost)
  }

  const labelsOf = ({ id, provider }: ModelEnd["model"]): readonly [provider: string, id: string] =>
    isKnownModel(id, provider) ? [provider, id] : [Series.other, Series.other]

  return {
    registry: registry.metrics,
    /** A value that is read with the metrics, until the result is called. */
    observe: Series.gauges(registry),
    /** A counter that is read with the metrics. */
    count: (name: string, description: string, read: () => number): void =>
      Series.readCounter(registry, name, description, read),
    /** Observes the spans that a destination has dropped since the start: its queue was full, or it refused them. */
    observeDroppedSpans: (destination: "collector" | "database", read: DroppedSpans): void => {
      for (const reason of ["full", "refused"] as const) {
        const labels = { destination, reason }
        Series.readCounter(registry, "svc_spans_dropped_total", "Spans that were dropped", read[reason], labels)
      }
    },
    request: ({ method, route, seconds, status }: RequestEnd): void => {
      const verb = methods.has(method) ? method : Series.other
      requests([verb, route, String(status)], 1)
      requestSeconds([verb, route], seconds)
    },
    runEnded: ({ component, cost, inputTokens, isEvaluation, outputTokens, seconds, status }: RunEnd): void => {
      const [kind, id, evaluation] = [component.kind, idOf(component), String(isEvaluation === true)]
      runs([kind, id, status, evaluation], 1)
      runSeconds([kind, id], seconds)
      used([kind, id], evaluation, { inputTokens, outputTokens, cost })
    },
    jobUsed: ({ component, ...use }: JobUse): void => used([component.kind, idOf(component)], "false", use),
    judged: ({ cost, inputTokens, outputTokens, source }: JudgeEnd): void => {
      judgeTokens([source, "input"], inputTokens)
      judgeTokens([source, "output"], outputTokens)
      if (cost !== undefined) judgeCosts([source], cost)
    },
    judgeFailed: ({ reason, source }: JudgeFailure): void => judgesWithoutVerdict([source, reason], 1),
    /** A run ended as failed because it could not be executed again. */
    runNotExecuted: ({ id, kind }: Component, isEvaluation: boolean): void =>
      runs([kind, idOf({ id, kind }), "ERROR", String(isEvaluation)], 1),
    runRefused: (scope: string, limit: string): void => refusals([scope, limit], 1),
    firstEvent: (kind: string, seconds: number): void => firstEvent([kind], seconds),
    eventLag: (seconds: number): void => eventLag([], seconds),
    eventLoopDelay: (seconds: number): void => eventLoop([], seconds),
    modelEnded: ({ isError, model, seconds }: ModelEnd): void => {
      const [provider, id] = labelsOf(model)
      models([provider, id, outcome(isError)], 1)
      modelSeconds([provider, id], seconds)
    },
    embedded: ({ cost, model, tokens }: EmbeddingUse): void => {
      embeddingTokens(labelsOf(model), tokens)
      if (cost !== undefined) embeddingCosts(labelsOf(model), cost)
    },
    priceOf: (model: ModelEnd["model"]): Prices.Price | undefined => (prices ?? Prices.standard()).of(model),
    /** Whether tokens of the model have no price for the first time. */
    isFirstUnpriced: ({ id, provider }: ModelEnd["model"]): boolean => isFirstUnpriced(id, provider),
    toolEnded: ({ isError, seconds, tool }: ToolEnd): void => {
      const name = isKnownTool(tool) ? tool : Series.other
      tools([name, outcome(isError)], 1)
      toolSeconds([name], seconds)
    },
    takeovers: (reason: TakeoverReason, count: number): void => takeovers([reason], count),
    jobEnded: (kind: string, status: string): void => jobs([kind, status], 1),
    /** The text format of Prometheus. Each series gets the labels too. */
    format: (labels: Readonly<Record<string, string>> = {}): string => {
      const labelled = Array.from(
        registry.metrics,
        ([key, metric]) => [key, { ...metric, attributes: { ...labels, ...metric.attributes } }] as const
      )
      return PrometheusMetrics.formatUnsafe(Context.make(Metric.MetricRegistry, new Map(labelled)))
    }
  }
}

export type Instruments = ReturnType<typeof make>

export const Instruments: Context.Reference<Instruments> = Context.Reference("@svc-runtime/telemetry/Instruments", {
  defaultValue: () => make()
})
