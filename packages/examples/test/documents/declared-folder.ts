// docs/guides/knowledge.md

// #region
import { Agent, Knowledge, serve } from "@svc-runtime/server"

const handbook = Knowledge.make({ name: "handbook", folder: "documents" })

serve({ agents: [Agent.make({ id: "assistant", knowledge: handbook })] })
// #endregion
