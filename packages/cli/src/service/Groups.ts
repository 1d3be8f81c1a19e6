// The groups of the API that commands use. They are loaded on demand, because all of them together take 60 ms.
export const agents = () => import("@svc-runtime/api/Agents").then(({ Agents }) => Agents)
export const approvals = () => import("@svc-runtime/api/Approvals").then(({ Approvals }) => Approvals)
export const databases = () => import("@svc-runtime/api/Databases").then(({ Databases }) => Databases)
export const runs = () => import("@svc-runtime/api/Runs").then(({ Runs }) => Runs)
export const sessions = () => import("@svc-runtime/api/Sessions").then(({ Sessions }) => Sessions)
export const system = () => import("@svc-runtime/api/System").then(({ System }) => System)
export const teams = () => import("@svc-runtime/api/Teams").then(({ Teams }) => Teams)
export const workflows = () => import("@svc-runtime/api/Workflows").then(({ Workflows }) => Workflows)
