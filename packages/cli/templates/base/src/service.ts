import type { Application } from "@svc-runtime/server"
import { assistant } from "./assistant.ts"

/** What the service has. The compiler checks it here, and tests can use it: `testService({ ...service, model })`. */
export const service = { name: "svc-project", agents: [assistant()] } satisfies Application.Options
