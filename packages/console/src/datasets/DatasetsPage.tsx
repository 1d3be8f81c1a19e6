// Datasets: items to evaluate components with.
import type { Dataset } from "@svc-runtime/client"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceForm } from "../resources/ResourceForm.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { go, href } from "../Route.ts"
import { svc } from "../service/Service.ts"

const columns: ReadonlyArray<Column<Dataset>> = [
  { title: "Name", cell: ({ id, name }) => <a href={href(["datasets", id])}>{name}</a> },
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
    columns={columns}
    keyOf={({ id }) => id}
    actions={({ id, name }, reload) => (
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
            .then(({ id }) => go(href(["datasets", id])))}
      />
    )}
    empty="A dataset keeps inputs and expected answers, in versions. Create one above."
  />
)
