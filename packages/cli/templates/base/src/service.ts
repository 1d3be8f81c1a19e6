import type { Application } from "@svc-runtime/server"
import { assistant } from "./assistant.ts"

/** What the service has, also in tests: `testService({ ...application, model })`. */
export const application = { name: "svc-project", agents: [assistant] } satisfies Application.Options
