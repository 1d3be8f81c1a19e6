// Stored components: their configs are data that requests change.
import type { ComponentResponse } from "@svc-runtime/client"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import type { FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm } from "../resources/ResourceForm.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { go, href } from "../Route.ts"
import { isConversing, kindOf, kinds } from "../service/components.ts"
import { svc } from "../service/Service.ts"

const columns: ReadonlyArray<Column<ComponentResponse>> = [
  {
    title: "Name",
    cell: ({ component_id, name }) => <a href={href(["components", component_id])}>{name ?? component_id}</a>
  },
  { title: "Kind", cell: ({ component_type }) => component_type },
  {
    title: "Current version",
    cell: ({ current_version }) => current_version ?? <Status value="draft" />
  },
  { title: "Description", isCut: true, cell: ({ description }) => description },
  { title: "Changed", cell: ({ created_at, updated_at }) => <Time value={updated_at ?? created_at} /> }
]

const fields: ReadonlyArray<FieldOptions> = [
  { name: "name", title: "Name", isRequired: true },
  { name: "component_type", title: "Kind", choices: kinds.map((kind) => [kind, kind] as const) },
  { name: "component_id", title: "Id", hint: "made of the name if it is empty" },
  { name: "description", title: "Description" },
  { name: "instructions", title: "Instructions", kind: "lines", hint: "of an agent or a team: what it does, and how" }
]

export const ComponentsPage = () => (
  <ResourceList
    title="Components"
    filters={[{ name: "component_type", title: "Kind", choices: kinds }]}
    load={(paging, { component_type }, signal) =>
      svc().components.list({ ...paging, component_type: kindOf(component_type) }, { signal })}
    columns={columns}
    keyOf={({ component_id }) => component_id}
    forms={() => (
      <ResourceForm
        title="New component"
        scope="components:write"
        button="Create a draft"
        isFolded
        fields={fields}
        submit={({ component_id = "", component_type, description = "", instructions = "", name = "" }) =>
          svc().components.create({
            name,
            component_type: kindOf(component_type) ?? "agent",
            config: instructions === "" || component_type === "workflow" ? {} : { instructions },
            ...(component_id === "" ? {} : { component_id }),
            ...(description === "" ? {} : { description })
          }).then(({ component_id: id, component_type: kind }) =>
            go(href(isConversing(kind) ? ["playground", kind, id] : ["components", id]))
          )}
      />
    )}
    empty="These components are data that requests change, in versions. Those of your code are in the chat. Create one above."
  />
)
