// The cards of components: code and stored ones, under their addresses.
import { StoredComponents } from "@svc-runtime/agents/component/StoredComponents"
import { registries } from "@svc-runtime/agents/modules/ComponentModules"
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import * as RunPermission from "@svc-runtime/agents/runService/RunPermission"
import { leaderOrSelf } from "@svc-runtime/agents/team/Team"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { RoutedTaskPushes } from "@svc-runtime/features/taskPush/RoutedTaskPushes"
import { AccessControl } from "@svc-runtime/http/authorization/AccessControl"
import { ServerSettings } from "@svc-runtime/http/Settings"
import { componentNotFound } from "@svc-runtime/http/wire/componentNotFound"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import * as Card from "@svc-runtime/protocols/a2a/Card"
import type { Version } from "@svc-runtime/protocols/a2a/Version"
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Target } from "./Target.ts"

interface Named {
  readonly id: string
  readonly name?: string | undefined
  readonly description?: string | undefined
}

/** The address that the request was sent to, where the operator names none. */
const baseOf = ({ headers, url }: HttpServerRequest.HttpServerRequest, publicUrl: string | undefined): string => {
  if (publicUrl !== undefined) return publicUrl
  const origin = URL.parse(url)?.origin
  return headers["host"] === undefined ? origin ?? "" : `http://${headers["host"]}`
}

export const make = Effect.gen(function*() {
  const { protocols: { a2a, publicUrl }, quickPrompts } = yield* ServerSettings
  const { settings } = yield* AccessControl
  const stored = yield* StoredComponents
  const all = yield* registries
  const scopes = yield* RunPermission.RunScopes
  const hasPushes = Option.isSome(yield* Effect.serviceOption(RoutedTaskPushes))

  const find = Effect.fnUntraced(
    function*(ref: ComponentRef) {
      const known: Named | undefined = all[ref.kind].registered.find(({ id }) => id === ref.id)
      if (known !== undefined) return known
      const found = stored === undefined ? Option.none() : yield* stored.find(ref, undefined)
      if (Option.isNone(found)) return yield* componentNotFound(ref)
      const component: Named = found.value.component
      return component
    },
    (component) =>
      orUnavailable(
        Effect.catchTag(component, "ComponentUnusable", ({ message }) => Effect.fail(Errors.conflict(message)))
      )
  )

  const card = Effect.fnUntraced(
    function*({ component, request }: Pick<Target, "component" | "request">, version: Version) {
      const checked = RunPermission.check(yield* CurrentPrincipal, component, "describe", scopes)
      yield* Effect.mapError(checked, ({ message }) => Errors.forbidden(message))
      const found = yield* find(component)
      const { id, name = "" } = found
      const { description = "" } = leaderOrSelf(found)
      const examples = Object.hasOwn(quickPrompts, id) ? quickPrompts[id] ?? [] : []
      const { resource } = ComponentKind.descriptions[component.kind]
      const base = baseOf(request, publicUrl)
      const url = `${base}${a2a.prefix}/${resource}/${encodeURIComponent(id)}`
      const isClosed = settings.mode !== "none"
      return Card.make({ id, name, description, url, isClosed, hasPushes, examples }, version)
    }
  )

  return { card, find, extended: card }
})

export type Cards = Effect.Success<typeof make>
