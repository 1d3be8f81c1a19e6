// The graph of a workflow, lit by a run while it executes.
import { useEvents } from "../chat/useEvents.ts"
import { Empty } from "../parts/Empty.tsx"
import { Problem } from "../parts/Problem.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { statesOf } from "./StepStates.ts"
import { WorkflowGraph } from "./WorkflowGraph.tsx"

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
      <WorkflowGraph steps={steps} states={statesOf(events)} />
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
    ? <WorkflowGraph steps={value.steps} states={new Map()} />
    : <Lit id={id} run={run} steps={value.steps} />
}
