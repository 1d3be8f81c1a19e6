// Starts an experiment: a component answers the items of a dataset.
import type { ExperimentInput } from "@svc-runtime/client"
import { chosenOf, type FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm, type Values } from "../resources/ResourceForm.tsx"
import { go, href } from "../Route.ts"
import { type Choices, idsOf, useComponentChoices } from "../service/componentChoices.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

type Scorer = ExperimentInput["scorers"][number]

/** Scorers without settings. */
const plain: Readonly<Record<Exclude<Scorer["type"], "json_schema" | "judge">, string>> = {
  exact: "the answer is the expected one",
  contains: "the answer contains the expected one",
  similarity: "the answer is similar to the expected one",
  tool_trajectory: "the expected tools are called"
}

const isPlain = (type: string): type is keyof typeof plain => type in plain

const fieldsOf = (datasets: Choices, components: Choices): ReadonlyArray<FieldOptions> => [
  { name: "dataset_id", title: "Dataset", choices: datasets, isRequired: true },
  { name: "component", title: "Component", choices: components, isRequired: true },
  { name: "name", title: "Name" },
  { name: "concurrency", title: "Items at a time", kind: "number", hint: "1 to 10; 1 if it is empty" },
  { name: "scorers", title: "An item passes if", kind: "several", choices: Object.entries(plain) },
  {
    name: "criteria",
    title: "Criteria of a judge",
    kind: "lines",
    hint: "a model decides whether an answer meets them"
  }
]

const bodyOf = (
  { component = "", concurrency = "", criteria = "", dataset_id = "", name = "", scorers = "" }: Values
): ExperimentInput => ({
  dataset_id,
  ...idsOf(component),
  scorers: [
    ...chosenOf(scorers).filter(isPlain).map((type): Scorer => ({ type })),
    ...(criteria === "" ? [] : [{ type: "judge" as const, criteria }])
  ],
  ...(name === "" ? {} : { name }),
  ...(concurrency === "" ? {} : { concurrency: Number(concurrency) })
})

export const ExperimentForm = () => {
  const { value: datasets } = useLoaded(
    (signal) => svc().datasets.list({ limit: 100 }, { signal }).catch(() => undefined),
    []
  )
  const choices = datasets?.data.map(({ id, item_count, name }) => [id, `${name} (${item_count} items)`] as const) ?? []
  return (
    <ResourceForm
      title="New experiment"
      scope="evals:write"
      button="Start"
      isFolded
      fields={fieldsOf(choices, useComponentChoices())}
      initial={{ scorers: "contains" }}
      submit={(values) => svc().experiments.create(bodyOf(values)).then(({ id }) => go(href(["experiments", id])))}
    />
  )
}
