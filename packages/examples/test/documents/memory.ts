// The block of docs/guides/memory.md.
// #region
import { Agent, serve } from "@svc-runtime/server"

const assistant = Agent.make({ id: "assistant", memory: true })

serve({ agents: [assistant] })
// #endregion
