// What agents have learned. Proposed learnings are used after a person approves them.
import type { Learning } from "@svc-runtime/client"
import { Json } from "../parts/Json.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { svc } from "../service/Service.ts"

const isProposed = ({ metadata }: Learning): boolean => metadata?.["status"] === "proposed"

/** What remains of the metadata. Null removes them. */
const approvedOf = ({ metadata }: Learning): Learning["metadata"] => {
  const { status: _, ...rest } = metadata ?? {}
  return Object.keys(rest).length === 0 ? null : rest
}

const columns: ReadonlyArray<Column<Learning>> = [
  { title: "Type", cell: ({ learning_type }) => learning_type },
  { title: "State", cell: (learning) => <Status value={isProposed(learning) ? "proposed" : "approved"} /> },
  { title: "Content", cell: ({ content }) => <Json value={content} /> },
  {
    title: "Belongs to",
    cell: ({ agent_id, namespace, team_id, user_id }) =>
      [user_id, agent_id, team_id, namespace].filter((id) => id !== null).join(", ")
  },
  { title: "Changed", cell: ({ updated_at }) => <Time value={updated_at} /> }
]

export const LearningsPage = () => (
  <ResourceList
    title="Learnings"
    filters={[
      { name: "status", title: "State", choices: ["proposed", "approved"] },
      { name: "learning_type", title: "Type" },
      { name: "user_id", title: "User" },
      { name: "agent_id", title: "Agent" }
    ]}
    load={(paging, { status, ...filters }, signal) =>
      svc().learnings.list(
        { ...filters, ...paging, ...(status === "proposed" || status === "approved" ? { status } : {}) },
        { signal }
      )}
    columns={columns}
    keyOf={({ learning_id }) => learning_id}
    actions={(learning, reload) => (
      <>
        {isProposed(learning)
          ? (
            <Action
              scope="learnings:write"
              run={() => svc().learnings.update(learning.learning_id, { metadata: approvedOf(learning) })}
              done={reload}
            >
              Approve
            </Action>
          )
          : null}
        <Action
          scope="learnings:delete"
          question="Delete this learning?"
          run={() => svc().learnings.delete(learning.learning_id)}
          done={reload}
        >
          Delete
        </Action>
      </>
    )}
    empty={
      <>
        Agents with <code>learning</code> write here what they learn.
      </>
    }
  />
)
