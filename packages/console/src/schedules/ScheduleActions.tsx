// What can be done with a schedule.
import type { Schedule } from "@svc-runtime/client"
import { Action } from "../resources/Action.tsx"
import { go, href } from "../Route.ts"
import { svc } from "../service/Service.ts"

interface Props {
  readonly schedule: Schedule
  readonly changed: () => void
  readonly deleted: () => void
}

/** Milliseconds. */
const refusal = 1000

/** The service responds when the run has ended. It refuses at once. */
const trigger = (id: string): Promise<unknown> =>
  Promise.race([svc().schedules.trigger(id), new Promise((resolve) => setTimeout(resolve, refusal))])

export const ScheduleActions = ({ changed, deleted, schedule: { enabled, id, name } }: Props) => (
  <>
    <Action
      scope="schedules:write"
      label={`Trigger ${name}`}
      run={() => trigger(id)}
      done={() => {
        changed()
        // its page shows the run
        go(href(["schedules", id]))
      }}
    >
      Trigger
    </Action>
    {enabled
      ? (
        <Action
          scope="schedules:write"
          label={`Disable ${name}`}
          run={() => svc().schedules.disable(id)}
          done={changed}
        >
          Disable
        </Action>
      )
      : (
        <Action scope="schedules:write" label={`Enable ${name}`} run={() => svc().schedules.enable(id)} done={changed}>
          Enable
        </Action>
      )}
    <Action
      scope="schedules:delete"
      label={`Delete ${name}`}
      question={`Delete the schedule "${name}" with its history?`}
      run={() => svc().schedules.delete(id)}
      done={deleted}
    >
      Delete
    </Action>
  </>
)
