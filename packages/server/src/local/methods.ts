// Gives agents, teams and workflows the methods of `Runs`. The packages that define them know no service, so they
// declare the place (`ComponentMethods`), and this file fills it. What a method needs is loaded by the first call.
import * as ComponentMethods from "@svc-runtime/agents/component/ComponentMethods"
import type { Kind } from "@svc-runtime/client"
import * as ForgottenAwait from "@svc-runtime/engine/userCode/ForgottenAwait"
import * as Program from "./Program.ts"
import { LaterStream, type Runs } from "./Runs.ts"

declare module "@svc-runtime/agents/component/ComponentMethods" {
  interface AgentMethods extends Runs<"agent"> {}
  interface TeamMethods extends Runs<"team"> {}
  interface WorkflowMethods extends Runs<"workflow"> {}
}

interface Self {
  readonly id: string
}

// oxlint-disable-next-line typescript/no-explicit-any -- each method passes on what the one of the client takes
type Rest = Array<any>

const methodsOf = (kind: Kind) => {
  const component = (self: Self) => Program.open().then(({ component }) => component(kind, self))
  return {
    run(this: Self, ...rest: Rest) {
      return ForgottenAwait.refused(component(this).then((found) => Reflect.apply(found.run, found, rest)))
    },
    continue(this: Self, ...rest: Rest) {
      return ForgottenAwait.refused(component(this).then((found) => Reflect.apply(found.continue, found, rest)))
    },
    stream(this: Self, ...rest: Rest) {
      return new LaterStream(() => component(this).then((found) => Reflect.apply(found.stream, found, rest)))
    },
    continueStream(this: Self, ...rest: Rest) {
      return new LaterStream(() => component(this).then((found) => Reflect.apply(found.continueStream, found, rest)))
    }
  }
}

for (const kind of ["agent", "team", "workflow"] as const) {
  Object.assign(ComponentMethods.prototypes[kind], methodsOf(kind))
}
