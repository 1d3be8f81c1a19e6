// The graph of a workflow, lit by a run while it executes.
import type { WorkflowStep } from "@svc-runtime/client"
import {
  Bot,
  GitFork,
  type IconNode,
  ListOrdered,
  Repeat,
  Route,
  Split,
  SquareFunction,
  Users,
  Waypoints
} from "lucide"
import { useEvents } from "../chat/useEvents.ts"
import { Empty } from "../parts/Empty.tsx"
import { Icon } from "../parts/Icon.tsx"
import { Problem } from "../parts/Problem.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { countsOf, statesOf, type StepState } from "./StepStates.ts"

// The steps of a workflow as nested boxes, from the top to the bottom. A step that a run has reached has a color.

type States = ReadonlyMap<string, StepState>
type Counts = ReadonlyMap<string, number>

interface GraphProps {
  readonly steps: ReadonlyArray<WorkflowStep>
  readonly states: States
  readonly counts: Counts
  /** Of the list around the steps. */
  readonly items?: number | undefined
}

const words: Readonly<Record<string, string>> = {
  Parallel: "at the same time",
  Condition: "if",
  Router: "one of",
  Loop: "repeated",
  ForEach: "for each item"
}

const icons: Readonly<Record<string, IconNode>> = {
  Parallel: GitFork,
  Condition: Split,
  Router: Route,
  Loop: Repeat,
  ForEach: ListOrdered
}

const iconOf = ({ agent, team, type, workflow_id }: WorkflowStep): IconNode =>
  icons[type] ?? (agent !== undefined ? Bot : team !== undefined ? Users : workflow_id !== undefined
    ? Waypoints
    : SquareFunction)

/** Containers whose steps are beside each other. */
const isBeside = (type: string): boolean => type === "Parallel" || type === "Router"

const executorOf = ({ agent, team, workflow_id }: WorkflowStep): string | undefined =>
  agent?.name ?? agent?.id ?? team?.name ?? team?.id ?? workflow_id

const Step = ({ counts, items, states, step }: Omit<GraphProps, "steps"> & { readonly step: WorkflowStep }) => {
  const { else_steps: otherwise = [], name = "", steps = [], type } = step
  const state = states.get(name)
  const executor = executorOf(step)
  const inside = type === "ForEach" ? counts.get(name) : undefined
  return (
    <li class={`step ${type.toLowerCase()} ${state ?? ""}`}>
      <p>
        <Icon of={iconOf(step)} /> <strong>{name}</strong>{" "}
        {words[type] === undefined ? null : <span class="quiet">{words[type]}</span>}
        {inside === undefined ? null : <span class="quiet">{`(${inside})`}</span>}{" "}
        {items === undefined ? null : <span class="quiet">{`${counts.get(name) ?? 0} of ${items}`}</span>}
        {state === undefined
          ? null
          : <span class={`status state ${state === "executing" ? "running" : state}`}>{state}</span>}
      </p>
      {step.description === undefined ? null : <p class="quiet">{step.description}</p>}
      {executor === undefined ? null : <p class="quiet">{executor}</p>}
      {steps.length === 0
        ? null
        : <Steps steps={steps} states={states} counts={counts} items={inside} isBeside={isBeside(type)} />}
      {otherwise.length === 0 ? null : (
        <>
          <p class="quiet">otherwise</p>
          <Steps steps={otherwise} states={states} counts={counts} />
        </>
      )}
    </li>
  )
}

const Steps = ({ counts, isBeside = false, items, states, steps }: GraphProps & { readonly isBeside?: boolean }) => (
  <ol class={isBeside ? "beside" : "below"}>
    {steps.map((step, index) => (
      <Step key={`${index} ${step.name ?? ""}`} step={step} states={states} counts={counts} items={items} />
    ))}
  </ol>
)

const WorkflowGraph = ({ counts, states, steps }: GraphProps) => (
  <div class="graph">
    <Steps steps={steps} states={states} counts={counts} />
  </div>
)

interface Props {
  readonly id: string
  readonly run?: { readonly run_id: string; readonly session_id: string } | undefined
}

const Lit = (
  { id, run, steps }: Required<Props> & { readonly steps: Parameters<typeof WorkflowGraph>[0]["steps"] }
) => {
  const { events, problem, retry } = useEvents({ kind: "workflow", id }, run ?? { run_id: "", session_id: "" })
  return (
    <>
      <Problem error={problem} retry={retry} />
      <WorkflowGraph steps={steps} states={statesOf(events)} counts={countsOf(events)} />
    </>
  )
}

export const RunGraph = ({ id, run }: Props) => {
  const { problem, reload, value } = useLoaded((signal) => svc().workflows.get(id, {}, { signal }), [id])
  if (value === undefined) return <Problem error={problem} retry={reload} />
  if (value.steps === undefined || value.steps.length === 0) {
    return <Empty title="The steps are not known">The workflow is made by a factory, or is a function.</Empty>
  }
  return run === undefined
    ? <WorkflowGraph steps={value.steps} states={new Map()} counts={new Map()} />
    : <Lit id={id} run={run} steps={value.steps} />
}
