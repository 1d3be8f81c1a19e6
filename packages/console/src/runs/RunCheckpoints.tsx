// The places from which a run can be forked or answered anew.
import type { Checkpoint, ContinueInput } from "@svc-runtime/client"
import { useState } from "preact/hooks"
import { runsOf } from "../chat/Conversation.ts"
import { Empty } from "../parts/Empty.tsx"
import { Problem } from "../parts/Problem.tsx"
import { go, href } from "../Route.ts"
import { may } from "../service/Caller.ts"
import type { Conversing } from "../service/components.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

interface Props {
  readonly kind: Conversing
  readonly id: string
  readonly run: { readonly run_id: string; readonly session_id: string }
}

export const RunCheckpoints = ({ id, kind, run }: Props) => {
  const { problem, value } = useLoaded((signal) => svc()[kind](id).checkpoints(run, { signal }), [kind, id, run])
  const [failure, setFailure] = useState<unknown>(undefined)
  const mayRun = may(`${kind}s:run`, id)
  const [isBusy, setBusy] = useState(false)
  const start = async (fields: Readonly<Record<string, unknown>>) => {
    setBusy(true)
    setFailure(undefined)
    try {
      const made = await runsOf({ id, kind }).continue(run, { ...fields, background: true } as ContinueInput)
      go(href(["runs", made.run_id], { session: made.session_id ?? run.session_id }))
    } catch (error) {
      setFailure(error)
    }
    setBusy(false)
  }
  const fork = ({ continue_from: from }: Checkpoint) => start({ fork: true, continue_from: String(from) })
  return (
    <div class="checkpoints">
      <Problem error={failure ?? problem} />
      {mayRun
        ? (
          <p>
            <button type="button" disabled={isBusy} onClick={() => start({ regenerate: true })}>Answer anew</button>
          </p>
        )
        : null}
      {value === undefined ? null : value.checkpoints.length === 0
        ? <Empty title="No checkpoints">The run has not finished a step yet.</Empty>
        : (
          <table>
            <thead>
              <tr>
                <th>Messages</th>
                <th>Last message</th>
                <th />
              </tr>
            </thead>
            <tbody>
              {value.checkpoints.map((checkpoint) => (
                <tr key={checkpoint.message_index}>
                  <td>{checkpoint.message_index}</td>
                  <td>
                    <span class="quiet">{checkpoint.message_role}</span> {checkpoint.message_preview}
                  </td>
                  <td>
                    {mayRun
                      ? (
                        <button type="button" disabled={isBusy} onClick={() => fork(checkpoint)}>
                          Fork from here
                        </button>
                      )
                      : null}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
    </div>
  )
}
