// A run by its id alone: the list of runs knows its session and its component.
import { Effect } from "effect"
import { CommandFailed } from "../CliError.ts"
import * as ComponentName from "./ComponentName.ts"
import * as Groups from "./Groups.ts"
import * as ServiceClient from "./ServiceClient.ts"

export interface RunAddress {
  readonly run_id: string
  readonly session_id: string
  readonly component: ComponentName.ComponentName
}

export const find = Effect.fn("RunAddress.find")(function*(service: ServiceClient.Service, run_id: string) {
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
