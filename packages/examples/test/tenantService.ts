// A service with a second database, for tests that start it in processes of its own.
import { Agent, DatabaseHandle, serve } from "@svc-runtime/server"

const tenant = DatabaseHandle.postgres({ id: "tenant-db", url: process.env["TENANT_DATABASE_URL"] ?? "" })

serve({
  agents: [
    Agent.make({ id: "plain" }),
    Agent.make({ id: "tenant", db: tenant })
  ]
})
