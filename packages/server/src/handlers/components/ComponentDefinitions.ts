// Stored agents, teams and workflows by what they are made of. A request makes or changes a version of the same records
// as the endpoints of components.
import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import { Errors } from "@svc-runtime/api"
import * as Component from "@svc-runtime/domain/Component"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Json from "@svc-runtime/domain/Json"
import { now } from "@svc-runtime/engine/now"
import * as Records from "@svc-runtime/features/components/ComponentRecords"
import { componentNotFound } from "@svc-runtime/http/wire/componentNotFound"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option, Predicate } from "effect"

/** The endpoints of components can change the component in between. */
const retries = 5

const conflict = ({ message }: { readonly message: string }) => Effect.fail(Errors.conflict(message))

const tooDeep = () => Errors.invalid([{ loc: ["body"], msg: Json.tooDeep, type: "json_too_deep" }])

/** A field that is null is left out. */
const changed = (config: Json.Object, fields: Json.Object): Json.Object => Json.withoutNulls({ ...config, ...fields })

const responseOf = (
  component: Component.Stored,
  { stage, version }: Pick<Component.StoredConfig, "stage" | "version">
): Component.Defined => ({ id: component.component_id, ...Component.toComponent(component), version, stage })

const makeOf = Effect.fnUntraced(function*(kind: ComponentKind.ComponentKind) {
  const records = yield* Records.make
  const { memberLinks, registered, store } = records
  const { label } = ComponentKind.descriptions[kind]
  const notFound = ({ id }: { readonly id: string }) => componentNotFound({ kind, id, known: registered[kind] })
  const translated = { ...Records.refusals, StoredComponentNotFound: notFound, ConfigNotFound: notFound }

  const found = Effect.fnUntraced(function*(id: Component.Id) {
    if (registered[kind].has(id)) {
      return yield* Errors.conflict(`${label} '${id}' is registered in code. Requests do not change it`)
    }
    const component = yield* store.find(id)
    return Option.isSome(component) && component.value.component_type === kind
      ? component.value
      : yield* notFound({ id })
  })

  /** The newest version if it is a draft, or else the current one. */
  const baseOf = Effect.fnUntraced(function*({ component_id: id }: Component.Stored) {
    const [newest] = yield* store.versions(id)
    const base = yield* store.config(id, newest?.stage === "draft" ? newest.version : undefined)
    return Option.isSome(base) ? base.value : yield* notFound({ id })
  })

  const update = Effect.fnUntraced(
    function*(
      id: Component.Id,
      { description, label, metadata, name, notes, set_current, stage, ...fields }: Component.DefinitionPatch
    ) {
      const component = yield* found(id)
      const { revision } = component
      const base = yield* baseOf(component)
      const ofComponent = {
        name: name ?? undefined,
        description: description ?? undefined,
        metadata: metadata ?? undefined
      }
      const ofVersion = [label, notes, stage].some(Predicate.isNotNullish) || Object.keys(fields).length > 0
      if (!ofVersion) {
        const isChanged = Object.values(ofComponent).some(Predicate.isNotUndefined)
        return responseOf(
          isChanged ? yield* records.change(id, { revision, fields: ofComponent }, []) : component,
          base
        )
      }
      const config = changed(base.config, fields)
      if (!Json.isShallow(config)) return yield* tooDeep()
      const links = Records.linksMembers(kind) && "members" in fields
        ? yield* memberLinks(name ?? component.name, config)
        : base.links
      const saved = {
        label: label ?? undefined,
        notes: notes ?? undefined,
        // a draft stays one until a request publishes it
        stage: (yield* Records.stageOf(stage)) ?? base.stage,
        setCurrent: set_current ?? undefined,
        links,
        config
      }
      const result = yield* records.save(id, {
        revision,
        fields: ofComponent,
        config: base.stage === "draft" ? { ...saved, version: base.version } : saved
      }, [])
      return responseOf(result.component, result.config)
    }
  )

  return {
    create: Effect.fn("ComponentDefinitions.create")(function*(
      { description, id, label: version, metadata, name, notes, stage, ...config }: Component.DefinitionCreate
    ) {
      if (!Json.isShallow(config)) return yield* tooDeep()
      const component_id = yield* Records.idOf(id, name, "id")
      if (records.isRegistered(component_id)) {
        return yield* Errors.conflict(`A component with the id '${component_id}' is registered in code`)
      }
      const first = {
        config: changed(config, {}),
        label: version ?? null,
        links: [],
        notes: notes ?? null,
        stage: (yield* Records.stageOf(stage)) ?? "published"
      }
      const component = yield* records.create({
        component_id,
        component_type: kind,
        name,
        description: description ?? null,
        metadata: metadata ?? null,
        config: first
      }, []).pipe(Effect.catchTags({ ComponentIdTaken: conflict }))
      return responseOf(component, { version: 1, stage: first.stage })
    }, orUnavailable),
    update: Effect.fn("ComponentDefinitions.update")(
      (id: Component.Id, patch: Component.DefinitionPatch) =>
        update(id, patch).pipe(
          Effect.catchTag("ComponentChanged", () =>
            Effect.retry(store.alone(id, update(id, patch)), {
              times: retries,
              while: Predicate.isTagged("ComponentChanged")
            })),
          Effect.catchTags(translated),
          orUnavailable
        )
    ),
    remove: Effect.fn("ComponentDefinitions.remove")(function*(id: Component.Id) {
      yield* found(id)
      yield* store.remove(id, yield* now)
    }, orUnavailable)
  }
})

type Definitions = Effect.Success<ReturnType<typeof makeOf>>

const refusal = "This service stores no components"
const missing = () => Effect.fail(Errors.notFound(refusal))

/** Of a service without the feature. */
const none: Definitions = {
  create: () => Effect.fail(Errors.badRequest(refusal)),
  update: missing,
  remove: missing
}

export const make = (kind: ComponentKind.ComponentKind) =>
  Effect.flatMap(
    Effect.serviceOption(ComponentStore),
    Option.match({ onNone: () => Effect.succeed(none), onSome: () => makeOf(kind) })
  )
