// What waits for a person, over all runs, and what was decided by whom.
import type { Approval, ApprovalResolve, Requirement } from "@svc-runtime/client"
import { Inbox, Wrench } from "lucide"
import { useState } from "preact/hooks"
import {
  CallDecision,
  type Choice,
  type Decision,
  decisionOf,
  isConfirmation,
  isRequirement
} from "../chat/CallDecisions.tsx"
import { Verdict } from "../chat/Fields.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Icon } from "../parts/Icon.tsx"
import { Folded } from "../parts/Json.tsx"
import { Pages } from "../parts/Pages.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { duration, instantOf, Time } from "../parts/Time.tsx"
import { useLastPage } from "../parts/useLastPage.ts"
import { useSettling } from "../parts/useSettling.ts"
import { Values } from "../parts/Values.tsx"
import { Filters } from "../resources/Filters.tsx"
import { useSending } from "../resources/useSending.ts"
import { href, route, whole } from "../Route.ts"
import { decisions, mayResolve } from "../service/Caller.ts"
import { kinds } from "../service/components.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

const filters = [
  {
    name: "status",
    title: "State",
    choices: ["pending", "approved", "rejected", "expired", "cancelled"],
    initial: "pending"
  },
  { name: "source_type", title: "Kind", choices: kinds },
  { name: "user_id", title: "User" }
]

const requirementsOf = (
  { requirements }: { readonly requirements: ReadonlyArray<unknown> | null }
): ReadonlyArray<Requirement> => requirements?.filter(isRequirement) ?? []

/** Calls that are decided together. Values and results are entered where the run is shown. */
const Several = ({ change, isSending, requirements }: {
  readonly requirements: ReadonlyArray<Requirement>
  readonly isSending: boolean
  readonly change: (confirmed: boolean) => void
}) => (
  <>
    <p>One decision for {requirements.length} calls. To decide each of them, look at the run.</p>
    {requirements.map(({ id, tool_execution: { tool_args, tool_name } }) => (
      <section key={id} class="decision">
        <p class="what">
          <Icon of={Wrench} /> <code>{tool_name}</code>
        </p>
        <Values value={tool_args} />
      </section>
    ))}
    {requirements.every(isConfirmation)
      ? <Verdict isSending={isSending} all={requirements.length} change={change} />
      : null}
  </>
)

/** What the endpoint of approvals accepts for the decision of a call. */
export const resolutionOf = (decision: Decision): ApprovalResolve => {
  const { confirmation_note: note, confirmed, external_execution_result: result, tool_execution, user_input_schema } =
    decision
  const values = user_input_schema?.map(({ name, value }) => [name, value] as const)
  const data = {
    ...(note === undefined ? {} : { note }),
    ...(result === undefined ? {} : { result }),
    ...(tool_execution === undefined ? {} : { tool_args: tool_execution.tool_args }),
    ...(values === undefined ? {} : { values: Object.fromEntries(values) })
  }
  return {
    status: confirmed === false ? "rejected" : "approved",
    ...(Object.keys(data).length === 0
      ? {}
      : { resolution_data: data as NonNullable<ApprovalResolve["resolution_data"]> })
  }
}

const Waiting = ({ approval, reload }: { readonly approval: Approval; readonly reload: () => void }) => {
  const [choice, setChoice] = useState<Choice>({})
  const { isSending, problem, send } = useSending()
  const requirements = requirementsOf(approval)
  const [requirement] = requirements
  const decision = requirement === undefined ? undefined : decisionOf(requirement, choice)
  const decided = () => {
    // what had the focus goes with the decision
    const next = document.activeElement?.closest(".approval")?.nextElementSibling
    const follows = next?.matches(".approval") === true ? next : document.querySelector("main h1")
    if (follows instanceof HTMLElement) follows.focus()
    decisions.value++
    reload()
  }
  const resolve = (body: ApprovalResolve) => send(() => svc().approvals.resolve(approval.id, body), decided)
  return (
    <form
      class="decisions"
      onSubmit={(event) => {
        event.preventDefault()
        if (decision !== undefined) resolve(resolutionOf(decision))
      }}
    >
      {requirement === undefined
        ? (
          <p>
            <code>{approval.tool_name ?? approval.pause_type}</code>
          </p>
        )
        : requirements.length > 1
        ? (
          <Several
            requirements={requirements}
            isSending={isSending}
            change={(confirmed) => resolve({ status: confirmed ? "approved" : "rejected" })}
          />
        )
        : (
          <CallDecision
            requirement={requirement}
            choice={choice}
            change={setChoice}
            decide={(decision) => resolve(resolutionOf(decision))}
            isSending={isSending}
          />
        )}
      <Problem error={problem} />
      {requirements.length > 1 || (requirement !== undefined && isConfirmation(requirement))
        ? null
        : <button class="primary" disabled={decision === undefined || isSending}>Decide</button>}
    </form>
  )
}

export const ApprovalsPage = () => {
  const { query: { page, status = "pending", ...given } } = route.value
  const [isDeciding, setDeciding] = useState(false)
  const { problem, reload, value } = useLoaded(
    (signal) =>
      svc().approvals.list(
        {
          ...given,
          ...(status === "any" ? {} : { status: status as Approval["status"] }),
          limit: 20,
          page: whole(page) ?? 1
        },
        { signal }
      ),
    [given, status, page],
    // the list does not move under a person who decides
    { every: isDeciding ? undefined : 5000 }
  )
  useLastPage(value)
  const guard = useSettling(value?.data.map(({ id }) => id).join())
  return (
    <section class="page">
      <h1 tabIndex={-1}>Approvals</h1>
      <Filters filters={filters} />
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : value.data.length === 0
        ? (
          <Empty icon={Inbox} title={status === "pending" ? "Nothing waits for you" : "No approvals"}>
            A tool with an approval pauses its run, and the run waits here.
          </Empty>
        )
        : (
          <div onClickCapture={guard}>
            {value.data.map((approval) => (
              <article
                key={approval.id}
                class="approval"
                tabIndex={-1}
                onFocusIn={() => setDeciding(true)}
                onFocusOut={() => setDeciding(false)}
                onPointerEnter={() => setDeciding(true)}
                onPointerLeave={() => setDeciding(false)}
              >
                <p>
                  <Status value={approval.status} />{" "}
                  <strong>
                    {approval.source_name ?? approval.agent_id ?? approval.team_id ?? approval.workflow_id}
                  </strong>{" "}
                  <span class="quiet">
                    {approval.status === "pending"
                      ? `waits ${duration(Math.max(0, Date.now() - instantOf(approval.created_at).getTime()))}, since `
                      : ""}
                    <Time value={approval.created_at} />
                    {approval.user_id === null ? "" : ` for ${approval.user_id}`}
                    {approval.expires_at === null ? "" : (
                      <>
                        · expires <Time value={approval.expires_at} />
                      </>
                    )}
                  </span>{" "}
                  <a href={href(["runs", approval.run_id], { tab: "messages" })}>Look at the run</a>
                </p>
                {approval.status === "pending" && mayResolve()
                  ? <Waiting approval={approval} reload={reload} />
                  : (
                    <>
                      <p>
                        <code>{approval.tool_name}</code>{" "}
                        <span class="quiet">
                          {approval.resolved_by === null ? "" : `by ${approval.resolved_by}, `}
                          {approval.resolved_at === null ? "" : <Time value={approval.resolved_at} />}
                        </span>
                      </p>
                      <Folded title="Arguments" value={approval.tool_args} />
                      <Folded title="Entered with the decision" value={approval.resolution_data} />
                    </>
                  )}
              </article>
            ))}
            <Pages meta={value.meta} />
          </div>
        )}
    </section>
  )
}
