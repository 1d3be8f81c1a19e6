// Whether a caller may make what acts later: a schedule, an evaluation, an experiment, a webhook. It acts as the
// service, so its author needs the scopes of what it does when it is made or changed.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import * as RunPermission from "@svc-runtime/agents/runService/RunPermission"
import { RunForbidden } from "@svc-runtime/agents/runService/RunServiceErrors"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import { Authenticator } from "@svc-runtime/auth"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Principal from "@svc-runtime/domain/Principal"
import { Effect } from "effect"
import { meets, ScopeTable } from "./ScopeTable.ts"

const kinds = ComponentKind.ComponentKind.literals

export const make = Effect.gen(function*() {
  const scopes = yield* RunPermission.RunScopes
  const table = yield* ScopeTable
  const { scheduler } = yield* Authenticator

  const permitted = Effect.fnUntraced(function*(component: ComponentRef, operation: RunPermission.Operation) {
    const checked = RunPermission.check(yield* CurrentPrincipal, component, operation, scopes)
    yield* Effect.mapError(checked, ({ message }) => Errors.forbidden(message))
  })

  /** It runs the component. */
  const ofRuns = (component: ComponentRef) => permitted(component, "start")

  /** What it does with runs of the component is in the body of the request, which is not known yet. */
  const ofProtocol = (component: ComponentRef) =>
    Effect.forEach(RunPermission.operations, (operation) => permitted(component, operation), { discard: true })

  /** The body can name any component, too. */
  const ofAnyRun = Effect.forEach(kinds, (kind) => ofProtocol({ kind, id: "*" }), { discard: true })

  const refusedWithout = (needed: ReadonlyArray<string>) =>
    Errors.forbidden(new RunForbidden({ scopes: needed }).message)

  /** What it makes has the service as its author. */
  const ofSchedules = Effect.gen(function*() {
    const principal = yield* CurrentPrincipal
    const missing = (scheduler.grants?.scopes ?? []).filter((scope) => !Principal.may(principal, scope))
    if (missing.length > 0) return yield* refusedWithout(missing)
    yield* ofAnyRun
  })

  /** It sends the request to this service. A mapping does not change what the request does. */
  const ofRequest = Effect.fnUntraced(function*(method: string, endpoint: string) {
    const principal = yield* CurrentPrincipal
    const requirement = table.requirement(method, endpoint)
    if (requirement !== undefined && principal.isScoped && !meets(principal.grants, requirement)) {
      return yield* refusedWithout(requirement.scopes)
    }
    const { native = [], route, target } = requirement ?? {}
    if (method === "GET" && native.length === 0) return
    const needs = (part: RegExp) => native.some((scope) => part.test(scope))
    const isRun = native.length === 0 || needs(/:run$/)
    const kind = kinds.find((kind) => ComponentKind.descriptions[kind].resource === target?.resource)
    if (kind !== undefined && target !== undefined && (isRun || method === "POST")) {
      const component = { kind, id: target.id }
      return yield* route === undefined ? ofProtocol(component) : ofRuns(component)
    }
    if (isRun) return yield* ofAnyRun
    if (method !== "GET" && needs(/^schedules:/)) yield* ofSchedules
  })

  return { ofRequest, ofRuns }
})

export type Author = Effect.Success<typeof make>
