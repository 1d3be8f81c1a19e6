// The handlers that agents, teams and workflows share: they show the components of a kind to callers who may see them,
// and their runs.
import type { Services } from "@svc-runtime/agents/agent/execute/AgentDependencies"
import type { ComponentModule } from "@svc-runtime/agents/component/ComponentModule"
import type { Component } from "@svc-runtime/agents/factory/Factory"
import { RunService } from "@svc-runtime/agents/runService/RunService"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import { Forms } from "@svc-runtime/http/forms/Forms"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { runNotFound } from "@svc-runtime/http/wire/WireErrors"
import { Effect } from "effect"
import * as ComponentRuns from "../componentRuns/ComponentRuns.ts"
import * as ComponentDetails from "./ComponentDetails.ts"

export const make = Effect.fnUntraced(function*<
  C extends Component,
  Command extends RunCommand,
  E,
  R,
  Summary extends { readonly id: string },
  Detail extends { readonly id: string },
  Output extends AnyRun.Output,
  Record extends AnyRun.Record
>(
  module: ComponentModule<C, Command, E, R, Summary, Detail, Services>,
  { is, toRecord }: AnyRun.RunsOfKind<Output, Record>
) {
  const service = yield* RunService
  const runs = ComponentRuns.make({ kind: module.kind, forms: yield* Forms, service })
  return {
    runs,
    service,
    ...yield* ComponentDetails.make(module),
    listRuns: Effect.fn("ComponentHandlers.listRuns")(function*(id: string, query: ComponentRuns.ListQuery) {
      const found = yield* runs.list(id, query)
      return JsonResponse.of(found.filter(is).map(toRecord))
    }),
    run: Effect.fn("ComponentHandlers.run")(function*(id: string, path: ComponentRuns.RunPath) {
      const run = yield* runs.get(id, path)
      return is(run) ? run : yield* runNotFound(path.run_id)
    })
  }
})
