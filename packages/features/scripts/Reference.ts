// The pages of the reference that follow from the API's document: the fields of runs, their events, and all endpoints.
import { RequiredScope } from "@svc-runtime/api/RequiredScope"
import { Context } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { Api } from "../src/Api.ts"

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly description?: string
  readonly contentSchema?: Schema
}

interface Operation {
  readonly summary?: string
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const nameOf = ({ $ref = "" }: Schema): string => $ref.replace("#/components/schemas/", "")

const unique = (names: ReadonlyArray<string>): string => [...new Set(names)].join(" or ")

/** Forms take these two words as texts. */
const isFlag = ({ anyOf = [] }: Schema): boolean =>
  anyOf.length === 2 && anyOf.some(({ enum: values, type }) => type === "boolean" || values?.join() === "true,false")

const typeOf = (schema: Schema): string => {
  if (isFlag(schema)) return "`true` or `false`"
  if (schema.$ref !== undefined) return nameOf(schema).replace(/_\d+$/, "").replace(/^Json$/, "JSON")
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ")
  if (schema.anyOf !== undefined) return unique(schema.anyOf.map(typeOf))
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`
  return schema.description?.startsWith("A JSON ") === true ? "JSON" : schema.type ?? "JSON"
}

/** A head, and rows with as many cells. */
const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const rowsOf = ({ properties = {} }: Schema, left: ReadonlyArray<string> = []) =>
  Object.entries(properties).filter(([name]) => !left.includes(name)).map(([name, schema]) =>
    [`\`${name}\``, typeOf(schema).replaceAll("|", "\\|"), schema.description ?? ""] as const
  )

const forms = [
  ["Start a run", "RunForm", "`POST /agents/{id}/runs`, and the same for teams and workflows"],
  [
    "Continue a run of an agent or a team",
    "ContinueForm",
    "`POST /agents/{id}/runs/{run_id}/continue`, and the same for teams"
  ],
  ["Continue a run of a workflow", "WorkflowContinueForm", "`POST /workflows/{id}/runs/{run_id}/continue`"],
  [
    "Watch a run after a cut",
    "ResumeForm",
    "`POST /agents/{id}/runs/{run_id}/resume`, and the same for teams and workflows"
  ]
] as const

const written = "`npm run openapi` writes this page from [the API's document](../../packages/features/openapi.json)."

const fields = ({ components }: Document): string =>
  [
    "# Fields of runs",
    `What requests about runs take, as a form or as JSON. In JSON, fields with JSON take the value itself. A field that is unknown is ignored; if it is like a known one, the \`Warning\` header of the answer names both. ${written}`,
    ...forms.flatMap(([title, name, where]) => [
      `## ${title}`,
      where,
      table(["field", "type", "is"], rowsOf(components.schemas[name] ?? {}))
    ])
  ].join("\n\n") + "\n"

const eventsOf = ({ components, paths }: Document, kind: string) => {
  const content = paths[`/${kind}s/{${kind}_id}/runs`]?.["post"]?.responses["200"]?.content?.["text/event-stream"]
  const all = content?.schema.properties?.["data"]?.contentSchema?.anyOf ?? []
  const schemas = all.map(nameOf).map((name) => components.schemas[name]).filter((schema) => schema !== undefined)
  return schemas.filter(({ properties }) => properties?.["event"] !== undefined)
}

const eventName = ({ properties = {} }: Schema): string => String(properties["event"]?.enum?.[0] ?? "")

/** The fields that all of these events have. */
const sharedBy = (events: ReadonlyArray<Schema>): ReadonlyArray<string> =>
  Object.keys(events[0]?.properties ?? {}).filter((name) => events.every(({ properties = {} }) => name in properties))

const kinds = [
  ["agent", "Agents", "Run", (name: string) => !/^(Team|Workflow|Step|Parallel|Condition|Loop|Router)/.test(name)],
  ["team", "Teams", "TeamRun", (name: string) => name.startsWith("Team")],
  ["workflow", "Workflows", "Workflow", (name: string) => /^(Workflow|Step|Parallel|Condition|Loop|Router)/.test(name)]
] as const

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

/** Each field once. One with several meanings names the events of all but its most frequent meaning. */
const meaningsOf = (events: ReadonlyArray<Schema>) => {
  const meanings = new Map<
    string,
    Map<string, { readonly row: readonly [string, string]; readonly in: Array<string> }>
  >()
  for (const event of events) {
    for (const [name, type, text] of rowsOf(event, ["event"])) {
      const ofName = meanings.get(name) ??
        new Map<string, { readonly row: readonly [string, string]; readonly in: Array<string> }>()
      const meaning = ofName.get(`${type} ${text}`) ?? { row: [type, text] as const, in: [] }
      meaning.in.push(eventName(event))
      ofName.set(`${type} ${text}`, meaning)
      meanings.set(name, ofName)
    }
  }
  return [...meanings].toSorted(([one], [other]) => one < other ? -1 : 1).flatMap(([name, ofName]) =>
    [...ofName.values()].toSorted((one, other) => other.in.length - one.in.length).map(({ in: events, row }, index) =>
      [index === 0 ? name : `${name} of ${quoted(events)}`, ...row] as const
    )
  )
}

const events = (document: Document): string => {
  const ofKinds = kinds.map(([kind, title, prefix, isOwn]) => ({
    title,
    prefix,
    own: eventsOf(document, kind).filter((schema) => isOwn(eventName(schema)))
  }))
  return [
    "# Events of runs",
    "The events of a streamed run, as server-sent events with the name in `event` and the fields as JSON in `data`. The id " +
    "of an event is its index; a client that reconnects sends the last one as `last-event-id`. A last frame `error` " +
    "without an id says why the stream ends before its run: the node stops, the database does not reply, or the " +
    "credential is no longer accepted. The run continues, and can be watched again. Streams of teams and " +
    `workflows also have the events of their members and steps. ${written}`,
    ...ofKinds.flatMap(({ own, prefix, title }) => {
      const shared = sharedBy(own)
      return [
        `## ${title}`,
        `A stream ends after \`${prefix}Completed\`, \`${prefix}Error\`, \`${prefix}Cancelled\` or \`${prefix}Paused\`. ` +
        `Every event has ${quoted(shared.filter((name) => name !== "event"))}.`,
        table(
          ["event", "further fields"],
          own.map((event) =>
            [
              `\`${eventName(event)}\``,
              quoted(Object.keys(event.properties ?? {}).filter((name) => name !== "event" && !shared.includes(name)))
            ] as const
          )
        )
      ]
    }),
    "## Fields",
    table(["field", "type", "is"], meaningsOf(ofKinds.flatMap(({ own }) => own)))
  ].join("\n\n") + "\n"
}

interface Endpoint {
  readonly group: HttpApiGroup.Constraint
  readonly method: string
  readonly path: string
  readonly scope: string
}

const allEndpoints = (): ReadonlyArray<Endpoint> => {
  const found: Array<Endpoint> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { annotations, method, path }, group }) =>
      void found.push({
        group,
        method,
        path: path.replaceAll("::", "\0").replaceAll(/:(\w+)/g, "{$1}").replaceAll("\0", ":"),
        scope: Context.getOrUndefined(annotations, RequiredScope) ?? ""
      })
  })
  return found
}

interface WithGroups {
  readonly name: string
  readonly groups: ReadonlyArray<HttpApiGroup.Constraint>
}

const endpoints = ({ paths }: Document, features: ReadonlyArray<WithGroups>): string => {
  const all = allEndpoints()
  const ofFeatures = features.flatMap(({ groups }) => groups)
  const section = (title: string, isIn: (endpoint: Endpoint) => boolean) => {
    const rows = all.filter(isIn).map(({ method, path, scope }) =>
      [
        `\`${method} ${path}\``,
        scope === "none" ? "" : `\`${scope}\``,
        paths[path]?.[method.toLowerCase()]?.summary ?? ""
      ] as const
    )
    return [`## ${title}`, rows.length === 0 ? "It has no endpoints." : table(["endpoint", "scope", "does"], rows)]
  }
  return [
    "# Endpoints",
    "The endpoints of the API with the [scopes](../operate/authorization.md#scopes) that they require, by features. The option " +
    "[`without`](../operate/deployment.md#features) leaves features out of a service. `npm run openapi` writes this page.",
    ...section("Of every service", ({ group }) => !ofFeatures.includes(group)),
    ...features.toSorted((one, other) => one.name < other.name ? -1 : 1).flatMap(({ groups, name }) =>
      section(`The feature \`${name}\``, ({ group }) => groups.includes(group))
    )
  ].join("\n\n") + "\n"
}

/** The pages by their names in docs/reference. */
export const pages = (document: Document, features: ReadonlyArray<WithGroups>): Readonly<Record<string, string>> => ({
  endpoints: endpoints(document, features),
  events: events(document),
  fields: fields(document)
})
