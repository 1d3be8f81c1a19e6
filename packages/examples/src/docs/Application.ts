import { NodeRuntime } from "@effect/platform-node"
import { Agent, Application } from "@svc-runtime/server"
import { Layer } from "effect"

const application = Application.make({ agents: [Agent.make({ id: "assistant" })] })

Layer.launch(application).pipe(NodeRuntime.runMain)
