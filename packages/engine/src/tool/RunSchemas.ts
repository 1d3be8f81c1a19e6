// Schemas of what a run is given: the state of its session, dependencies, metadata. They type the context of functions
// of authors. A request whose values do not match is refused.
import type * as Json from "@svc-runtime/domain/Json"
import type * as RunOption from "@svc-runtime/domain/RunOption"
import { Effect, identity, type JsonSchema, type StandardSchema } from "effect"
import { type AnySchema, authored, fromJsonSchema, Mismatch, type Shape } from "../schema/AnySchema.ts"
import { Mistake } from "../userCode/Mistake.ts"
import type * as AuthorOptions from "../userCode/Options.ts"
import type { RunContext } from "./RunContext.ts"

type Given = AnySchema | JsonSchema.JsonSchema

export interface RunSchemas {
  /** Each field can be absent: a session begins with an empty state. */
  readonly sessionState?: Given | undefined
  readonly dependencies?: Given | undefined
  readonly metadata?: Given | undefined
}

/** What the options take. */
export const kinds: AuthorOptions.Kinds<keyof RunSchemas> = {
  sessionState: "any",
  dependencies: "any",
  metadata: "any"
}

/** What is sent: the values are checked, and not transformed. */
type Sent<S> = S extends { readonly Encoded: infer A } ? A
  : S extends StandardSchema.StandardSchemaV1<infer A, unknown> ? A
  : Json.Object

type State<S> = { -readonly [Key in keyof Sent<S>]?: Sent<S>[Key] }

type Typed<R extends RunSchemas> =
  & (R extends { readonly sessionState: infer S extends AnySchema } ? { readonly sessionState: State<S> } : unknown)
  & (R extends { readonly dependencies: infer S extends AnySchema } ? { readonly dependencies: Sent<S> } : unknown)
  & (R extends { readonly metadata: infer S extends AnySchema } ? { readonly metadata: Sent<S> } : unknown)

/** The context of a function with the types of the schemas. */
export type ContextOf<R extends RunSchemas, Context extends RunContext = RunContext> = keyof R extends never ? Context
  : Omit<Context, keyof Typed<R>> & Typed<R>

/** The names of requests. */
const fields = { sessionState: "session_state", dependencies: "dependencies", metadata: "metadata" } as const

type Name = keyof typeof fields

const names = Object.keys(fields) as ReadonlyArray<Name>

export interface RunShapes {
  /** What the author gave, which tools are compared with. */
  readonly schemas: RunSchemas
  readonly shapes: { readonly [N in Name]: Shape<unknown> | undefined }
}

/** A request sends the fields of a state that it changes. */
const partial = ({ jsonSchema: { required: _, ...rest } }: Shape<unknown>): Shape<unknown> => fromJsonSchema(rest)

export const make = (schemas: RunSchemas): RunShapes => {
  const { dependencies, metadata, sessionState } = schemas
  return {
    schemas,
    shapes: {
      sessionState: sessionState === undefined ? undefined : partial(authored(sessionState)),
      dependencies: dependencies === undefined ? undefined : authored(dependencies),
      metadata: metadata === undefined ? undefined : authored(metadata)
    }
  }
}

/** Throws if the schemas of a tool are not those of its agent: its context would have other values than its types. */
export const checkTools = (
  owner: string,
  schemas: RunSchemas | undefined,
  tools: ReadonlyArray<{ readonly name: string; readonly runSchemas?: RunSchemas | undefined }>
): void => {
  for (const { name, runSchemas = {} } of tools) {
    const other = names.find((field) => runSchemas[field] !== undefined && runSchemas[field] !== schemas?.[field])
    if (other === undefined) continue
    throw new Mistake(
      `${owner}: the tool '${name}' has a schema of ${other} in runSchemas that is not the one of the agent`
    )
  }
}

export interface Refused {
  /** Its name in requests. */
  readonly field: string
  readonly cause: Mismatch
}

const notAnObject = new Mismatch({ issues: [{ path: [], message: "It is not a JSON object" }] })

/**
 * Checks what a request gives a run. `unreadable` was left out. A state that it does not send is not checked.
 * `checkedBy` gives the shape that checks in place of that of the author.
 */
export const check = (
  { shapes }: RunShapes,
  values: RunOption.Values<typeof RunOption.shared>,
  unreadable: ReadonlyArray<string> = [],
  checkedBy: (shape: Shape<unknown>) => Shape<unknown> = identity
): Effect.Effect<void, Refused> =>
  Effect.forEach(names, (name) => {
    const shape = shapes[name]
    const field = fields[name]
    const value = values[field]
    if (shape !== undefined && unreadable.includes(field)) return Effect.fail({ field, cause: notAnObject })
    if (shape === undefined || (name === "sessionState" && (value === undefined || value === null))) return Effect.void
    return Effect.mapError(checkedBy(shape).decode(value ?? {}), (cause) => ({ field, cause }))
  }, { discard: true })
