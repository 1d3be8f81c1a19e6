import { Agent } from "@svc-runtime/server"

const assistant = Agent.make({ id: "assistant" })

// #region
import { NodeRuntime } from "@effect/platform-node"
import { Application } from "@svc-runtime/server"
import { Layer } from "effect"

Layer.launch(Application.make({ agents: [assistant] })).pipe(NodeRuntime.runMain)
// #endregion
