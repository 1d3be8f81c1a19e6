// A stored component: its versions, what changes between two of them, and a form for the next one.
import type { ComponentConfigResponse, ComponentResponse, Kind } from "@svc-runtime/client"
import { useMemo, useState } from "preact/hooks"
import { baseOf, type Config, overBase, withBase } from "../config/config.ts"
import { ConfigFields } from "../config/ConfigFields.tsx"
import { Difference } from "../config/Difference.tsx"
import { useResources } from "../config/useResources.ts"
import { Json } from "../parts/Json.tsx"
import { Problem } from "../parts/Problem.tsx"
import { TextField } from "../parts/TextField.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { Filters } from "../resources/Filters.tsx"
import type { FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm } from "../resources/ResourceForm.tsx"
import { useSending } from "../resources/useSending.ts"
import { go, href, query, route, whole } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { isConversing, loadComponents } from "../service/components.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { Rollout } from "./Rollout.tsx"
import { Versions } from "./Versions.tsx"

// Changes a draft, or makes a draft from a published version.

interface ConfigFormProps {
  readonly kind: Kind
  readonly id: string
  readonly from: ComponentConfigResponse
  /** Gets the version that was saved. */
  readonly done: (version: number) => void
}

const ConfigForm = (props: ConfigFormProps) => {
  const { from: { stage, version } } = props
  const [isOpen, setOpen] = useState(false)
  if (!may("components:write")) return null
  return (
    <details class="fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{stage === "draft" ? `Change draft ${version}` : `New version from version ${version}`}</summary>
      {isOpen ? <OpenForm {...props} /> : null}
    </details>
  )
}

const OpenForm = ({ done, from, id, kind }: ConfigFormProps) => {
  const isDraft = from.stage === "draft"
  const { value: resources } = useResources()
  const { value: components } = useLoaded((signal) => loadComponents(signal).catch(() => []), [])
  const stored = from.config ?? {}
  const base = useMemo(() => baseOf(stored, kind, components ?? [], resources ?? []), [
    from,
    kind,
    components,
    resources
  ])
  const [changed, setChanged] = useState<Config | undefined>(undefined)
  const config = changed ?? (base === undefined ? stored : withBase(stored, base))
  const [notes, setNotes] = useState(isDraft ? from.notes ?? "" : "")
  const [label, setLabel] = useState(isDraft ? from.label ?? "" : "")
  const { isSending, problem, send } = useSending()
  const save = () => {
    const body = {
      config: base === undefined ? config : overBase(config, base),
      ...(label === "" ? {} : { label }),
      ...(notes === "" ? {} : { notes })
    }
    send(
      () =>
        isDraft
          ? svc().components.updateVersion(id, from.version, body)
          : svc().components.createVersion(id, { ...body, stage: "draft" }),
      ({ version }) => done(version)
    )
  }
  return (
    <form
      aria-label="Config"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <ConfigFields
        kind={kind}
        config={config}
        change={setChanged}
        resources={resources ?? []}
        components={(components ?? []).filter((each) => each.id !== id)}
      />
      <div class="settings of-version">
        <label>
          Label
          <TextField isNumber={false} value={label} placeholder="a name of the version" change={setLabel} />
        </label>
        <label>
          Notes
          <TextField isNumber={false} value={notes} placeholder="what changes" change={setNotes} />
        </label>
      </div>
      <Problem error={problem} />
      <button class="primary" disabled={isSending}>{isDraft ? "Save" : "Create a draft"}</button>
    </form>
  )
}

// Renames a stored component, and says what it does. Its id stays.
const nameFields: ReadonlyArray<FieldOptions> = [
  { name: "name", title: "Name", isRequired: true, hint: "the id stays" },
  { name: "description", title: "Description", kind: "lines", hint: "what it does" }
]

interface NameProps {
  readonly component: ComponentResponse
  readonly done: () => void
}

const NameForm = ({ component: { component_id: id, description = "", name }, done }: NameProps) => (
  <ResourceForm
    // the form is folded again when the page has what was saved
    key={`${name} ${description}`}
    scope="components:write"
    title="Change the name and the description"
    button="Save"
    isFolded
    fields={nameFields}
    initial={{ name: name ?? id, description }}
    submit={({ description = "", name = "" }) => svc().components.update(id, { name, description }).then(done)}
  />
)

type Version = ComponentConfigResponse

/** With what a version is compared: the current one, or else the one before it. */
const otherOf = (versions: ReadonlyArray<Version>, chosen: number, current: number | undefined): number | undefined =>
  current !== undefined && current !== chosen
    ? current
    : versions.find(({ version }) => version < chosen)?.version

interface Props {
  readonly kind: Kind
  readonly id: string
  readonly version: number
  readonly other: number | undefined
  /** Changes when the version is published. */
  readonly stage: string | undefined
  readonly changed: (version: number) => void
}

const Chosen = ({ changed, id, kind, other, stage, version }: Props) => {
  const { problem, reload, value } = useLoaded(
    (signal) =>
      Promise.all([
        svc().components.version(id, version, { signal }),
        other === undefined ? undefined : svc().components.version(id, other, { signal })
      ]),
    [id, version, other, stage]
  )
  const [chosen, compared] = value ?? []
  return (
    <>
      <Problem error={problem} retry={reload} />
      {chosen === undefined ? null : (
        <>
          {compared === undefined
            ? <Json value={chosen.config} />
            : (
              <Difference
                title={`From version ${compared.version} to version ${version}`}
                before={compared.config ?? {}}
                after={chosen.config ?? {}}
              />
            )}
          <ConfigForm
            key={`${version} ${chosen.updated_at}`}
            kind={kind}
            id={id}
            from={chosen}
            done={(saved) => {
              reload()
              changed(saved)
            }}
          />
        </>
      )}
    </>
  )
}

const About = ({ changed, component }: { readonly component: ComponentResponse; readonly changed: () => void }) => {
  const { component_id: id, component_type: kind, created_at, current_version, description, name } = component
  return (
    <>
      <h1>{name ?? id}</h1>
      <p>
        {kind} <code>{id}</code>, created <Time value={created_at} />
      </p>
      {description === undefined || description === "" ? null : <p>{description}</p>}
      <div class="actions">
        {current_version === undefined
          ? <span class="quiet">Publish a version to chat with it.</span>
          : <a class="button" href={href(["chat", kind, id])}>Chat with it</a>}
        {isConversing(kind) ? <a class="button" href={href(["playground", kind, id])}>Open in the playground</a> : null}
        <Action
          scope="components:delete"
          label={`Delete ${name ?? id}`}
          question={`Delete "${name ?? id}" with all of its versions? Its runs and sessions stay.`}
          run={() => svc().components.delete(id)}
          done={() => go(href(["components"]))}
        >
          Delete
        </Action>
      </div>
      <NameForm component={component} done={changed} />
    </>
  )
}

export const ComponentPage = () => {
  const { path: [, id = ""], query: { other, version } } = route.value
  const { problem, reload, value } = useLoaded(
    (signal) =>
      Promise.all([
        svc().components.get(id, { signal }),
        svc().components.versions(id, { include_config: false }, { signal })
      ]),
    [id]
  )
  const [component, versions = []] = value ?? []
  const current = component?.current_version
  const chosen = whole(version) ?? versions[0]?.version
  const compared = chosen === undefined || other === "none"
    ? undefined
    : whole(other) ?? otherOf(versions, chosen, current)
  const numbers = versions.map(({ version }) => String(version))
  return (
    <section class="page">
      <p>
        <a href={href(["components"])}>Components</a>
      </p>
      <Problem error={problem} retry={reload} />
      {component === undefined ? null : <About component={component} changed={reload} />}
      <h2>Versions</h2>
      <Versions id={id} versions={versions} current={current} changed={reload} />
      <Rollout id={id} versions={versions} current={current} />
      {chosen === undefined ? null : (
        <section class="part">
          <h2>Version {chosen}</h2>
          <Filters
            filters={[
              { name: "version", title: "Version", choices: numbers, initial: String(chosen), isRequired: true },
              {
                name: "other",
                title: "Compared with",
                choices: ["none", ...numbers],
                initial: String(compared ?? "none"),
                isRequired: true
              }
            ]}
          />
          {current === undefined || component === undefined ? null : (
            <p>
              <a href={href(["chat", component.component_type, id], { version: String(chosen) })}>
                Try version {chosen} in the chat
              </a>
            </p>
          )}
          <Chosen
            kind={component?.component_type ?? "agent"}
            id={id}
            version={chosen}
            other={compared}
            stage={versions.find(({ version }) => version === chosen)?.stage}
            changed={(saved) => {
              reload()
              query({ version: String(saved), other: undefined })
            }}
          />
        </section>
      )}
    </section>
  )
}
