// One evaluation: how far it is, and what it found.
import type { EvalRun, JsonObject } from "@svc-runtime/client"
import { Folded } from "../parts/Json.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { go, href, route } from "../Route.ts"
import { componentOf } from "../runs/RunsPage.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { EvaluationActions } from "./EvaluationsPage.tsx"
import { Progress } from "./Progress.tsx"
import { figure, ratingsOf, resultOf, textOf } from "./results.ts"

type Numbered = JsonObject & { readonly number: number }

const columns: ReadonlyArray<Column<Numbered>> = [
  { title: "Run", cell: ({ number }) => number },
  { title: "Score", cell: ({ score }) => figure(score) ?? <span class="quiet">none</span> },
  {
    title: "Passed",
    cell: ({ passed }) => typeof passed === "boolean" ? <Status value={passed ? "passed" : "failed"} /> : null
  },
  { title: "Answer", cell: ({ output }) => textOf(output) },
  { title: "Reason", cell: ({ reason }) => textOf(reason) }
]

const Found = ({ evaluation }: { readonly evaluation: EvalRun }) => {
  const { error, eval_data, eval_input, runs_done, runs_total, status } = evaluation
  const ratings = ratingsOf(evaluation).map((rating, index): Numbered => ({ ...rating, number: index + 1 }))
  return (
    <>
      <p>
        <Progress status={status} done={runs_done} total={runs_total} /> <strong>{resultOf(evaluation)}</strong>
      </p>
      {error === null ? null : <p class="problem">{error}</p>}
      {ratings.length === 0
        ? null
        : <Table columns={columns} entries={ratings} keyOf={({ number }) => String(number)} />}
      <Folded title="All of the result" value={Object.keys(eval_data).length === 0 ? null : eval_data} />
      <Folded title="Settings" value={eval_input} />
    </>
  )
}

export const EvaluationPage = () => {
  const { path: [, id = ""] } = route.value
  const { problem, reload, value } = useLoaded((signal) => svc().evaluations.get(id, {}, { signal }), [id], {
    every: 3000
  })
  return (
    <section class="page">
      <p>
        <a href={href(["evaluations"])}>Evaluations</a>
      </p>
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : (
        <>
          <h1>{value.name ?? value.eval_type}</h1>
          <p>
            {value.eval_type} of {value.evaluated_component_name ?? componentOf(value)}, started{" "}
            <Time value={value.created_at} />
          </p>
          <div class="actions">
            <EvaluationActions evaluation={value} changed={reload} deleted={() => go(href(["evaluations"]))} />
          </div>
          <Found evaluation={value} />
        </>
      )}
    </section>
  )
}
