// The steps of a workflow as nested boxes, from the top to the bottom. A step that a run has reached has a color.
import type { WorkflowStep } from "@svc-runtime/client"
import type { StepState } from "./StepStates.ts"

export type States = ReadonlyMap<string, StepState>

interface Props {
  readonly steps: ReadonlyArray<WorkflowStep>
  readonly states: States
}

const words: Readonly<Record<string, string>> = {
  Parallel: "at the same time",
  Condition: "if",
  Router: "one of",
  Loop: "repeated"
}

/** Containers whose steps are beside each other. */
const isBeside = (type: string): boolean => type === "Parallel" || type === "Router"

const executorOf = ({ agent, team, workflow_id }: WorkflowStep): string | undefined =>
  agent?.name ?? agent?.id ?? team?.name ?? team?.id ?? workflow_id

const Step = ({ states, step }: { readonly step: WorkflowStep; readonly states: States }) => {
  const { else_steps: otherwise = [], name = "", steps = [], type } = step
  const state = states.get(name)
  const executor = executorOf(step)
  return (
    <li class={`step ${type.toLowerCase()} ${state ?? ""}`}>
      <p>
        <strong>{name}</strong> {words[type] === undefined ? null : <span class="quiet">{words[type]}</span>}
        {state === undefined ? null : <span class="quiet">{state}</span>}
      </p>
      {step.description === undefined ? null : <p class="quiet">{step.description}</p>}
      {executor === undefined ? null : <p class="quiet">{executor}</p>}
      {steps.length === 0 ? null : <Steps steps={steps} states={states} isBeside={isBeside(type)} />}
      {otherwise.length === 0 ? null : (
        <>
          <p class="quiet">otherwise</p>
          <Steps steps={otherwise} states={states} />
        </>
      )}
    </li>
  )
}

const Steps = ({ isBeside = false, states, steps }: Props & { readonly isBeside?: boolean }) => (
  <ol class={isBeside ? "beside" : "below"}>
    {steps.map((step, index) => <Step key={`${index} ${step.name ?? ""}`} step={step} states={states} />)}
  </ol>
)

export const WorkflowGraph = ({ states, steps }: Props) => (
  <div class="graph">
    <Steps steps={steps} states={states} />
  </div>
)
