// The component that an evaluation or an experiment runs: a registered one, or a stored one in one of its versions.
// What a factory makes exists for one request only, and cannot be evaluated.
import type { Agent } from "@svc-runtime/agents/agent/define/Agent"
import { isFactory } from "@svc-runtime/agents/factory/Factory"
import { FactoryContextRequired } from "@svc-runtime/agents/factory/FactoryErrors"
import type * as Components from "@svc-runtime/agents/runService/Components"
import { leaderOrSelf, type Team } from "@svc-runtime/agents/team/Team"
import type * as Component from "@svc-runtime/domain/Component"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { ModelCatalog, ModelRef } from "@svc-runtime/models/ModelCatalog"
import { Effect } from "effect"
import type * as EvalRun from "./EvalRun.ts"

interface Ref {
  readonly kind: ComponentKind.ComponentKind
  readonly component_id: string
}

const made = Effect.fnUntraced(function*({ component_id: id, kind }: Ref, found: Components.Found) {
  const { component_versions, registered } = found
  if (isFactory(registered)) return yield* new FactoryContextRequired({ kind, factory: id })
  return { component: registered, component_versions }
})

/** For a new evaluation: the current version, or the one that the request names. A registered one ignores it. */
export const find = (components: Components.Components, ref: Ref, version?: number) =>
  Effect.flatMap(
    components.find({ kind: ref.kind, id: ref.component_id }, version),
    (found) => made(ref, found)
  )

/** For one that has begun, with its versions. */
export const again = (components: Components.Components, ref: Ref, versions: Component.Versions | undefined) =>
  versions === undefined
    ? find(components, ref)
    : Effect.flatMap(
      components.again({ kind: ref.kind, id: ref.component_id }, versions),
      (found) => made(ref, found)
    )

export const notFound = ({ component_id, kind }: Ref): string =>
  `${ComponentKind.descriptions[kind].label} with id '${component_id}' not found`

/** Why there is none: the component is missing, or this version of it. */
export const missing = (components: Components.Components, ref: Ref, version: number | string | null | undefined) =>
  (version ?? undefined) === undefined
    ? Effect.succeed(notFound(ref))
    : find(components, ref).pipe(
      Effect.as(`${ComponentKind.descriptions[ref.kind].label} '${ref.component_id}' has no version ${version}`),
      Effect.catchTags({
        ComponentNotFound: () => Effect.succeed(notFound(ref)),
        ComponentUnusable: ({ message }) => Effect.succeed(message),
        FactoryContextRequired: ({ message }) => Effect.succeed(message)
      })
    )

/** Without an override. */
export const modelOf = (component: Agent | Team, byDefault: string): ModelRef =>
  leaderOrSelf(component).model ?? byDefault

type Models = Pick<ModelCatalog["Service"], "defaultModel" | "judge">

/** Of an experiment, and of live runs. */
export const judgeOf = ({ defaultModel, judge }: Models): ModelRef => judge ?? defaultModel

/** Of an evaluation. Without a judge of the service, the component's own model judges the answers of another one. */
export const judgeOfRequest = (
  component: Agent | Team,
  { model }: Pick<EvalRun.Request, "model">,
  models: Models
): ModelRef => models.judge ?? (model === null ? models.defaultModel : modelOf(component, models.defaultModel))
