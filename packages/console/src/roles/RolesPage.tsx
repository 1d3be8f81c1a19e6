// Roles: named sets of scopes.
import type { RoleDetail } from "@svc-runtime/client"
import { InCode } from "../parts/InCode.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceForm, type Values } from "../resources/ResourceForm.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { svc } from "../service/Service.ts"

const columns: ReadonlyArray<Column<RoleDetail>> = [
  {
    title: "Name",
    cell: ({ declared, name }) => (
      <>
        {name} <InCode declared={declared} />
      </>
    )
  },
  { title: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
  { title: "Description", cell: ({ description }) => description },
  { title: "Made by", cell: ({ created_by }) => created_by ?? "" },
  { title: "Changed", cell: ({ created_at, updated_at }) => <Time value={updated_at ?? created_at} /> }
]

const bodyOf = ({ description = "", name = "", scopes = "" }: Values) => ({
  name,
  description,
  scopes: scopes.split(/[\s,]+/).filter((scope) => scope !== "")
})

export const RolesPage = () => (
  <ResourceList
    title="Roles"
    load={(paging, _, signal) => svc().roles.list(paging, { signal })}
    columns={columns}
    keyOf={({ name }) => name}
    actions={({ declared, name }, reload) =>
      declared ? null : (
        <Action
          scope="roles:delete"
          label={`Delete ${name}`}
          question={`Delete "${name}"? Who has it loses its scopes at once.`}
          run={() => svc().roles.delete(name)}
          done={reload}
        >
          Delete
        </Action>
      )}
    forms={(reload) => (
      <ResourceForm
        title="New role"
        scope="roles:write"
        button="Create"
        isFolded
        fields={[
          { name: "name", title: "Name", isRequired: true },
          { name: "scopes", title: "Scopes", hint: "such as agents:desk:run sessions:read; you need each of them" },
          { name: "description", title: "Description" }
        ]}
        submit={async (values) => {
          await svc().roles.create(bodyOf(values))
          reload()
        }}
      />
    )}
    empty="A role is a name for scopes: a token has them by the scope role:NAME. Create one above."
  />
)
