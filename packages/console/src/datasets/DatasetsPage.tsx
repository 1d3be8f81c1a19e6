// Datasets: items to evaluate components with.
import type { Dataset, DatasetItem } from "@svc-runtime/client"
import { InCode } from "../parts/InCode.tsx"
import { Json } from "../parts/Json.tsx"
import { parsed } from "../parts/parsed.ts"
import { Problem } from "../parts/Problem.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import type { FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm, type Values } from "../resources/ResourceForm.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { go, href, route, whole } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { AddFromRuns } from "./AddFromRuns.tsx"

const datasetColumns: ReadonlyArray<Column<Dataset>> = [
  {
    title: "Name",
    cell: ({ declared, id, name }) => (
      <>
        <a href={href(["datasets", id])}>{name}</a> <InCode declared={declared} />
      </>
    )
  },
  { title: "Items", cell: ({ item_count }) => item_count },
  { title: "Version", cell: ({ version }) => version },
  { title: "Description", isCut: true, cell: ({ description }) => description },
  { title: "User", cell: ({ user_id }) => user_id },
  { title: "Changed", cell: ({ updated_at }) => <Time value={updated_at} /> }
]

export const DatasetsPage = () => (
  <ResourceList
    title="Datasets"
    load={(paging, _, signal) => svc().datasets.list(paging, { signal })}
    columns={datasetColumns}
    keyOf={({ id }) => id}
    actions={({ declared, id, name }, reload) =>
      declared ? null : (
        <Action
          scope="evals:delete"
          label={`Delete ${name}`}
          question={`Delete the dataset "${name}" with all of its versions and experiments?`}
          run={() => svc().datasets.delete(id)}
          done={reload}
        >
          Delete
        </Action>
      )}
    forms={() => (
      <ResourceForm
        title="New dataset"
        scope="evals:write"
        button="Create"
        isFolded
        fields={[
          { name: "name", title: "Name", isRequired: true },
          { name: "description", title: "Description" }
        ]}
        submit={({ description = "", name = "" }) =>
          svc().datasets.create({ name, ...(description === "" ? {} : { description }) })
            .then(({ id }) => go(href(["datasets", id], { from: "runs" })))}
      />
    )}
    empty="A dataset keeps inputs and expected answers, in versions: for example what people have really asked. Create one above."
  />
)

// The items of a dataset, in one of its versions.

const Value = ({ value }: { readonly value: unknown }) =>
  value === null ? null : typeof value === "string" ? <>{value}</> : <Json value={value} />

const itemColumns: ReadonlyArray<Column<DatasetItem>> = [
  { title: "Input", cell: ({ input }) => <Value value={input} /> },
  { title: "Expected answer", cell: ({ expected_output }) => <Value value={expected_output} /> },
  {
    title: "Expected tools",
    cell: ({ expected_tool_calls: calls }) =>
      calls?.map((call) => typeof call === "string" ? call : call.name).join(", ")
  },
  { title: "Since version", cell: ({ version }) => version },
  { title: "Item", isCut: true, cell: ({ id }) => <span class="quiet" title={id}>{id}</span> }
]

const itemFields: ReadonlyArray<FieldOptions> = [
  { name: "id", title: "Item", hint: "replaces the item of the same id; a new one if it is empty" },
  { name: "tools", title: "Expected tools", hint: "separated by commas" },
  { name: "input", title: "Input", kind: "lines", isRequired: true, hint: "a text, or a JSON object" },
  { name: "expected_output", title: "Expected answer", kind: "lines", hint: "a text, or a JSON object" }
]

/** Only objects and lists are read as JSON, so that `17` remains a text. */
const valueOf = (text: string) => {
  const value = parsed(text)
  return typeof value === "object" && value !== null ? value as DatasetItem["input"] : text
}

const itemOf = ({ expected_output = "", id = "", input = "", tools = "" }: Values) => ({
  input: valueOf(input),
  ...(id === "" ? {} : { id }),
  ...(expected_output === "" ? {} : { expected_output: valueOf(expected_output) }),
  ...(tools === ""
    ? {}
    : { expected_tool_calls: tools.split(",").map((tool) => tool.trim()).filter((tool) => tool !== "") })
})

export const DatasetPage = () => {
  const { path: [, id = ""], query: { version } } = route.value
  const { problem, reload, value } = useLoaded((signal) => svc().datasets.get(id, {}, { signal }), [id])
  const isLatest = version === undefined || version === String(value?.version)
  return (
    <section class="page">
      <p>
        <a href={href(["datasets"])}>Datasets</a>
      </p>
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : (
        <>
          <h1>{value.name}</h1>
          <p>
            Version {value.version}, {value.item_count}{" "}
            items{value.description === null ? "" : `: ${value.description}`}
          </p>
          <p class="actions">
            {may("evals:write") && value.item_count > 0
              ? (
                <a class="button primary" href={href(["experiments"], { dataset_id: id, new: "1" })}>
                  Run an experiment
                </a>
              )
              : null}
            <a class="button" href={href(["experiments"], { dataset_id: id })}>Its experiments</a>
          </p>
        </>
      )}
      <ResourceList
        isPart
        title={isLatest ? "Items" : `Items of version ${version}`}
        load={(paging, { version }, signal) =>
          svc().datasets.items(id, { ...paging, version: whole(version) }, { signal })}
        filters={[{ name: "version", title: "Version" }]}
        columns={itemColumns}
        keyOf={({ id }) => id}
        actions={(item, changed) =>
          isLatest
            ? (
              <Action
                scope="evals:write"
                label={`Remove ${item.id}`}
                question="Remove this item? The versions before keep it."
                run={() => svc().datasets.changeItems(id, { remove: [item.id] })}
                done={() => {
                  reload()
                  changed()
                }}
              >
                Remove
              </Action>
            )
            : null}
        forms={(changed) =>
          isLatest
            ? (
              <>
                {value?.declared === true ? null : (
                  <AddFromRuns
                    dataset_id={id}
                    done={() => {
                      reload()
                      changed()
                    }}
                  />
                )}
                <ResourceForm
                  title="Add an item"
                  scope="evals:write"
                  button="Add"
                  isFolded
                  fields={itemFields}
                  submit={async (values) => {
                    await svc().datasets.changeItems(id, { put: [itemOf(values)] })
                    reload()
                    changed()
                  }}
                />
              </>
            )
            : null}
        empty="Add what people have really asked, or items of your own, above. POST /datasets/{id}/import imports many."
      />
    </section>
  )
}
