import { serve } from "@svc-runtime/server"
import { assistant } from "./assistant.ts"

serve({ name: "svc-project", agents: [assistant()] })
