// The config of an agent or a team as fields. What has no field stays as it is, and is JSON below them.
import type { Kind } from "@svc-runtime/client"
import { useEffect, useState } from "preact/hooks"
import { jsonObject } from "../parts/parsed.ts"
import { TextField } from "../parts/TextField.tsx"
import { may } from "../service/Caller.ts"
import { type Component, isConversing } from "../service/components.ts"
import {
  type Config,
  instructionsOf,
  isObject,
  isSame,
  modelChoices,
  modelKeyOf,
  type Resource,
  withInstructions,
  withValue
} from "./config.ts"

interface Field {
  readonly name: string
  readonly title: string
  readonly hint?: string
  readonly choices?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
  readonly kind: "number" | "text" | "check" | "choice"
}

const number = (
  name: string,
  title: string,
  hint?: string,
  [minimum, maximum]: ReadonlyArray<number> = [0]
): Field => ({
  name,
  title,
  kind: "number",
  ...(hint === undefined ? {} : { hint }),
  ...(minimum === undefined ? {} : { minimum }),
  ...(maximum === undefined ? {} : { maximum })
})

/** The settings of requests to the model. */
export const modelFields: ReadonlyArray<Field> = [
  number("temperature", "Temperature", "0 to 2", [0, 2]),
  number("max_output_tokens", "Max tokens", "no limit", [1]),
  number("top_p", "Top P", "0 to 1", [0, 1]),
  {
    name: "reasoning_effort",
    title: "Reasoning",
    kind: "choice",
    choices: ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
  }
]

export const furtherModelFields: ReadonlyArray<Field> = [
  number("top_k", "Top K", undefined, [1]),
  number("presence_penalty", "Presence penalty", "-2 to 2", [-2, 2]),
  number("frequency_penalty", "Frequency penalty", "-2 to 2", [-2, 2]),
  number("seed", "Seed")
]

const componentFields: ReadonlyArray<Field> = [
  number("tool_call_limit", "Tool calls at most"),
  number("token_limit", "Tokens of a run at most"),
  number("run_timeout", "Seconds of a run at most"),
  number("retries", "Retries"),
  number("num_history_runs", "Earlier runs in the context"),
  { name: "expected_output", title: "Expected output", kind: "text" },
  { name: "additional_context", title: "Additional context", kind: "text" },
  { name: "markdown", title: "Asks for Markdown", kind: "check" },
  { name: "add_history_to_context", title: "Gets the earlier runs of the session", kind: "check" },
  { name: "add_datetime_to_context", title: "Knows the date and the time", kind: "check" },
  { name: "reasoning", title: "Reasons in steps before it answers", kind: "check" }
]

interface FieldProps {
  readonly field: Field
  readonly values: Config
  readonly change: (values: Config) => void
}

/** One field of an object. An empty one is left out. */
export const ConfigField = ({ change, field, values }: FieldProps) => {
  const { choices = [], hint, kind, maximum, minimum, name, title } = field
  const value = values[name]
  const text = value === undefined || value === null ? "" : String(value)
  const set = (next: Config[string] | undefined) => change(withValue(values, name, next))
  if (kind === "check") {
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget: { checked } }) => set(checked ? true : undefined)}
        />
        {title}
      </label>
    )
  }
  return (
    <label class={kind === "text" ? "wide" : undefined}>
      {title}
      {kind === "choice"
        ? (
          <select value={text} onChange={({ currentTarget: { value } }) => set(value)}>
            <option value="">default</option>
            {choices.map((choice) => <option key={choice} value={choice}>{choice}</option>)}
          </select>
        )
        : (
          <TextField
            isNumber={kind === "number"}
            isWrong={typeof value === "number" && (value < (minimum ?? value) || value > (maximum ?? value))}
            value={text}
            placeholder={hint ?? "default"}
            change={(value) => set(kind === "text" || value === "" ? value : Number(value))}
          />
        )}
    </label>
  )
}

const otherModel = "another"

interface Props {
  readonly config: Config
  readonly change: (config: Config) => void
}

type WithResources = Props & { readonly resources: ReadonlyArray<Resource> }

const ModelField = ({ change, config, resources }: WithResources) => {
  const [isTyped, setTyped] = useState(false)
  const choices = modelChoices(resources, config.model)
  if (isTyped || choices.length === 0) {
    return (
      <label>
        Model
        <input
          value={typeof config.model === "string" ? config.model : ""}
          placeholder="provider:model"
          onInput={({ currentTarget: { value } }) => change(withValue(config, "model", value.trim()))}
        />
      </label>
    )
  }
  return (
    <label>
      Model
      <select
        value={modelKeyOf(config.model)}
        onChange={({ currentTarget: { value } }) => {
          if (value === otherModel) return setTyped(true)
          change(withValue(config, "model", choices.find(({ key }) => key === value)?.value))
        }}
      >
        <option value="">the model of the service</option>
        {choices.map(({ key, title }) => <option key={key} value={key}>{title}</option>)}
        <option value={otherModel}>another one …</option>
      </select>
    </label>
  )
}

/** A name, alone or in an object. */
const nameOf = (value: Config[string]): string => isObject(value) ? String(value.name) : String(value)

interface NamesProps extends WithResources {
  readonly name: "tools" | "knowledge"
  readonly type: Resource["type"]
  readonly title: string
}

/** A list with more entries has a search. */
const searchedFrom = 12

/** The tools, or the knowledge, each on or off. */
const Names = ({ change, config, name, resources, title, type }: NamesProps) => {
  const given = config[name]
  const chosen = given === undefined || given === null ? [] : [given].flat().map(nameOf)
  const described = new Map(resources.filter((each) => each.type === type).map((each) => [each.name, each.description]))
  const all = [...new Set([...described.keys(), ...chosen])]
  const [search, setSearch] = useState("")
  if (all.length === 0) return null
  const isShown = (each: string) => `${each} ${described.get(each) ?? ""}`.toLowerCase().includes(search.toLowerCase())
  return (
    <details class="names">
      <summary>
        {title} <span class="quiet">{chosen.length} of {all.length}</span>
      </summary>
      {all.length <= searchedFrom ? null : (
        <input
          type="search"
          aria-label={`Search ${title.toLowerCase()}`}
          placeholder="Search"
          value={search}
          onInput={({ currentTarget: { value } }) => setSearch(value)}
        />
      )}
      <ul>
        {all.filter(isShown).map((each) => (
          <li key={each}>
            <label class="check">
              <input
                type="checkbox"
                checked={chosen.includes(each)}
                onChange={({ currentTarget: { checked } }) =>
                  change(withValue(config, name, all.filter((one) => one === each ? checked : chosen.includes(one))))}
              />
              <code>{each}</code> <span class="quiet">{described.get(each) ?? ""}</span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}

type Member = Pick<Component, "id" | "kind" | "name">

const idOfMember = (member: Config[string]): string =>
  isObject(member) ? `${String(member.type)}/${String(member.agent_id ?? member.team_id)}` : ""

const Members = ({ change, components, config }: Props & { readonly components: ReadonlyArray<Member> }) => {
  const chosen = Array.isArray(config.members) ? config.members : []
  const ids = chosen.map(idOfMember)
  const others = components.filter(({ id, kind }) => isConversing(kind) && !ids.includes(`${kind}/${id}`))
  const all = [
    ...chosen.map((value, index) => ({ key: ids[index] ?? "", value })),
    ...others.map(({ id, kind }) => ({ key: `${kind}/${id}`, value: { type: kind, [`${kind}_id`]: id } as Config }))
  ]
  return (
    <details class="names">
      <summary>
        Members <span class="quiet">{chosen.length}</span>
      </summary>
      <ul>
        {all.map(({ key, value }) => (
          <li key={key}>
            <label class="check">
              <input
                type="checkbox"
                checked={ids.includes(key)}
                onChange={({ currentTarget: { checked } }) =>
                  change(withValue(
                    config,
                    "members",
                    checked ? [...chosen, value] : chosen.filter((member) => idOfMember(member) !== key)
                  ))}
              />
              <code>{key}</code>
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}

const AsJson = ({ change, config, isOpen = false }: Props & { readonly isOpen?: boolean }) => {
  const [text, setText] = useState(() => JSON.stringify(config, null, 2))
  const value = jsonObject(text)
  useEffect(() => {
    // the fields have changed it
    if (!isSame(value, config)) setText(JSON.stringify(config, null, 2))
  }, [config])
  return (
    <details open={isOpen}>
      <summary>All settings as JSON</summary>
      <textarea
        class="code"
        aria-label="Config as JSON"
        aria-invalid={value === undefined}
        rows={12}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget: { value: next } }) => {
          setText(next)
          const config = jsonObject(next)
          if (config !== undefined) change(config)
        }}
      />
      {value === undefined
        ? <p class="problem" role="alert">This is no JSON object. The fields keep what they have until it is one.</p>
        : null}
    </details>
  )
}

interface AllProps extends WithResources {
  readonly kind: Kind
  /** For the members of a team. */
  readonly components?: ReadonlyArray<Member>
}

const modes = ["coordinate", "route", "broadcast", "tasks"]

/** Workflows consist of steps, which have no fields yet. */
export const ConfigFields = (props: AllProps) => {
  const { change, components = [], config, kind } = props
  if (kind === "workflow") return <AsJson isOpen config={config} change={change} />
  const settings = isObject(config.model_settings) ? config.model_settings : {}
  const changeSettings = (values: Config) => change(withValue(config, "model_settings", values))
  const text = instructionsOf(config)
  return (
    <fieldset class="config" disabled={!may("components:write")}>
      <label class="wide">
        Instructions
        <textarea
          class="prompt"
          dir="auto"
          rows={Math.min(24, Math.max(8, text.split("\n").length + 1))}
          placeholder="What it does, for whom, and how it answers"
          value={text}
          onInput={({ currentTarget: { value } }) => change(withInstructions(config, value))}
        />
      </label>
      <ModelField {...props} />
      <div class="settings">
        {modelFields.map((field) => (
          <ConfigField key={field.name} field={field} values={settings} change={changeSettings} />
        ))}
        {kind === "team"
          ? (
            <ConfigField
              field={{ name: "mode", title: "Mode", kind: "choice", choices: modes }}
              values={config}
              change={change}
            />
          )
          : null}
      </div>
      {kind === "team" ? <Members config={config} change={change} components={components} /> : null}
      <Names {...props} name="tools" type="tool" title="Tools" />
      <Names {...props} name="knowledge" type="knowledge" title="Knowledge" />
      <details>
        <summary>Further settings</summary>
        <div class="settings further">
          {furtherModelFields.map((field) => (
            <ConfigField key={field.name} field={field} values={settings} change={changeSettings} />
          ))}
          {componentFields.map((field) => (
            <ConfigField
              key={field.name}
              field={field}
              values={config}
              change={change}
            />
          ))}
        </div>
      </details>
      <AsJson config={config} change={change} />
    </fieldset>
  )
}
