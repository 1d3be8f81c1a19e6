// Renames a stored component, and says what it does. Its id stays.
import type { ComponentResponse } from "@svc-runtime/client"
import type { FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm } from "../resources/ResourceForm.tsx"
import { svc } from "../service/Service.ts"

const fields: ReadonlyArray<FieldOptions> = [
  { name: "name", title: "Name", isRequired: true, hint: "the id stays" },
  { name: "description", title: "Description", kind: "lines", hint: "what it does" }
]

interface Props {
  readonly component: ComponentResponse
  readonly done: () => void
}

export const NameForm = ({ component: { component_id: id, description = "", name }, done }: Props) => (
  <ResourceForm
    // the form is folded again when the page has what was saved
    key={`${name} ${description}`}
    scope="components:write"
    title="Change the name and the description"
    button="Save"
    isFolded
    fields={fields}
    initial={{ name: name ?? id, description }}
    submit={({ description = "", name = "" }) => svc().components.update(id, { name, description }).then(done)}
  />
)
