// Gives agents, teams and workflows the methods of `Runs`. The packages that define them know no service, so they
// declare the place (`ComponentMethods`), and this file fills it. What a method needs is loaded by the first call.
import * as ComponentMethods from "@svc-runtime/agents/component/ComponentMethods"
import type { Kind } from "@svc-runtime/client"
import * as ForeignNames from "@svc-runtime/engine/userCode/ForeignNames"
import * as ForgottenAwait from "@svc-runtime/engine/userCode/ForgottenAwait"
import { described } from "@svc-runtime/engine/userCode/Mistake"
import * as Program from "./Program.ts"
import { LaterStream, type Runs } from "./Runs.ts"

declare module "@svc-runtime/agents/component/ComponentMethods" {
  interface AgentMethods extends Runs<"agent"> {}
  interface TeamMethods extends Runs<"team"> {}
  interface WorkflowMethods extends Runs<"workflow"> {}
}

const named = (self: object): string => {
  const text = described(self).replace(/^the /, "")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

interface Self {
  readonly id: string
}

// oxlint-disable-next-line typescript/no-explicit-any -- each method passes on what the one of the client takes
type Rest = Array<any>

type Method = "continue" | "continueStream" | "run" | "stream"

const methodsOf = (kind: Kind) => {
  const called = (self: Self, method: Method, rest: Rest) =>
    Program.open({ kind, id: self.id, method }).then(({ component }) => {
      const found = component(kind, self)
      return Reflect.apply(found[method], found, rest)
    })
  return {
    run(this: Self, ...rest: Rest) {
      return ForgottenAwait.refused(called(this, "run", rest))
    },
    continue(this: Self, ...rest: Rest) {
      return ForgottenAwait.refused(called(this, "continue", rest))
    },
    stream(this: Self, ...rest: Rest) {
      return new LaterStream(() => called(this, "stream", rest))
    },
    continueStream(this: Self, ...rest: Rest) {
      return new LaterStream(() => called(this, "continueStream", rest))
    }
  }
}

for (const kind of ["agent", "team", "workflow"] as const) {
  const prototype = ComponentMethods.prototypes[kind]
  ForeignNames.refuseMethods(Object.assign(prototype, methodsOf(kind)), named)
}
