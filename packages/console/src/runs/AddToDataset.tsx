// Makes an item of a dataset out of a run: its input, and its answer as the expected one, which the person can correct.
import { useRef, useState } from "preact/hooks"
import { Problem } from "../parts/Problem.tsx"
import { ResourceForm } from "../resources/ResourceForm.tsx"
import { href } from "../Route.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

const isNew = "new"

export const AddToDataset = ({ answer, input }: { readonly input: string; readonly answer: string }) => {
  const { problem, reload, value } = useLoaded((signal) => svc().datasets.list({ limit: 100 }, { signal }), [])
  const made = useRef<{ readonly id: string; readonly name: string } | undefined>(undefined)
  const [added, setAdded] = useState<{ readonly id: string; readonly name: string } | undefined>(undefined)
  if (value === undefined) return <Problem error={problem} retry={reload} />
  const own = value.data.filter(({ declared }) => declared !== true)
  return (
    <>
      {added === undefined ? null : (
        <p role="status">
          Added to <a href={href(["datasets", added.id])}>{added.name}</a>
        </p>
      )}
      <ResourceForm
        title="Add to a dataset"
        scope="evals:write"
        button="Add"
        fields={[
          {
            name: "dataset",
            title: "Dataset",
            choices: [...own.map(({ id, name }) => [id, name] as const), [isNew, "a new one"] as const]
          },
          { name: "name", title: "Name of a new dataset" },
          { name: "input", title: "Input", kind: "lines", isRequired: true },
          { name: "expected", title: "Expected answer", kind: "lines" }
        ]}
        initial={{ input, expected: answer }}
        submit={async ({ dataset = "", expected = "", input = "", name = "" }) => {
          const chosen = own.find(({ id }) => id === dataset) ?? made.current ??
            await svc().datasets.create({ name: name === "" ? "From runs" : name })
          // an item that is refused is sent again to the same dataset
          made.current = chosen
          await svc().datasets.changeItems(chosen.id, {
            put: [{ input, ...(expected === "" ? {} : { expected_output: expected }) }]
          })
          made.current = undefined
          setAdded(chosen)
          reload()
        }}
      />
    </>
  )
}
