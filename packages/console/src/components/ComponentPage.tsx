// A stored component: its versions, what changes between two of them, and a form for the next one.
import type { ComponentConfigResponse, ComponentResponse } from "@svc-runtime/client"
import { useMemo } from "preact/hooks"
import { Json } from "../parts/Json.tsx"
import { jsonObject } from "../parts/parsed.ts"
import { Problem } from "../parts/Problem.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { Filters } from "../resources/Filters.tsx"
import type { FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm } from "../resources/ResourceForm.tsx"
import { go, href, query, route, whole } from "../Route.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { differences, linesOf, nearChanges } from "./lines.ts"
import { Versions } from "./Versions.tsx"

// Changes a draft, or makes a draft from a published version.

const fields: ReadonlyArray<FieldOptions> = [
  { name: "config", title: "Config", kind: "json", isRequired: true, hint: "a JSON object" },
  { name: "label", title: "Label", hint: "a name of the version" },
  { name: "notes", title: "Notes", hint: "what changes" }
]

interface ConfigFormProps {
  readonly id: string
  readonly from: ComponentConfigResponse
  /** Gets the version that was saved. */
  readonly done: (version: number) => void
}

const ConfigForm = ({ done, from: { config, label = "", notes = "", stage, version }, id }: ConfigFormProps) => {
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

// What changes from one config to another.
interface DifferenceProps {
  readonly title: string
  readonly before: unknown
  readonly after: unknown
}

const Difference = ({ after, before, title }: DifferenceProps) => {
  const lines = useMemo(() => differences(linesOf(before), linesOf(after)), [before, after])
  if (lines.every(({ kind }) => kind === "same")) return <p class="quiet">The configs are equal.</p>
  return (
    <pre class="difference" aria-label={title} role="region" tabIndex={0}>
      {nearChanges(lines).map((line, index) =>
        line.kind === "gap"
          ? <span key={index} class="quiet">{`… ${line.lines} equal ${line.lines === 1 ? "line" : "lines"}\n`}</span>
          : line.kind === "removed"
          ? <del key={index}>{`- ${line.text}\n`}</del>
          : line.kind === "added"
          ? <ins key={index}>{`+ ${line.text}\n`}</ins>
          : <span key={index}>{`  ${line.text}\n`}</span>
      )}
    </pre>
  )
}

type Version = ComponentConfigResponse

/** With what a version is compared: the current one, or else the one before it. */
const otherOf = (versions: ReadonlyArray<Version>, chosen: number, current: number | undefined): number | undefined =>
  current !== undefined && current !== chosen
    ? current
    : versions.find(({ version }) => version < chosen)?.version

interface Props {
  readonly id: string
  readonly version: number
  readonly other: number | undefined
  /** Changes when the version is published. */
  readonly stage: string | undefined
  readonly changed: (version: number) => void
}

const Chosen = ({ changed, id, other, stage, version }: Props) => {
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
                before={compared.config}
                after={chosen.config}
              />
            )}
          <ConfigForm
            key={`${version} ${chosen.updated_at}`}
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
