// The stored components of a kind, as lists show them behind the registered ones.
import type { Services } from "@svc-runtime/agents/agent/execute/AgentDependencies"
import type { ComponentModule } from "@svc-runtime/agents/component/ComponentModule"
import { StoredComponents } from "@svc-runtime/agents/component/StoredComponents"
import { Databases } from "@svc-runtime/agents/database/Databases"
import type { Component } from "@svc-runtime/agents/factory/Factory"
import type * as Stored from "@svc-runtime/domain/Component"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect } from "effect"

/** The version of a stored component. */
export const inVersion = <Item extends object>(item: Item, version: number | null | undefined, isDraft = false) => ({
  ...item,
  ...(version === null || version === undefined ? {} : { current_version: version }),
  stage: isDraft ? "draft" as const : "published" as const
})

export const make = Effect.fnUntraced(
  function*<C extends Component, Command extends RunCommand, E, R, Summary, Detail>(
    { isComponent, kind, registry }: ComponentModule<C, Command, E, R, Summary, Detail, Services>
  ) {
    const databases = yield* Databases
    const stored = yield* StoredComponents
    const without = (yield* registry).registered.map(({ id }) => id)

    /** What a component without a usable config shows. */
    const bare = ({ component_id, description, name }: Stored.Stored) => ({
      id: component_id,
      name,
      ...(description === null ? {} : { description }),
      db_id: databases.all[0].id,
      is_factory: false,
      // the contract has a mode in each team
      ...(kind === "team" ? { mode: "coordinate" } : {})
    })

    return <Item extends object>(toItem: (component: C) => Item) =>
      Effect.map(
        orUnavailable(stored === undefined ? Effect.succeed([]) : stored.list(kind, without)),
        (found) =>
          found.map(({ component, stored }) => ({
            ...inVersion(
              isComponent(component) ? toItem(component) : bare(stored) as unknown as Item,
              stored.current_version
            ),
            // only in lists, as clients know it
            is_component: true
          }))
      )
  }
)
