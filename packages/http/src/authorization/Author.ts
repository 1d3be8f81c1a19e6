// Whether a caller may make what acts later: a schedule, an evaluation, an experiment, a webhook. It acts as the
// service, so its author needs the scopes of what it does when it is made or changed.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import * as RunPermission from "@svc-runtime/agents/runService/RunPermission"
import { RunForbidden } from "@svc-runtime/agents/runService/RunServiceErrors"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { Effect } from "effect"
import { meets, ScopeTable } from "./ScopeTable.ts"

const kinds = ComponentKind.ComponentKind.literals

export const make = Effect.gen(function*() {
  const scopes = yield* RunPermission.RunScopes
  const table = yield* ScopeTable

  /** It runs the component. */
  const ofRuns = Effect.fnUntraced(function*(component: ComponentRef) {
    const checked = RunPermission.check(yield* CurrentPrincipal, component, scopes)
    yield* Effect.mapError(checked, ({ message }) => Errors.forbidden(message))
  })

  /** The body of the request, which is not known yet, can name any component. */
  const ofAnyRun = Effect.forEach(kinds, (kind) => ofRuns({ kind, id: "*" }), { discard: true })

  /** It sends the request to this service. */
  const ofRequest = Effect.fnUntraced(function*(method: string, endpoint: string) {
    const principal = yield* CurrentPrincipal
    const requirement = table.requirement(method, endpoint)
    if (requirement === undefined || requirement.scopes.length === 0) {
      return yield* method === "GET"
        ? Effect.void
        : ofAnyRun
    }
    if (principal.isScoped && !meets(principal.grants, requirement)) {
      return yield* Errors.forbidden(new RunForbidden({ scopes: requirement.scopes }).message)
    }
    const { target } = requirement
    const needs = (part: RegExp) => requirement.scopes.some((scope) => part.test(scope))
    const kind = kinds.find((kind) => ComponentKind.descriptions[kind].resource === target?.resource)
    const isRun = needs(/:run$/)
    if (kind !== undefined && target !== undefined && (isRun || method === "POST")) {
      return yield* ofRuns({ kind, id: target.id })
    }
    // the body names the component, or the request changes a schedule, which can run any
    if (isRun || (method !== "GET" && needs(/^schedules:/))) yield* ofAnyRun
  })

  return { ofRequest, ofRuns }
})

export type Author = Effect.Success<typeof make>
