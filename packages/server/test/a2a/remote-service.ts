// A service with a remote agent, in a process of its own.
import { RemoteAgent, serve } from "@svc-runtime/server"

const { REMOTE_URL: url = "", REMOTE_DEDUPLICATES } = process.env

serve({ agents: [RemoteAgent.a2a({ id: "far", url, deduplicates: REMOTE_DEDUPLICATES === "true" })] })
