// What people and scorers think of a run.
import type { Feedback } from "@svc-runtime/client"
import { Problem } from "../parts/Problem.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceForm } from "../resources/ResourceForm.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

const words: ReadonlyMap<unknown, string> = new Map([[true, "good"], [false, "bad"]])

const columns: ReadonlyArray<Column<Feedback>> = [
  { title: "Score", cell: ({ score }) => words.get(score) ?? String(score) },
  { title: "Of", cell: ({ key }) => key },
  { title: "Comment", cell: ({ comment }) => comment },
  { title: "By", cell: ({ source, user_id }) => user_id ?? (source === "scorer" ? "a scorer" : "–") },
  { title: "Given", cell: ({ updated_at }) => <Time value={updated_at} /> }
]

const fields = [
  { name: "score", title: "The answer is", choices: [["true", "good"], ["false", "bad"]] },
  { name: "comment", title: "Comment" }
] as const

export const RunFeedback = ({ run_id }: { readonly run_id: string }) => {
  const { problem, reload, value = [] } = useLoaded((signal) => svc().feedback.ofRun(run_id, {}, { signal }), [run_id])
  return (
    <>
      <Problem error={problem} retry={reload} />
      {value.length === 0 ? <p class="quiet">No feedback yet</p> : (
        <Table
          columns={columns}
          entries={value}
          keyOf={({ id }) => id}
          actions={({ id, key }) => (
            <Action
              scope="evals:delete"
              label={`Delete the score of ${key}`}
              run={() => svc().feedback.delete(id)}
              done={reload}
            >
              Delete
            </Action>
          )}
        />
      )}
      <ResourceForm
        title="Give feedback"
        scope="evals:write"
        button="Give feedback"
        fields={fields}
        submit={({ comment = "", score }) =>
          svc().feedback.give(run_id, { score: score === "true", ...(comment === "" ? {} : { comment }) })
            .then(reload)}
      />
    </>
  )
}
