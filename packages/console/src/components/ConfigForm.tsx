// Changes a draft, or makes a draft from a published version.
import type { ComponentConfigResponse } from "@svc-runtime/client"
import { jsonObject } from "../parts/parsed.ts"
import type { FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm } from "../resources/ResourceForm.tsx"
import { svc } from "../service/Service.ts"

const fields: ReadonlyArray<FieldOptions> = [
  { name: "config", title: "Config", kind: "json", isRequired: true, hint: "a JSON object" },
  { name: "label", title: "Label", hint: "a name of the version" },
  { name: "notes", title: "Notes", hint: "what changes" }
]

interface Props {
  readonly id: string
  readonly from: ComponentConfigResponse
  /** Gets the version that was saved. */
  readonly done: (version: number) => void
}

export const ConfigForm = ({ done, from: { config, label = "", notes = "", stage, version }, id }: Props) => {
  const isDraft = stage === "draft"
  return (
    <ResourceForm
      scope="components:write"
      title={isDraft ? `Change draft ${version}` : `New version from version ${version}`}
      button={isDraft ? "Save" : "Create a draft"}
      isFolded
      fields={fields}
      initial={{ config: JSON.stringify(config ?? {}, null, 2), ...(isDraft ? { label, notes } : {}) }}
      submit={async ({ config: text = "", label = "", notes = "" }) => {
        const body = {
          config: jsonObject(text) ?? {},
          ...(label === "" ? {} : { label }),
          ...(notes === "" ? {} : { notes })
        }
        const saved = await (isDraft
          ? svc().components.updateVersion(id, version, body)
          : svc().components.createVersion(id, { ...body, stage: "draft" }))
        done(saved.version)
      }}
    />
  )
}
