// `svc runs cancel RUN`: requests the end of a run.
import * as RunStatus from "@svc-runtime/domain/RunStatus"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import { present } from "../../CommandResult.ts"
import * as ComponentName from "../../service/ComponentName.ts"
import * as RunAddress from "../../service/RunAddress.ts"
import * as ServiceClient from "../../service/ServiceClient.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"
import { Output } from "../../terminal/Output.ts"

const flags = {
  run: Argument.String("run").pipe(Argument.withDescription("Id of the run")),
  ...AdminTarget.flags
}

export const cancel = Command.make("cancel", flags, ({ json, run: id, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const { component, run_id, session_id } = yield* RunAddress.find(service, id)
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
