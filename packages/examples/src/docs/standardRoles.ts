import { serve, standardRoles } from "@svc-runtime/server"

serve({ authorization: { roles: { ...standardRoles, support: ["agents:desk:run"] } } })
