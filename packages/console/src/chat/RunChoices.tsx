// The model and the settings of the next runs, as far as the component offers them.
import type { JsonObject } from "@svc-runtime/client"
import { ConfigField, furtherModelFields, modelFields } from "../config/ConfigFields.tsx"
import type { Offer } from "./offers.ts"

export interface Chosen {
  readonly model: string
  readonly settings: JsonObject
}

interface Props {
  readonly offer: Offer
  readonly chosen: Chosen
  readonly change: (chosen: Chosen) => void
}

export const RunChoices = ({ change, chosen, offer: { model, models, settings } }: Props) => {
  const fields = [...modelFields, ...furtherModelFields].filter(({ name }) => settings.includes(name))
  const parts = [
    chosen.model === "" ? model : chosen.model,
    ...fields.flatMap(({ name, title }) =>
      chosen.settings[name] === undefined ? [] : [`${title.toLowerCase()} ${String(chosen.settings[name])}`]
    )
  ]
  return (
    <details class="run-choices">
      <summary>
        Model and settings <span class="quiet">{parts.join(", ")}</span>
      </summary>
      <div class="settings">
        {models.length === 0 ? null : (
          <label>
            Model
            <select
              value={chosen.model}
              onChange={({ currentTarget: { value } }) => change({ ...chosen, model: value })}
            >
              <option value="">{model}</option>
              {models.map((each) => <option key={each} value={each}>{each}</option>)}
            </select>
          </label>
        )}
        {fields.map((field) => (
          <ConfigField
            key={field.name}
            field={field}
            values={chosen.settings}
            change={(settings) => change({ ...chosen, settings })}
          />
        ))}
      </div>
    </details>
  )
}
