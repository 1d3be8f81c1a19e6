// Whether a schedule can do anything: the component that it runs exists, and its payload starts a run. What cannot work
// is refused when it is made, and not at nine o'clock tomorrow.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import { registries } from "@svc-runtime/agents/modules/ComponentModules"
import * as Components from "@svc-runtime/agents/runService/Components"
import * as StartCommand from "@svc-runtime/agents/runService/StartCommand"
import { Authenticator } from "@svc-runtime/auth"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as NameList from "@svc-runtime/domain/NameList"
import { meets, ScopeTable } from "@svc-runtime/http/authorization/ScopeTable"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import { Effect } from "effect"
import type * as Schedule from "./Schedule.ts"
import * as ScheduledRun from "./ScheduledRun.ts"

export interface Problem {
  readonly field: "endpoint" | "payload"
  readonly message: string
}

/** Ids in one message. */
const maxListed = 20

type Target = Pick<Schedule.Schedule, "endpoint" | "method" | "payload">

/** Other libraries call the message something else. */
const withoutMessage = ({ payload }: Target): string => {
  const [first] = Object.keys(payload ?? {})
  return first === undefined || Object.hasOwn(payload ?? {}, "message") ? "" : `. It has '${first}', and no 'message'`
}

export const make = Effect.gen(function*() {
  const [all, components] = [yield* registries, yield* Components.current]
  const [table, { scheduler }] = [yield* ScopeTable, yield* Authenticator]

  const unknown = ({ id, kind }: Components.ComponentRef, isVisible: (id: string) => boolean): Problem => {
    const known = all[kind].registered.map((each) => each.id).filter(isVisible)
    const { resource } = ComponentKind.descriptions[kind]
    return {
      field: "endpoint",
      message: `There is no ${kind} '${id}'` +
        (known.length === 0 ? "" : `. The ${resource} are: ${NameList.first(known, maxListed)}`)
    }
  }

  /**
   * `visible`: the ids that the message may name. Undefined at a start: a check of the author's code alone, which can
   * say another thing tomorrow, does not stop a whole service.
   */
  const problemOf = Effect.fnUntraced(function*(
    schedule: Target,
    visible?: (kind: ComponentKind.ComponentKind, id: string) => boolean
  ) {
    const isVisible = visible ?? (() => true)
    const component = ScheduledRun.componentOf(schedule)
    if (component === undefined) return undefined
    const found = yield* components.find(component).pipe(
      Effect.catchTags({
        ComponentNotFound: () => Effect.succeed(unknown(component, (id) => isVisible(component.kind, id))),
        // it can be usable when it is due
        ComponentUnusable: () => Effect.undefined
      })
    )
    if (found !== undefined && "field" in found) return found
    const isLater = visible === undefined
    const begun = Effect.flatMap(ScheduledRun.formOf(schedule), ({ factory_input, message, options }) => {
      if (found === undefined) return Effect.void
      const factoryInput = FactoryInput.text(factory_input)
      return toWire(StartCommand.check(found.registered, { component, factoryInput, isLater, message, options }))
    })
    return yield* Effect.match(begun, {
      onSuccess: () => undefined,
      onFailure: ({ detail }): Problem => ({
        field: "payload",
        message: `The payload does not start a run: ${detail.replace(/^body\./, "")}${withoutMessage(schedule)}`
      })
    })
  })

  /** What declared schedules may do has no author whose scopes were checked. */
  const forbidden = (schedule: Target): Problem | undefined => {
    if (ScheduledRun.componentOf(schedule) !== undefined || !scheduler.isScoped) return undefined
    const requirement = table.requirement(schedule.method, schedule.endpoint)
    return requirement === undefined || meets(scheduler.grants, requirement) ? undefined : {
      field: "endpoint",
      message: `${schedule.method} ${schedule.endpoint} needs ${
        requirement.scopes.join(", ")
      }, which schedules do not have`
    }
  }

  return { forbidden, problemOf }
})
